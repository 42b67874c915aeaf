import type { SignatureScheme } from "../rules/signature.ts";

/** Code of an app that verifies a delivery, with nothing but the language's standard library. */
export type Verifier = (scheme: SignatureScheme) => string;

/** Most seconds between the signing and the verification, either way, where the time is signed too. */
export const TOLERANCE_SECONDS = 300;

/** What the parameters of `verify` are, in words for a comment. */
export function parametersText({ header, timestampHeader }: SignatureScheme): string {
  const timestamp = timestampHeader === null ? "" : `, timestamp: that of ${timestampHeader}`;
  return `signature: the value of the header ${header}${timestamp}, secret: the app secret`;
}

/** A literal in double quotes, as JavaScript, Python, Go, Java and C# read it; the text is visible ASCII. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text);
}

/** A literal in single quotes, in which PHP and Ruby expand nothing. */
export function singleQuoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
