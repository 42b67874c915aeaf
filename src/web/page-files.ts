import { ICON_PATH, PAGE_SCRIPT_PATH, STYLE_PATH } from "./layout.ts";
import { pageScript } from "./scripts/page-script.js";
import { type StaticFile, scriptFile } from "./static-files.ts";
import { ICON, STYLE } from "./style.ts";

/** The files that every page of the platform loads. */
export const pageFiles: readonly StaticFile[] = [
  scriptFile(PAGE_SCRIPT_PATH, pageScript),
  { path: STYLE_PATH, type: "text/css; charset=utf-8", content: STYLE, isPublic: false },
  { path: ICON_PATH, type: "image/svg+xml", content: ICON, isPublic: false },
];
