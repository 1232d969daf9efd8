/** Ids that nothing in one response, nor in what came before it, has had. */
export class IdMint {
  #generateId: () => unknown;
  #ids: Set<string>;

  /** @param usedIds ids that are taken already */
  constructor(generateId: () => unknown, usedIds: Iterable<string> = []) {
    this.#generateId = generateId;
    this.#ids = new Set(usedIds);
  }

  /** @throws TypeError when `generateId` gives no new one */
  mint(generateId: () => unknown = this.#generateId): string {
    let cause: unknown;
    try {
      const id = generateId();
      if (typeof id === "string" && id !== "" && this.take(id)) return id;
    } catch (error) {
      cause = error;
    }
    throw new TypeError("Cannot open call: generateId gave no new id", { cause });
  }

  /** @returns whether nothing has had the id before */
  take(id: string): boolean {
    const isNew = !this.#ids.has(id);
    this.#ids.add(id);
    return isNew;
  }
}
