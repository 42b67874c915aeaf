import { html } from "./pages.ts";
import type { StringRecord } from "./post-import-string.ts";

/** A page of more strings is nothing that one looks at. */
export const PREVIEW_STRINGS = 500;

/**
 * An HTML page that lists the strings, in base64 (interface 2.4); null where there is none: of too many strings, and of
 * plural strings, for which the interface has no preview.
 */
export function previewOf(strings: readonly StringRecord[]): string | null {
  if (strings.length > PREVIEW_STRINGS) return null;
  const rows = [];
  for (const { identifier, text } of strings) {
    if (typeof text !== "string") return null;
    rows.push(html`<tr><th>${identifier}</th><td dir="auto">${text}</td></tr>\n`);
  }
  // It is shown in the platform's editor, so it loads nothing and holds its style itself.
  const { source } = html`<!doctype html>
    <meta charset="utf-8">
    <title>Strings</title>
    <style>
    body { font: 1rem/1.5 system-ui, sans-serif; }
    th, td { padding: 0.25rem 1rem; text-align: start; vertical-align: top; white-space: pre-wrap; }
    </style>
    <table>
    ${rows}</table>
`;
  return Buffer.from(source).toString("base64");
}
