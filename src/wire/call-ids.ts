import { Assembler } from "../calls/assembler.ts";
import { DeltaReader, elementsOf } from "../dialects/delta-reader.ts";
import {
  type CallDelta,
  type Delta,
  type IdPlace,
  type IdReferenceDelta,
  keepsObjects,
} from "../dialects/delta.ts";
import { READERS } from "../dialects/readers.ts";
import { Output } from "../calls/output.ts";
import { presentString, type JsonObject } from "../json/object.ts";
import type { Edits, FieldEdit } from "./id-splices.ts";
import { UniqueIds } from "./unique-ids.ts";
import type { ResolvedWireOptions, ToolCallRename } from "./wire-options.ts";

type MutableEdits = Map<JsonObject, FieldEdit[]>;

/** A call, or another thing that has an id, as the client sees it. */
interface WireCall {
  /** On the wire. */
  readonly id: string;
  /** The server's id that came last, if any. */
  providerId: string | undefined;
  /** Whether an event has had a place for it. */
  isPlaced: boolean;
}

/**
 * Payloads → the ids of the objects in them: one for each call, however often the server repeats,
 * empties or changes its own. The assembler decides which call an object belongs to, as it does
 * for the reading streams.
 */
export class CallIds {
  #reader = new DeltaReader(READERS);
  #output: Output<unknown>;
  #assembler: Assembler<unknown>;
  #ids: UniqueIds;
  #onRename: (rename: ToolCallRename) => void;
  #maxToolCalls: number;
  /** By the assembler's id of a call. */
  #calls = new Map<string, WireCall>();
  /** By index: for references. These come only in dialects where each index has one call. */
  #byIndex = new Map<string, WireCall>();
  /** By choice and the server's id: the latest call with it, or one to come. */
  #byProviderId = new Map<string, WireCall>();
  /** Those that references name, and that have not come yet. */
  #ahead = new Set<WireCall>();
  #error: TypeError | undefined;
  #isEnded = false;
  /** Whether some object of the latest payload is kept. */
  hasKept = false;

  constructor(options: ResolvedWireOptions) {
    let count = 0;
    // The assembler's own ids only tell its calls apart.
    const generateId = (): string => `${(count += 1)}`;
    this.#onRename = options.onRename;
    this.#maxToolCalls = options.maxToolCalls;
    this.#ids = new UniqueIds(options);
    this.#output = new Output(options.onDiagnostic, true);
    this.#assembler = new Assembler({ ...options, generateId }, this.#output);
  }

  /** Whether nothing more is read: `[DONE]` came, or a limit was exceeded. */
  get isOver(): boolean {
    return this.#isEnded || this.#output.isStopped || this.#error !== undefined;
  }

  /** Why there is no id for a call. */
  get error(): TypeError | undefined {
    return this.#error;
  }

  /** @param name the name of the event */
  read(payload: unknown, name: string | undefined): Edits {
    const edits: MutableEdits = new Map();
    this.hasKept = false;
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
    this.hasKept ||= keepsObjects(delta);
    try {
      if (delta.type === "call") this.#applyCall(delta, edits);
      else if (delta.type === "reference") this.#applyReference(delta, edits);
      else if (delta.type === "damage") this.#assembler.damageCall(delta.choice, delta.index);
    } catch (error) {
      this.#error = error as TypeError;
    }
  }

  #applyCall(delta: CallDelta, edits: MutableEdits): void {
    const { dialect } = this.#reader;
    const key = dialect && this.#assembler.apply(delta, dialect);
    const { places = [], index } = delta;
    // What has no place in the event is not shown to the client yet.
    if (key === undefined || places.length === 0) return;
    const call = this.#calls.get(key) ?? this.#open(delta, places);
    this.#calls.set(key, call);
    if (index !== undefined) this.#byIndex.set(index, call);
    if (delta.id !== undefined) this.#byProviderId.set(providerKey(delta.choice, delta.id), call);
    this.#place(call, places, edits);
  }

  /** @returns the call that an earlier reference names, or a new one */
  #open({ choice, id }: CallDelta, places: readonly IdPlace[]): WireCall {
    const referred = id === undefined ? undefined : this.#byProviderId.get(providerKey(choice, id));
    if (referred !== undefined && this.#ahead.delete(referred)) return referred;
    return this.#choose(idAt(places));
  }

  #applyReference(delta: Delta & { type: "reference" }, edits: MutableEdits): void {
    let call: WireCall | undefined;
    if ("id" in delta) call = this.#refer(delta);
    else {
      call = this.#byIndex.get(delta.index) ?? this.#choose(idAt(delta.places));
      this.#byIndex.set(delta.index, call);
    }
    if (call !== undefined) this.#place(call, delta.places, edits);
  }

  /** @returns the call that is named by the id of the server, if there is or will be one */
  #refer({ choice, id, isAhead }: IdReferenceDelta): WireCall | undefined {
    const key = providerKey(choice, id);
    const known = this.#byProviderId.get(key);
    if (known !== undefined || !isAhead || this.#ahead.size >= this.#maxToolCalls) return known;
    const call = this.#choose(id);
    this.#byProviderId.set(key, call);
    this.#ahead.add(call);
    return call;
  }

  /** @param providerId the first id that came, if any */
  #choose(providerId: string | undefined): WireCall {
    const call = { id: this.#ids.choose(providerId), providerId, isPlaced: false };
    if (call.id !== providerId) this.#report(call);
    return call;
  }

  #place(call: WireCall, places: readonly IdPlace[], edits: MutableEdits): void {
    for (const { holder, field, insert, text } of places) {
      const isRequired = insert === "always" || (insert === "first" && !call.isPlaced);
      // Most fragments have no id: their bytes need no look.
      if (!isRequired && holder[field] === undefined) continue;
      if (text === undefined) {
        call.isPlaced = true;
        this.#learn(call, presentString(holder[field]));
      }
      const edit = { field, value: text ?? call.id, isRequired };
      edits.set(holder, [...(edits.get(holder) ?? []), edit]);
    }
  }

  /** Takes the id that the server has for a call now. */
  #learn(call: WireCall, providerId: string | undefined): void {
    if (providerId === undefined || providerId === call.providerId) return;
    call.providerId = providerId;
    this.#ids.take(providerId);
    this.#report(call);
  }

  #report({ id, providerId }: WireCall): void {
    try {
      this.#onRename({ id, providerId });
    } catch {
      // An observer that fails must not change the ids.
    }
  }
}

/** The server's id at the first place that has one. */
function idAt(places: readonly IdPlace[]): string | undefined {
  for (const { holder, field, text } of places) {
    const id = text === undefined ? presentString(holder[field]) : undefined;
    if (id !== undefined) return id;
  }
  return undefined;
}

function providerKey(choice: number, providerId: string): string {
  return `${choice} ${providerId}`;
}
