import { type Html, html } from "../web/html.ts";
import { type StaticFile, scriptFile } from "../web/static-files.ts";
import { frameScript } from "./scripts/frame-script.js";
import { hostScript } from "./scripts/host-script.js";
import { loginScript } from "./scripts/login-script.js";

const LOGIN_SCRIPT_PATH = "/login.js";
export const FRAME_SCRIPT_PATH = "/frame.js";

/** Loads the script of the login's pages. */
export const loginScriptTag: Html = html`<script src="${LOGIN_SCRIPT_PATH}" defer></script>`;

/** The scripts of the login's pages, and the one for the app's pages under both of its names (interface 4.2). */
export const guardFiles: readonly StaticFile[] = [
  scriptFile("/host.js", hostScript, true),
  scriptFile("/iframe.js", hostScript, true),
  scriptFile(LOGIN_SCRIPT_PATH, loginScript),
  scriptFile(FRAME_SCRIPT_PATH, frameScript),
];
