import type { ProviderError } from "../errors.ts";
import { isObject, type JsonObject, presentString } from "../json/object.ts";

/**
 * The error in a payload's `error` field, if it is one: `null`, `""`, `false` and empty lists are
 * none. Some gateways send `error: true` and put the rest into the fields beside it.
 */
export function readProviderError(payload: JsonObject): ProviderError | undefined {
  const error = Array.isArray(payload["error"]) ? payload["error"][0] : payload["error"];
  if (isObject(error)) return toProviderError(error);
  if (typeof error === "string" && error !== "") {
    return { ...toProviderError(payload), message: error, raw: error };
  }
  return error === true || (typeof error === "number" && error !== 0)
    ? toProviderError(payload)
    : undefined;
}

/** An object that is an error itself: the payload of an `error` event, or a whole body. */
export function toProviderError(raw: JsonObject): ProviderError {
  const { code, type, message, param } = raw;
  return {
    code: typeof code === "number" ? code : presentString(code),
    type: presentString(type),
    message: presentString(message),
    param: presentString(param),
    raw,
  };
}
