import type { FormEntry } from "./html-form.ts";

const escapes: Readonly<Record<string, string>> = { '"': "%22", "\r": "%0D", "\n": "%0A" };
const escapedCharacters = Object.entries(escapes);

/** The text with the line endings that forms send. */
export function withNetworkLines(text: string): string {
  return text.replaceAll(/\r\n?|\n/g, "\r\n");
}

/**
 * What a form sends as `multipart/form-data` (RFC 7578), with names escaped as browsers do.
 * @param boundary between the parts: no value may contain it
 */
export function writeMultipart(entries: readonly FormEntry[], boundary: string): string {
  const parts = entries.map(({ name, value, isFile = false }) => {
    const quoted = withNetworkLines(name).replaceAll(/["\r\n]/g, (character) => escapes[character] ?? "");
    const file = isFile ? '; filename=""\r\nContent-Type: application/octet-stream' : "";
    return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted}"${file}\r\n\r\n${withNetworkLines(value)}\r\n`;
  });
  return `${parts.join("")}--${boundary}--\r\n`;
}

/** The boundary that a Content-Type names; null: it is not that of a multipart form. */
export function boundaryIn(contentType: string): string | null {
  return /^multipart\/form-data;\s*boundary=([^\s;"]+)/i.exec(contentType)?.[1] ?? null;
}

/** What {@link writeMultipart} wrote. */
export function readMultipart(text: string, boundary: string): FormEntry[] {
  const parts = text.split(`--${boundary}\r\n`).slice(1);
  return parts.flatMap((part) => {
    const at = part.indexOf("\r\n\r\n");
    const head = part.slice(0, at);
    const quoted = /; name="([^"]*)"/.exec(head)?.[1];
    if (at < 0 || quoted === undefined) return [];
    const name = escapedCharacters.reduce((read, [character, code]) => read.replaceAll(code, character), quoted);
    const value = part.slice(at + 4).replace(/\r\n(?:--[^\r\n]*--\r\n)?$/, "");
    return [{ name, value, ...(head.includes("; filename=") ? { isFile: true } : {}) }];
  });
}
