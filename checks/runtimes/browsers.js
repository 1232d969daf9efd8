import { accessSync, constants, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where browsers are found that are not in the PATH. */
const MAC = "/Applications";
const LIBRARIES = "/usr/lib";

/** @typedef {"chromium" | "firefox" | "webkit"} Browser */

/**
 * Where an installed browser is, if there is one.
 *
 * @param {Browser} browser
 * @returns {string | undefined}
 */
export function findBrowser(browser) {
  return candidates(browser).find(isExecutable);
}

/**
 * Where an installed browser is.
 *
 * @param {Browser} browser
 * @returns {string}
 */
export function browserPath(browser) {
  const path = findBrowser(browser);
  if (path === undefined) throw new Error(`Cannot run ${browser}: it is not installed`);
  return path;
}

/** @param {Browser} browser */
function candidates(browser) {
  switch (browser) {
    case "chromium":
      return [
        ...inPath("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        join(MAC, "Google Chrome.app/Contents/MacOS/Google Chrome"),
        join(MAC, "Chromium.app/Contents/MacOS/Chromium"),
      ];
    case "firefox":
      return [...inPath("firefox-esr", "firefox"), join(MAC, "Firefox.app/Contents/MacOS/firefox")];
    case "webkit":
      // Without Xvfb it has no display to run on.
      return inPath("Xvfb").some(isExecutable) ? webKitGtk() : [];
    default:
      throw new Error(`Cannot find browser: "${browser}" is none`);
  }
}

/** Debian's folder has the machine's name in it: /usr/lib/x86_64-linux-gnu/webkit2gtk-4.1. */
function webKitGtk() {
  if (process.platform !== "linux") return [];
  return readdirSync(LIBRARIES)
    .filter((folder) => folder.endsWith("-linux-gnu"))
    .map((folder) => join(LIBRARIES, folder, "webkit2gtk-4.1/MiniBrowser"));
}

/** @param {string[]} names */
function inPath(...names) {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
