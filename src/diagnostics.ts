import type { Diagnostic, DiagnosticCode } from "./types.ts";

/** Beyond this many, diagnostics are only counted: a server must not fill the memory with them. */
const MAX_DIAGNOSTICS = 1000;

/** The diagnostics of one response. */
export class Diagnostics {
  readonly list: Diagnostic[] = [];
  count = 0;
  /** The number of the event that is being read. */
  event = 0;
  #observer: ((diagnostic: Diagnostic) => void) | undefined;

  constructor(observer: ((diagnostic: Diagnostic) => void) | undefined) {
    this.#observer = observer;
  }

  /** @returns the diagnostic, if it is one of those that are kept */
  add(
    code: DiagnosticCode,
    severity: Diagnostic["severity"],
    message: string,
    id?: string,
  ): Diagnostic | undefined {
    this.count += 1;
    if (this.count > MAX_DIAGNOSTICS) return undefined;
    const diagnostic: Diagnostic = { code, severity, message, event: this.event, id };
    this.list.push(diagnostic);
    try {
      this.#observer?.(diagnostic);
    } catch {
      // An observer that fails must not change what is read.
    }
    return diagnostic;
  }
}
