/** What is told of an error. Its message may quote a header; a code does not. */
export function codeOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name;
}

/** An error that is told by this code. */
export function errorOf(code: string): Error {
  return Object.assign(new Error(code), { code });
}
