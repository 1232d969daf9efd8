/**
 * The output of a tool, as the content of its result. A list of nothing but parts passes as it is. An
 * empty one does not: it is an output like any other, and servers reject it as content.
 *
 * @param parts matches the parts that a result of the dialect may have, as `type field typeof`: the type,
 *   a field that it must have, and what stands there
 * @throws TypeError when the output has no JSON (a BigInt, a cycle)
 */
export function resultContent<Part>(output: unknown, parts: RegExp): string | Part[] {
  if (typeof output === "string") return output;
  // JSON has no more than `{}` for an error. One without a message still has a name.
  if (output instanceof Error) return output.message || String(output);
  const isPart = (value: unknown): value is Part => {
    const part: Readonly<Record<string, unknown>> = Object(value);
    return Object.entries(part).some(
      ([field, content]) =>
        typeof part["type"] === "string" &&
        content !== null &&
        parts.test(`${part["type"]} ${field} ${typeof content}`),
    );
  };
  if (Array.isArray(output) && output.length > 0 && output.every(isPart)) return output;
  try {
    // JSON.stringify gives undefined for undefined, functions and symbols: JSON has no word for them.
    return (JSON.stringify(output) as string | undefined) ?? "";
  } catch (cause) {
    throw new TypeError("Cannot answer call: its output cannot be written as JSON", { cause });
  }
}
