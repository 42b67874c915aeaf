import { claimsOf } from "../journal/credentials.ts";
import { withMoreBytes } from "./other-value.ts";
import { forgery, respelled, type TokenTwin, verify, withProof } from "./token-twin.ts";

/** Tokens whose signature is not theirs, or not only theirs. */
export const tokenSignatureTwins: readonly TokenTwin[] = [
  {
    name: "signature-empty",
    what: "a token whose signature is empty",
    section: "RFC 7515, 5.2",
    severity: "must",
    changes: "token.proof",
    why: forgery,
    fix: verify,
    twin: withProof(() => ({ key: null })),
  },
  {
    name: "signature-changed",
    what: "a token with one letter of its signature in the other case",
    section: "RFC 7515, 5.2",
    severity: "must",
    changes: "token.spelling",
    why: forgery,
    fix: verify,
    // Only the case differs: some code compares signatures regardless of case.
    twin: respelled(withOtherCase),
  },
  {
    name: "signature-end",
    what: "a token whose signature has another last byte",
    section: "RFC 7515, 5.2",
    severity: "must",
    changes: "token.spelling",
    why: "A comparison of only the beginning leaves few bytes to guess. With such a token a stranger can log in as anybody.",
    fix: "Compare the whole signature: JWT libraries do.",
    twin: respelled((compact) => withSignature(compact, withOtherEnd)),
  },
  {
    name: "signature-cut",
    what: "a token whose signature is truncated",
    section: "RFC 7515, 5.2",
    severity: "must",
    changes: "token.spelling",
    why: "A comparison that stops at the end of the shorter text can be passed by guessing few bytes. With such a token a stranger can log in as anybody.",
    fix: "Compare the whole signature: JWT libraries do.",
    twin: respelled((compact) => withSignature(compact, (bytes) => bytes.subarray(0, bytes.length / 2))),
  },
  {
    name: "signature-longer",
    what: "a token with more bytes after its signature",
    section: "RFC 7515, 5.2",
    severity: "should",
    changes: "token.spelling",
    why: "These bytes are not a signature of this token. An app that ignores what follows the signature accepts many spellings of one token, and lists of used or revoked tokens can be evaded.",
    fix: "Compare the whole signature: JWT libraries do.",
    twin: respelled((compact) => withSignature(compact, withMoreBytes)),
  },
  {
    name: "payload-changed",
    what: "a token whose claims were changed after it was signed",
    section: "RFC 7515, 5.2",
    severity: "must",
    changes: "token.spelling",
    why: "The signature must cover what the app reads. Otherwise a user with one token can make others from it.",
    fix: verify,
    twin: respelled(withOtherPayload),
  },
];

function withSignature(compact: string, change: (signature: Buffer) => Buffer): string {
  const [header = "", payload = "", signature = ""] = compact.split(".");
  return [header, payload, change(Buffer.from(signature, "base64url")).toString("base64url")].join(".");
}

/** The token with the first letter of its signature in the other case, which is another byte. */
function withOtherCase(compact: string): string {
  const end = compact.lastIndexOf(".") + 1;
  const otherCase = (letter: string) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase());
  return compact.slice(0, end) + compact.slice(end).replace(/[a-z]/i, otherCase);
}

function withOtherEnd(signature: Buffer): Buffer {
  const changed = Buffer.from(signature);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 0x80;
  return changed;
}

/** The token with another claim, under the signature of the first. */
export function withOtherPayload(compact: string): string {
  const [header = "", , signature = ""] = compact.split(".");
  const changed = { ...claimsOf(compact), name: "somebody else" };
  return [header, Buffer.from(JSON.stringify(changed)).toString("base64url"), signature].join(".");
}
