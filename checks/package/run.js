// @ts-check
// Whether tools, compilers and bundlers find nothing wrong with the package (`npm run check:package`),
// and whether its examples run in the places they are for (`npm run check:examples`).

import { fileURLToPath } from "node:url";
import { installPackages } from "../install.js";

if (!installPackages(fileURLToPath(new URL(".", import.meta.url)))) {
  throw new Error("npm ci has failed");
}
// These import what has just been installed.
await import(process.argv[2] === "examples" ? "./examples.js" : "./checks.js");
