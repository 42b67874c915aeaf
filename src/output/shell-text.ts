import { isUtf8 } from "node:buffer";
import { harmlessLine } from "../protocol/harmless.ts";
import { shellQuoted } from "./shell-word.ts";

/** A command that writes these bytes: as text where a terminal shows each character, else as base64. */
export function printCommand(bytes: Buffer): string {
  const text = bytes.toString();
  if (isUtf8(bytes) && harmlessLine(text) === text) return `printf %s ${shellQuoted(text)}`;
  // OpenSSL wants lines of base64 with an end each.
  const lines = bytes.toString("base64").match(/.{1,76}/g) ?? [];
  return `printf '%s\\n' '${lines.join("\n")}' | openssl base64 -d`;
}
