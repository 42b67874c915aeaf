import { isUtf8 } from "node:buffer";
import { harmlessLine } from "../protocol/harmless.ts";
import type { SignatureScheme } from "../webhook/rules/signature.ts";

/** Single quotes keep every character of a POSIX shell but the single quote itself. */
export function shellQuoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** A command that writes these bytes: as text where a terminal shows each character, else as base64. */
export function printCommand(bytes: Buffer): string {
  const text = bytes.toString();
  if (isUtf8(bytes) && harmlessLine(text) === text) return `printf %s ${shellQuoted(text)}`;
  // OpenSSL wants lines of base64 with an end each.
  const lines = bytes.toString("base64").match(/.{1,76}/g) ?? [];
  return `printf '%s\\n' '${lines.join("\n")}' | openssl base64 -d`;
}

/** A command that reads what is signed and writes the signature, without a prefix; the key is in a shell variable. */
export function signCommand(encoding: SignatureScheme["encoding"], variable: string): string {
  const digest = `openssl dgst -sha256 -hmac "$${variable}"`;
  switch (encoding) {
    case "hex":
      return `${digest} -r | cut -d ' ' -f 1`;
    case "base64":
      return `${digest} -binary | openssl base64 -A`;
    case "base64url":
      return `${digest} -binary | openssl base64 -A | tr '+/' '-_' | tr -d '='`;
  }
}
