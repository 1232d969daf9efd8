import type { ToolCallRename } from "../wire/wire-options.ts";

/** Some tens of thousands of ids, far more than are open in all conversations at once. */
const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * The server's ids of calls, for conversations whose history the server holds: there a client sends
 * only results. The oldest ids are forgotten.
 */
export class HeldIds {
  #providerIds = new Map<string, string>();
  /** In characters, of all ids. */
  #length = 0;

  add({ id, providerId }: ToolCallRename): void {
    this.#delete(id);
    if (providerId === undefined) return;
    this.#providerIds.set(id, providerId);
    this.#length += id.length + providerId.length;
    for (const [oldest] of this.#providerIds) {
      if (this.#length <= MAX_LENGTH) return;
      this.#delete(oldest);
    }
  }

  get(id: string): string | undefined {
    return this.#providerIds.get(id);
  }

  #delete(id: string): void {
    const providerId = this.#providerIds.get(id);
    if (providerId === undefined) return;
    this.#providerIds.delete(id);
    this.#length -= id.length + providerId.length;
  }
}
