import type { SignatureScheme } from "./rules/signature.ts";

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
