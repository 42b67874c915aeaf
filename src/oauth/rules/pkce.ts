import { createHash } from "node:crypto";
import { isSameSecret } from "../../protocol/same-secret.ts";

/** How a challenge is derived from its verifier (RFC 7636 section 4.2). */
type ChallengeMethod = "S256" | "plain";

/** The code challenge of an authorization request, which the verifier of the exchange must match. */
export interface Challenge {
  readonly value: string;
  readonly method: ChallengeMethod;
}

/** Grammar of verifiers and challenges (RFC 7636 sections 4.1 and 4.2): 43 to 128 unreserved characters. */
export function isWellFormed(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text);
}

/** Whether the verifier matches the challenge (RFC 7636 section 4.6). */
export function isVerifierOf(verifier: string, { value, method }: Challenge): boolean {
  const derived = method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
  return isSameSecret(derived, value);
}
