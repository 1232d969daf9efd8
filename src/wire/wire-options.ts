import { mintShortId } from "../ids.ts";
import {
  describe,
  type ResolvedOptions,
  resolveOptions,
  type ToolCallStreamOptions,
  withDefaults,
} from "../options.ts";

/** A call of which the id was changed or added. */
export interface ToolCallRename {
  readonly id: string;
  /** The server's id for it: the latest that came, `undefined` while none has. */
  readonly providerId: string | undefined;
}

/** How ids are made unique on the wire. The limits are those of the reading streams. */
export interface UniqueToolCallIdOptions extends Pick<
  ToolCallStreamOptions,
  "generateId" | "maxEventLength" | "maxArgumentsLength" | "maxToolCalls"
> {
  /**
   * Sees each call whose id is changed or added, before its event is passed on, and sees it again when
   * the server later sends another id for it. Its errors are ignored.
   */
  readonly onRename?: ((rename: ToolCallRename) => void) | undefined;
  /**
   * The ids in the history that the response continues: no call in it gets one of them.
   *
   * @default none: whether an id stays goes by its form and by the other ids of the response
   */
  readonly usedIds?: Iterable<string> | undefined;
}

/** The options with their defaults. */
export interface ResolvedWireOptions extends ResolvedOptions<unknown> {
  readonly onRename: (rename: ToolCallRename) => void;
  readonly usedIds: Iterable<string>;
  /** Instead of `generateId`, in the place of ids of nine characters. */
  readonly generateShortId: () => string;
}

/**
 * Checks the options and fills in their defaults.
 *
 * @throws TypeError or RangeError when an option is of the wrong type or out of range
 */
export function resolveWireOptions(options: UniqueToolCallIdOptions): ResolvedWireOptions {
  return {
    ...resolveOptions(options),
    ...withDefaults(options, { onRename: () => {} }),
    usedIds: usedIds(options),
    generateShortId: options.generateId ?? mintShortId,
    // Nobody sees the input of a call here, nor its diagnostics.
    parseArguments: () => undefined,
    onDiagnostic: () => {},
  };
}

function usedIds({ usedIds: ids = [] }: UniqueToolCallIdOptions): Iterable<string> {
  if (typeof ids === "object" && Symbol.iterator in ids) return ids;
  throw new TypeError(`Cannot use option usedIds: expected a list of ids, got ${describe(ids)}`);
}
