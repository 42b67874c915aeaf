import { createSecretKey } from "node:crypto";
import type { TwinCheck } from "../checking/check.ts";
import { isKeyLike, otherThan } from "../checking/other-value.ts";
import { compactToken } from "../checking/request-parts.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { codeTwin } from "./codes.ts";

type Json = Readonly<Record<string, unknown>>;

const fix =
  "Verify the signature of a code before you read anything in it, with a secret of your own and the one algorithm that you sign with; or make codes random, and store them.";

/** The checks of codes that hold their own data: if nothing verifies their signature, anybody can make one. */
export const forgedCodeTwins: readonly TwinCheck[] = [
  codeTwin("alg-none", "with a code that is an unsigned JWT (alg none)", (code) => resigned(code, "none", null)),
  codeTwin("weak-secret", 'with a code that is a JWT signed with the word "secret"', (code) =>
    resigned(code, "HS256", "secret"),
  ),
  codeTwin("changed-inside", "with a code whose content was changed, but not its signature", changedInside),
].map((twin) => ({ ...twin, fix }));

/** A code that is a JWT (RFC 7519), with content that nobody issued and another signature; undefined: it is none. */
function resigned(code: string, alg: string, secret: string | null): string | undefined {
  const [header, claims, signature] = code.split(".");
  const [readHeader, readClaims] = [jsonIn(header), jsonIn(claims)];
  if (signature === undefined || readHeader === null || readClaims === null) return undefined;
  const key = secret === null ? null : createSecretKey(secret, "utf8");
  return compactToken({ header: { ...readHeader, alg }, claims: unissuedIn(readClaims), key });
}

/** A code in which each part that is a JSON object has other random values; undefined: it has none. */
function changedInside(code: string): string | undefined {
  const parts = code.split(".");
  const changed = parts.map((part) => {
    const json = jsonIn(part);
    const [was, is] = [json, json && unissuedIn(json)].map((each) => JSON.stringify(each));
    // Another spelling of the same content would prove nothing.
    return is === undefined || is === was ? part : Buffer.from(is).toString("base64url");
  });
  return changed.every((part, index) => part === parts[index]) ? undefined : changed.join(".");
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

/** The same JSON object with other random values: an app that stores what it issued does not know them. */
function unissuedIn(json: Json): Json {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, unissued(value)]));
}

function unissued(value: unknown): unknown {
  if (typeof value === "string") return isKeyLike(value) ? otherThan(value) : value;
  if (Array.isArray(value)) return value.map(unissued);
  return isJsonObject(value) ? unissuedIn(value) : value;
}
