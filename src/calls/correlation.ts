/** What a delta says about which call it is for; absent is `undefined`. */
export interface CallIdentity {
  readonly index: string | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** Whether another call stands before it in the same list: it does not continue that call. */
  readonly isFurther?: boolean;
}

/** What correlation asks of a call. */
export interface CorrelatedCall {
  readonly providerId: string | undefined;
  readonly name: string;
  /** Whether its argument text is whole (a held `{}` counts). */
  readonly hasWholeText: boolean;
  readonly hasText: boolean;
  readonly isDamaged: boolean;
  /** Whether its input is free text: nothing tells when that is whole. */
  readonly isCustom: boolean;
}

/**
 * Which call of one choice a delta belongs to.
 *
 * The index decides, if there is one. Ids and names only show that another call starts at the same
 * index. An id alone proves nothing (some servers change it on every fragment), nor does a name
 * (some repeat it on every fragment).
 */
export class Correlation<Call extends CorrelatedCall> {
  /** The latest call of each index. */
  #byIndex = new Map<string, Call>();
  /** The calls that an index has named. */
  #indexed = new Set<Call>();
  /** By id: the latest call that it came with. */
  #byId = new Map<string, Call>();
  /** The calls that were open at the last look, each with the number of its last delta. */
  #open = new Map<Call, number>();
  #deltaCount = 0;
  /** The call of the latest delta. */
  #latest: Call | undefined;

  /** The call that the delta continues, unless it starts a new one. */
  find(delta: CallIdentity): Call | "new" {
    if (delta.index !== undefined) {
      const call = this.#byIndex.get(delta.index) ?? this.#findUnindexed(delta);
      return call === undefined || this.#startsNewCall(delta, call) ? "new" : call;
    }
    const known = delta.id === undefined ? undefined : this.#byId.get(delta.id);
    if (known !== undefined) {
      const isOther = delta.name !== undefined && known.name !== "" && delta.name !== known.name;
      return known.hasWholeText && isOther ? "new" : known;
    }
    const open = this.#latestOpen();
    if (open === undefined) return (delta.name === undefined && this.#latest) || "new";
    // Two whole calls in one delta, without index and ids (Gemini): the name is all there is.
    const hasOwnName = delta.name !== undefined && open.name !== "";
    if (hasOwnName && (open.hasText || delta.isFurther)) return "new";
    return this.#startsNewCall(delta, open) ? "new" : open;
  }

  /** A call that was opened without an index may be continued with one. */
  #findUnindexed(delta: CallIdentity): Call | undefined {
    const open = delta.name === undefined ? this.#latestOpen() : undefined;
    return open === undefined || this.#indexed.has(open) ? undefined : open;
  }

  /** Whether the id has come before. */
  knows(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Remembers that the delta belongs to the call, whether found or new. */
  assign(delta: CallIdentity, call: Call): void {
    if (delta.index !== undefined && this.#byIndex.get(delta.index) !== call) {
      this.#byIndex.set(delta.index, call);
      this.#indexed.add(call);
    }
    if (delta.id !== undefined) this.#byId.set(delta.id, call);
    if (call === this.#latest) return;
    this.#latest = call;
    this.#deltaCount += 1;
    this.#open.set(call, this.#deltaCount);
  }

  #latestOpen(): Call | undefined {
    const latest = this.#latest;
    if (latest !== undefined && isOpen(latest)) return latest;
    let open: Call | undefined;
    let latestDelta = 0;
    for (const [call, delta] of this.#open) {
      if (!isOpen(call)) this.#open.delete(call);
      // A call whose arguments have begun waits for more. A call without any may never get some: a
      // delta behind a complete call more likely repeats that one.
      else if (call.hasText && !call.isCustom && delta > latestDelta) {
        open = call;
        latestDelta = delta;
      }
    }
    return open;
  }

  /** Whether a delta at the place of `call` cannot belong to it. */
  #startsNewCall(delta: CallIdentity, call: Call): boolean {
    if (delta.name === undefined || call.name === "") return false;
    const hasOtherId = this.#isOtherId(delta.id, call);
    if (call.hasWholeText) return hasOtherId || delta.name !== call.name;
    return hasOtherId && (!call.hasText || call.isDamaged || call.isCustom);
  }

  /** A missing id is never another id. */
  #isOtherId(id: string | undefined, call: Call): boolean {
    if (id === undefined || call.providerId === undefined) return false;
    return id !== call.providerId && this.#byId.get(id) !== call;
  }
}

/** A name may come behind the arguments. */
function isOpen(call: CorrelatedCall): boolean {
  return !call.hasWholeText || call.name === "";
}
