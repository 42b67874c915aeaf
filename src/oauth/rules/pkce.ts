import { createHash } from "node:crypto";
import { isSameSecret } from "../../protocol/same-secret.ts";

/** How a challenge is derived from its verifier (RFC 7636 section 4.2). */
type ChallengeMethod = "S256" | "plain";

/** The code challenge of an authorization request, which the verifier of the exchange must match. */
export interface Challenge {
  readonly value: string;
  readonly method: ChallengeMethod;
}

/**
 * What is wrong with the syntax of a verifier or a challenge, to follow its name; null: nothing. Their grammar is 43 to
 * 128 unreserved characters (RFC 7636 sections 4.1 and 4.2).
 */
export function malformation(text: string): string | null {
  const others = [...new Set(text.replaceAll(/[A-Za-z0-9._~-]/g, ""))];
  const allowed = "43 to 128 of the characters A-Z a-z 0-9 - . _ ~";
  if (others.length > 0 && others.every((character) => "+/=".includes(character))) {
    return `has ${others.join(" ")}, like base64: it must be base64url without padding, ${allowed}`;
  }
  const isLongEnough = text.length >= 43 && text.length <= 128;
  if (others.length === 0 && isLongEnough) return null;
  return isLongEnough ? `must be ${allowed}` : `has a length of ${text.length}: it must be ${allowed}`;
}

/** Whether the verifier matches the challenge (RFC 7636 section 4.6). */
export function isVerifierOf(verifier: string, { value, method }: Challenge): boolean {
  const derived = method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
  return isSameSecret(derived, value);
}
