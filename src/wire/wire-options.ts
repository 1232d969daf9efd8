import {
  type ResolvedOptions,
  resolveOptions,
  type ToolCallStreamOptions,
  withDefaults,
} from "../options.ts";

/** A call of a response that has been given an id. */
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
   * Sees each call that is given an id, before its event is passed on, and sees it again when the
   * server later sends another id for it. Its errors are ignored.
   */
  readonly onRename?: ((rename: ToolCallRename) => void) | undefined;
}

/** The options with their defaults. */
export interface ResolvedWireOptions extends ResolvedOptions<unknown> {
  readonly onRename: (rename: ToolCallRename) => void;
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
    // Nobody sees the input of a call here, nor its diagnostics.
    parseArguments: () => undefined,
    onDiagnostic: () => {},
  };
}
