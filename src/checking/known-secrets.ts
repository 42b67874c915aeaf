import { createHmac, hash } from "node:crypto";
import { jsonInBase64 } from "../protocol/json-object.ts";
import { digestBytes } from "./derived-values.ts";
import { isKeyLike, isTimeNumber } from "./other-value.ts";

/** What programs make of a secret that is missing, and what examples of JWT libraries and sites have in its place. */
export const USUAL_SECRETS: readonly string[] = [
  "",
  "undefined",
  "null",
  "None",
  "changeme",
  "password",
  "test",
  "your-256-bit-secret",
  "your-secret-key",
  "shhhhh",
];

/** These, and further words of examples and tutorials: without a request for each, many more can be tried. */
const PLACEHOLDERS: readonly string[] = [
  ...USUAL_SECRETS,
  "secret",
  "change-me",
  "change me",
  "dev",
  "development",
  "default",
  "key",
  "my-secret",
  "mysecret",
  "my-secret-key",
  "secret-key",
  "secret_key",
  "secretkey",
  "supersecret",
  "super-secret",
  "super secret",
  "session-secret",
  "cookie-secret",
  "keyboard cat",
  "your_secret_key",
  "s3cr3t",
  "123456",
];

/** The salts of itsdangerous: that of sessions of Flask, and its own. */
const SALTS = ["cookie-session", "itsdangerous", "itsdangerous.Signer"];

/** What may stand before a signature. */
const SEPARATORS = ["--", ".", "|", ":", "~"];

type Algorithm = keyof typeof digestBytes;

/** Computes a signature of a text. */
type Sign = (text: string) => Buffer;

/** A text that ends in a signature which anybody can make. */
export interface OpenlySigned {
  /** What is signed. */
  readonly content: string;
  /** The secret that signs it. */
  readonly secret: string;
  /** Signs other content in the same way. */
  readonly withContent: (content: string) => string;
}

/**
 * Finds out whether a text ends in a signature that is made with a secret known to everybody.
 * @param facts words that everybody knows of this app, such as its client id
 */
export function openlySigned(text: string, facts: readonly string[] = []): OpenlySigned | null {
  const secrets = new Set([...PLACEHOLDERS, ...facts]);
  for (const separator of SEPARATORS) {
    const at = text.lastIndexOf(separator);
    if (at <= 0) continue;
    const [content, signature] = [text.slice(0, at), text.slice(at + separator.length)];
    const written = writtenDigest(signature, content);
    if (written === null) continue;
    for (const secret of secrets) {
      for (const sign of waysToSign(written.algorithm, secret)) {
        const signedPart = signedParts.find((part) => written.encode(sign(part(content))) === signature);
        if (signedPart === undefined) continue;
        const withContent = (other: string) => other + separator + written.encode(sign(signedPart(other)));
        return { content, secret, withContent };
      }
    }
  }
  return null;
}

/**
 * The secret, known to everybody, with which a text is signed that holds data; null: its secret is another one, or all
 * that it holds is a key, which nobody can guess.
 * @param facts words that everybody knows of this app, such as its client id
 */
export function openSecretOf(text: string, facts: readonly string[]): string | null {
  const signed = openlySigned(text, facts);
  return signed !== null && holdsData(signed.content) ? signed.secret : null;
}

function holdsData(content: string): boolean {
  const parts = content.split(/[.:|]/);
  const values = parts.flatMap((part) => Object.values(jsonInBase64(part) ?? {}));
  if (values.length > 0) return values.some((value) => !isKey(value));
  // A session of Flask that begins with a dot is compressed, because it holds much.
  return content.startsWith(".") || !parts.some(isKeyLike);
}

function isKey(value: unknown): boolean {
  return typeof value === "string" ? isKeyLike(value) : typeof value === "boolean" || isTimeNumber(String(value));
}

/** What of the content is signed: all of it, or what follows a short prefix, such as the s: of Express. */
const signedParts: readonly ((content: string) => string)[] = [
  (content) => content,
  (content) => content.replace(/^\w{1,3}[.:]/, ""),
];

/** How a signature is written, and which hash is as long; null: it is none. */
function writtenDigest(signature: string, content: string) {
  for (const [algorithm, size] of Object.entries(digestBytes) as [Algorithm, number][]) {
    if (/^[\da-f]+$/i.test(signature) && signature.length === size * 2) {
      const isUpper = signature !== signature.toLowerCase();
      const encode = (digest: Buffer) => (isUpper ? digest.toString("hex").toUpperCase() : digest.toString("hex"));
      return { algorithm, encode };
    }
    const bare = signature.replace(/=+$/, "");
    if (!/^[\w+/-]+$/.test(bare) || bare.length !== Math.ceil((size * 4) / 3)) continue;
    // Without a character in which the alphabets differ, Express is told by its prefix.
    const isUrl = !/[+/]/.test(bare) && !content.startsWith("s:");
    const encode = (digest: Buffer) => {
      const base64 = digest.toString(isUrl ? "base64url" : "base64").replace(/=+$/, "");
      return base64 + signature.slice(bare.length);
    };
    return { algorithm, encode };
  }
  return null;
}

/** The usual ways to sign with a secret: HMAC, with the secret or a key made from it, and a hash of both together. */
function waysToSign(algorithm: Algorithm, secret: string): Sign[] {
  const keys = algorithm === "sha1" ? [secret, ...keysOfFlask(secret)] : [secret];
  const byKey = keys.map(
    (key): Sign =>
      (text) =>
        createHmac(algorithm, key).update(text).digest(),
  );
  return [
    ...byKey,
    (text) => hash(algorithm, text + secret, "buffer"),
    (text) => hash(algorithm, secret + text, "buffer"),
  ];
}

/** The keys that itsdangerous makes from a secret, in both of its ways. */
function keysOfFlask(secret: string): Buffer[] {
  return SALTS.flatMap((salt) => [
    createHmac("sha1", secret).update(salt).digest(),
    hash("sha1", `${salt}signer${secret}`, "buffer"),
  ]);
}
