import { Assembler } from "../assembler.ts";
import { DeltaReader } from "../delta-reader.ts";
import { Diagnostics } from "../diagnostics.ts";
import type { WireDialect } from "../dialects/dialect.ts";
import { presentString } from "../provider-error.ts";
import type { JsonObject } from "../types.ts";
import type { Edits, FieldEdit } from "./id-splices.ts";
import type { ResolvedWireOptions, ToolCallRename } from "./wire-options.ts";

/** Where an id is to stand. */
interface Place {
  readonly holder: JsonObject;
  readonly index: string | undefined;
  readonly itemId: string | undefined;
}

/**
 * Payloads → the ids that the objects in them are to have: one for each call, however often the
 * server repeats, empties or changes its own. Which call an object is of, the assembler decides: it
 * is the one that reads responses.
 */
export class CallIds {
  /** Whether nothing that follows is read: the response is over, or has more calls than allowed. */
  isOver = false;
  /** Why there is no id for a call. */
  error: TypeError | undefined;

  #reader = new DeltaReader();
  #assembler: Assembler<unknown>;
  #onRename: ((rename: ToolCallRename) => void) | undefined;
  /** By index: for references, which come only where an index is of one call. */
  #ids = new Map<string, string>();
  /** By the ids that are on the wire: those that the server has, if any. */
  #providerIds = new Map<string, string | undefined>();

  constructor(options: ResolvedWireOptions) {
    this.#onRename = options.onRename;
    this.#assembler = new Assembler(options, new Diagnostics(undefined), true);
  }

  /** @param name that of the event */
  read(payload: unknown, name: string | undefined): Edits {
    const edits = new Map<JsonObject, FieldEdit[]>();
    const deltas = this.#reader.read(payload, name);
    const { dialect } = this.#reader;
    if (dialect !== undefined) {
      for (const delta of deltas) {
        if (delta.type === "call") {
          const { holder, index, itemId } = delta;
          const id = this.#assembler.apply(delta, dialect);
          if (id === undefined || holder === undefined) continue;
          edits.set(holder, this.#editsOf({ holder, index, itemId }, id, dialect, true));
        } else if (delta.type === "reference") {
          const id = this.#ids.get(delta.index) ?? this.#assembler.mint();
          if (id === undefined) continue;
          edits.set(delta.holder, this.#editsOf(delta, id, dialect, false));
        } else if (delta.type === "damage") this.#assembler.damageCall(delta.choice, delta.index);
        else if (delta.type === "end") this.isOver = true;
      }
    }
    this.#assembler.take(); // The calls themselves are for others to read.
    const { failure } = this.#assembler;
    if (failure !== undefined) this.isOver = true;
    if (failure instanceof TypeError) this.error = failure;
    return edits;
  }

  /** An event was lost. */
  damage(): void {
    this.#assembler.damage();
  }

  /** @param mayInsert whether a call must have an id where the server sent none */
  #editsOf(place: Place, id: string, { idField }: WireDialect, mayInsert: boolean): FieldEdit[] {
    const { holder, index, itemId } = place;
    if (index !== undefined) this.#ids.set(index, id);
    const isRequired = mayInsert && !this.#providerIds.has(id);
    this.#report(id, presentString(holder[idField]));
    const edits: FieldEdit[] = [{ field: idField, value: id, isRequired }];
    // OpenAI's SDK throws where the call's id is the same in the end, and the item's is not.
    if (itemId !== undefined && itemId !== holder["id"]) {
      edits.push({ field: "id", value: itemId, isRequired: false });
    }
    return edits;
  }

  #report(id: string, providerId: string | undefined): void {
    const isNew = !this.#providerIds.has(id);
    if (!isNew && (providerId === undefined || providerId === this.#providerIds.get(id))) return;
    this.#providerIds.set(id, providerId);
    try {
      this.#onRename?.({ id, providerId });
    } catch {
      // It observes, and decides nothing.
    }
  }
}
