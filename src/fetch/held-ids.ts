import type { ToolCallRename } from "../wire/wire-options.ts";

/** Far more ids than are open in all conversations at once. */
const MAX_IDS = 16_384;

/** No server takes longer ids: they must not fill the memory. */
const MAX_LENGTH = 1024;

/**
 * The server's ids of calls, for conversations whose history the server holds: there a client sends
 * only results. The oldest ids are forgotten.
 */
export class HeldIds {
  #providerIds = new Map<string, string>();

  add({ id, providerId }: ToolCallRename): void {
    if (providerId === undefined || providerId.length > MAX_LENGTH) return;
    this.#providerIds.set(id, providerId);
    const [oldest] = this.#providerIds.keys();
    if (this.#providerIds.size > MAX_IDS && oldest !== undefined) this.#providerIds.delete(oldest);
  }

  get(id: string): string | undefined {
    return this.#providerIds.get(id);
  }
}
