import { inBrowser } from "./browser.ts";
import { browserPath } from "./browsers.js";
import { miniBrowser } from "./mini-browser.ts";

export default inBrowser("webkit", miniBrowser(browserPath("webkit")));
