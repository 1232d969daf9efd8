// @ts-check

/**
 * What an example's last comment says that it prints, answers or shows. There, `…` is any text.
 *
 * @param {string} source
 * @returns {RegExp}
 */
export function expectedOutput(source) {
  const [, comment] = /^\/\/ (?:Prints|Answers|Shows).*:\n((?:\/\/ .*\n)+)$/m.exec(source) ?? [];
  if (comment === undefined) throw new Error("The example does not say what it prints");
  const text = comment.trimEnd().replaceAll(/^\/\/ /gm, "");
  const pattern = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll("…", ".+");
  return new RegExp(`^${pattern}$`);
}
