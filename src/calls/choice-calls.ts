import type { CallDelta } from "../dialects/delta.ts";
import { canonicalJson } from "../json/json-value.ts";
import type { Call } from "./call.ts";
import { Correlation } from "./correlation.ts";

/** The calls of one choice. */
export class ChoiceCalls {
  readonly correlation: Correlation<Call> = new Correlation<Call>();
  /** How many there are. */
  count = 0;
  /** Whether a delta came: a whole message behind it may repeat it. */
  hasDeltas = false;

  /** By id, name and type: the first call that came out; and, with its arguments as well, each. */
  #settled = new Map<string, Call>();
  #values = new Map<string, Call>();
  /** For {@link repeated}: the calls with final arguments, by name and arguments. */
  #fixed = new Map<string, Call>();
  /** The calls that {@link repeated} has not seen with final arguments yet. */
  #unfixed = new Set<Call>();

  add(call: Call): void {
    this.count += 1;
    this.#unfixed.add(call);
  }

  /** The call that a whole message repeats, if deltas have brought it before. */
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

  /** The call that this one, coming out now, copies: servers have sent one call at several indices. */
  original(call: Call): Call | undefined {
    const { providerId, name, isCustom } = call;
    if (providerId === undefined) return undefined;
    const key = JSON.stringify([providerId, name, isCustom]);
    const first = this.#settled.get(key);
    if (first === undefined) {
      this.#settled.set(key, call);
      return undefined;
    }
    // Arguments are compared only when two calls share all else.
    this.#values.set(key + first.value, first);
    const original = this.#values.get(key + call.value);
    this.#values.set(key + call.value, original ?? call);
    return original;
  }
}
