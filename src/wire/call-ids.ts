import { Assembler } from "../calls/assembler.ts";
import { DeltaReader, elementsOf } from "../dialects/delta-reader.ts";
import type { CallDelta, Delta, IdPlace, IdReferenceDelta } from "../dialects/delta.ts";
import { READERS } from "../dialects/readers.ts";
import { Output } from "../calls/output.ts";
import { presentString, type JsonObject } from "../json/object.ts";
import type { Edits, FieldEdit } from "./id-splices.ts";
import type { ResolvedWireOptions, ToolCallRename } from "./wire-options.ts";

interface PlacedDelta {
  readonly index?: string | undefined;
  readonly places?: readonly IdPlace[] | undefined;
}

type MutableEdits = Map<JsonObject, FieldEdit[]>;

/**
 * Payloads → the new ids of the objects in them: one for each call, however often the server repeats,
 * empties or changes its own id. The assembler decides which call an object belongs to, as it does
 * for the reading streams.
 */
export class CallIds {
  #reader = new DeltaReader(READERS);
  #output: Output<unknown>;
  #assembler: Assembler<unknown>;
  #onRename: (rename: ToolCallRename) => void;
  /** By index: for references. These come only in dialects where each index has one call. */
  #ids = new Map<string, string>();
  /** By choice and the server's id: the id on the wire, of the latest call with it or of one to come. */
  #references = new Map<string, string>();
  /** The ids in references to calls that have not come yet. */
  #ahead = new Set<string>();
  /** By the assembler's id of a call: the one on the wire. */
  #wireIds = new Map<string, string>();
  #maxToolCalls: number;
  /** By the new id: the server's id, if it sent one. */
  #providerIds = new Map<string, string | undefined>();

  #isEnded = false;

  constructor(options: ResolvedWireOptions) {
    this.#onRename = options.onRename;
    this.#maxToolCalls = options.maxToolCalls;
    this.#output = new Output(options.onDiagnostic, true);
    this.#assembler = new Assembler(options, this.#output);
  }

  /** Whether nothing more is read: `[DONE]` came, or a limit was exceeded. */
  get isOver(): boolean {
    return this.#isEnded || this.#output.isStopped;
  }

  /** Why there is no id for a call. */
  get error(): TypeError | undefined {
    const { failure } = this.#output;
    return failure instanceof TypeError ? failure : undefined;
  }

  /** @param name the name of the event */
  read(payload: unknown, name: string | undefined): Edits {
    const edits: MutableEdits = new Map();
    for (const element of elementsOf(payload)) {
      if (this.isOver) break;
      for (const delta of this.#reader.read(element, name)) this.#apply(delta, edits);
      this.#output.take(); // The calls themselves are for others to read.
    }
    return edits;
  }

  /** The response has said that it is over. */
  end(): void {
    this.#isEnded = true;
  }

  /** An event was lost. */
  damage(): void {
    this.#assembler.damage();
  }

  /** The end of a response, or its error, ends nothing here: clients may read on. */
  #apply(delta: Delta, edits: MutableEdits): void {
    const { dialect } = this.#reader;
    if (delta.type === "call") {
      const id = dialect && this.#assembler.apply(delta, dialect);
      this.#place(delta, id && this.#wireId(delta, id), edits);
    } else if (delta.type === "reference") {
      const id =
        "id" in delta ? this.#refer(delta) : (this.#ids.get(delta.index) ?? this.#assembler.mint());
      this.#place(delta, id, edits);
    } else if (delta.type === "damage") this.#assembler.damageCall(delta.choice, delta.index);
  }

  /** @returns the id on the wire: the one that an earlier reference to the call has */
  #wireId({ choice, id: providerId }: CallDelta, id: string): string {
    const key = providerId === undefined ? undefined : referenceKey(choice, providerId);
    let wireId = this.#wireIds.get(id);
    if (wireId === undefined) {
      const referred = key && this.#references.get(key);
      wireId = referred !== undefined && this.#ahead.delete(referred) ? referred : id;
      this.#wireIds.set(id, wireId);
    }
    if (key !== undefined) this.#references.set(key, wireId);
    return wireId;
  }

  /** @returns the id of the call that is named by that of the server, if there is or will be one */
  #refer({ choice, id: providerId, isAhead }: IdReferenceDelta): string | undefined {
    const key = referenceKey(choice, providerId);
    const known = this.#references.get(key);
    if (known !== undefined || !isAhead || this.#ahead.size >= this.#maxToolCalls) return known;
    const id = this.#assembler.mint();
    if (id === undefined) return undefined;
    this.#references.set(key, id);
    this.#ahead.add(id);
    return id;
  }

  /** @param id `undefined` when there is no id for the call */
  #place({ index, places = [] }: PlacedDelta, id: string | undefined, edits: MutableEdits): void {
    if (id === undefined) return;
    if (index !== undefined) this.#ids.set(index, id);
    for (const { holder, field, mayInsert = false, text } of places) {
      const isRequired = mayInsert && !this.#providerIds.has(id);
      // Most fragments have no id: their bytes need no look.
      if (!isRequired && holder[field] === undefined) continue;
      if (text === undefined) this.#report(id, presentString(holder[field]));
      const edit = { field, value: text ?? id, isRequired };
      edits.set(holder, [...(edits.get(holder) ?? []), edit]);
    }
  }

  #report(id: string, providerId: string | undefined): void {
    const isNew = !this.#providerIds.has(id);
    if (!isNew && (providerId === undefined || providerId === this.#providerIds.get(id))) return;
    this.#providerIds.set(id, providerId);
    try {
      this.#onRename({ id, providerId });
    } catch {
      // An observer that fails must not change the ids.
    }
  }
}

function referenceKey(choice: number, providerId: string): string {
  return `${choice} ${providerId}`;
}
