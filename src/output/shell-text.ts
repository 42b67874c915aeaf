import { isUtf8 } from "node:buffer";
import { harmlessLine } from "../protocol/harmless.ts";
import { shellQuoted } from "./shell-word.ts";

/** A shell command that prints these bytes: as text if a terminal can show every character, otherwise from base64. */
export function printCommand(bytes: Buffer): string {
  const text = bytes.toString();
  if (isUtf8(bytes) && harmlessLine(text) === text) return `printf %s ${shellQuoted(text)}`;
  // OpenSSL needs base64 in lines, each with a line feed.
  const lines = bytes.toString("base64").match(/.{1,76}/g) ?? [];
  return `printf '%s\\n' '${lines.join("\n")}' | openssl base64 -d`;
}
