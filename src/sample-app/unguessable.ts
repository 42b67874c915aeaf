import { randomBytes } from "node:crypto";

/** A text that nobody can guess: 256 bits, in 43 characters that an address and a cookie may hold. */
export function unguessable(): string {
  return randomBytes(32).toString("base64url");
}
