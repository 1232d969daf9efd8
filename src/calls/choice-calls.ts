import type { CallDelta } from "../dialects/delta.ts";
import { canonicalJson } from "../json/json-value.ts";
import type { Call } from "./call.ts";
import { Correlation } from "./correlation.ts";

/** The calls of one choice. */
export class ChoiceCalls {
  readonly correlation: Correlation<Call> = new Correlation<Call>();
  /** How many there are. */
  count = 0;
  /** Whether a delta came: then a whole message behind it may repeat what it said. */
  hasDeltas = false;

  /** The first call that came out with an id, name and type, and all of them by their arguments. */
  #settled = new Map<string, Call>();
  #values = new Map<string, Call>();
  /** Of what {@link repeated} looks for: the calls whose arguments are final, by what they say. */
  #fixed = new Map<string, Call>();
  /** The calls that it has not found there yet. */
  #unfixed = new Set<Call>();

  add(call: Call): void {
    this.count += 1;
    this.#unfixed.add(call);
  }

  /** The call that a call in a whole message is, where its own deltas have brought it. */
  repeated({ name, isCustom, isFromMessage, fragment }: CallDelta): Call | undefined {
    if (!isFromMessage || !this.hasDeltas) return undefined;
    const value = isCustom ? fragment : canonicalJson(fragment);
    for (const call of this.#unfixed) {
      if (call.isFixed) {
        const key = JSON.stringify([call.name, call.value]);
        if (!this.#fixed.has(key)) this.#fixed.set(key, call);
        this.#unfixed.delete(call);
      } else if (call.name === name) {
        const isSame = call.isHeld ? call.value === value : call.arguments === fragment;
        if (isSame) return call;
      }
    }
    return this.#fixed.get(JSON.stringify([name, value]));
  }

  /** The call of which this one, coming out now, is a copy: servers have sent one at several indices. */
  original(call: Call): Call | undefined {
    const { providerId, name, isCustom } = call;
    if (providerId === undefined) return undefined;
    const key = JSON.stringify([providerId, name, isCustom]);
    const first = this.#settled.get(key);
    if (first === undefined) {
      this.#settled.set(key, call);
      return undefined;
    }
    // Only now that two calls share all else are their arguments compared.
    this.#values.set(key + first.value, first);
    const original = this.#values.get(key + call.value);
    this.#values.set(key + call.value, original ?? call);
    return original;
  }
}
