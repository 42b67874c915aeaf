import { createSecretKey } from "node:crypto";
import type { TwinCheck } from "../checking/check.ts";
import { otherThan } from "../checking/other-value.ts";
import { compactToken, type TokenHeader } from "../checking/request-parts.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { codeTwin } from "./codes.ts";

type Json = Readonly<Record<string, unknown>>;

const fix =
  "Before reading anything in a code, verify its signature with a secret of your own and the one algorithm that you sign with; or make codes random, and store them.";

/** The checks of codes that hold their data themselves: without a signature, anybody can make one. */
export const forgedCodeTwins: readonly TwinCheck[] = [
  codeTwin("alg-none", "with a code that is an unsigned JWT (alg none)", (code) =>
    resigned(code, (header) => ({ ...header, alg: "none" }), null),
  ),
  codeTwin("weak-secret", 'with a code that is a JWT signed with the word "secret"', (code) =>
    resigned(code, (header) => ({ ...header, alg: "HS256" }), "secret"),
  ),
  codeTwin("changed-inside", "with a code whose content was changed, but not its signature", changedInside),
].map((twin) => ({ ...twin, fix }));

/** A code that is a JWT (RFC 7519), with content that nobody issued and another signature; undefined: it is none. */
function resigned(
  code: string,
  change: (header: TokenHeader) => TokenHeader,
  secret: string | null,
): string | undefined {
  const [header, claims, signature] = code.split(".");
  const [readHeader, readClaims] = [jsonIn(header), jsonIn(claims)];
  if (signature === undefined || readHeader === null || readClaims === null) return undefined;
  const key = secret === null ? null : createSecretKey(secret, "utf8");
  return compactToken({ header: change(readHeader), claims: unissued(readClaims) as Json, key });
}

/** A code in which each part that is a JSON object has other random values; undefined: it has none. */
function changedInside(code: string): string | undefined {
  const parts = code.split(".").map((part) => {
    const json = jsonIn(part);
    return json === null ? part : Buffer.from(JSON.stringify(unissued(json))).toString("base64url");
  });
  const changed = parts.join(".");
  return changed === code.replaceAll("=", "") ? undefined : changed;
}

/** A JSON object in Base64, in either alphabet; null: the text is none. */
function jsonIn(text = ""): Json | null {
  try {
    const json: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}

/** Random values are long, and have digits: an app may look only for them, and they cannot be guessed. */
const isRandom = (text: string) => /^[\w.~+/=-]{12,}$/.test(text) && /\d/.test(text);

/** The same JSON value with other random values: an app that stores what it issued does not know them. */
function unissued(value: unknown): unknown {
  if (typeof value === "string") return isRandom(value) ? otherThan(value) : value;
  if (Array.isArray(value)) return value.map(unissued);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unissued(member)]));
}
