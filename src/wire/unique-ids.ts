import { IdMint } from "../calls/id-mint.ts";
import { isRandomId, isShortId, isStateId } from "./random-ids.ts";
import type { ResolvedWireOptions } from "./wire-options.ts";

/**
 * The id of the server → the one on the wire. It stays if it is unique by its making and has not been
 * seen; else it is replaced by a fresh one.
 */
export class UniqueIds {
  #mint: IdMint;
  #generateShortId: () => string;

  constructor({ generateId, generateShortId, usedIds }: ResolvedWireOptions) {
    this.#mint = new IdMint(generateId, usedIds);
    this.#generateShortId = generateShortId;
  }

  /**
   * @param id the first one that the server has for a call
   * @throws TypeError when `generateId` gives no new one
   */
  choose(id: string | undefined): string {
    if (id === undefined) return this.#mint.mint();
    const isNew = this.#mint.take(id);
    if (isNew && (isRandomId(id) || isStateId(id))) return id;
    return isShortId(id) ? this.#mint.mint(this.#generateShortId) : this.#mint.mint();
  }

  /** The server has this id too for a call: another call cannot have it. */
  take(id: string): void {
    this.#mint.take(id);
  }
}
