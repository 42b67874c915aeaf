import { createSecretKey } from "node:crypto";
import type { TwinCheck } from "../checking/check.ts";
import { encodedIn } from "../checking/derived-values.ts";
import { openlySigned } from "../checking/known-secrets.ts";
import { isKeyLike, isTimeNumber, otherThan } from "../checking/other-value.ts";
import { compactToken, type RequestParts } from "../checking/request-parts.ts";
import { isJsonObject, jsonInBase64 } from "../protocol/json-object.ts";
import { codeTwin } from "./codes.ts";

type Json = Readonly<Record<string, unknown>>;

const fix =
  "Verify the signature of a code before you read anything in it, with a secret of your own and the one algorithm that you sign with; or make codes random, and store them.";

/** The checks of codes that hold their own data: if their signature is not verified, or its secret is known, anybody can make them. */
export const forgedCodeTwins: readonly TwinCheck[] = [
  codeTwin("alg-none", "with a code that is an unsigned JWT (alg none)", (code) => resigned(code, "none", null)),
  codeTwin(
    "weak-secret",
    "with a forged code that is signed with a secret that everybody knows",
    (code, request) => openlyResigned(code, factsIn(request)) ?? resigned(code, "HS256", "secret"),
  ),
  codeTwin("changed-inside", "with a code whose content was changed, but not its signature", changedInside),
].map((twin) => ({ ...twin, fix }));

/** A code that is a JWT (RFC 7519), with content that nobody issued and another signature; undefined: it is none. */
function resigned(code: string, alg: string, secret: string | null): string | undefined {
  const [header, claims, signature] = code.split(".");
  const [readHeader, readClaims] = [jsonInBase64(header), jsonInBase64(claims)];
  if (signature === undefined || readHeader === null || readClaims === null) return undefined;
  const key = secret === null ? null : createSecretKey(secret, "utf8");
  return compactToken({ header: { ...readHeader, alg }, claims: unissuedIn(readClaims), key });
}

/** What everybody knows of the app and the login: what the token says of them. */
function factsIn({ token }: RequestParts): string[] {
  return Object.values(token?.claims ?? {}).flatMap((value) =>
    typeof value === "string" || typeof value === "number" ? [String(value)] : [],
  );
}

/** A code with content that nobody issued, and a right signature; undefined: nobody outside knows the secret. */
function openlyResigned(code: string, facts: readonly string[]): string | undefined {
  const signed = openlySigned(code, facts);
  if (signed === null) return undefined;
  const { content, withContent } = signed;
  const hasJson = content.split(".").some((part) => jsonInBase64(part) !== null);
  const changed = hasJson ? changedInside(content) : unissuedText(content);
  return changed === undefined || changed === content ? undefined : withContent(changed);
}

/** The text with other keys and times in it. */
function unissuedText(text: string): string {
  return text.replaceAll(/[\w+/=-]+/g, (word) => {
    const encoded = encodedIn(word);
    if (encoded !== null) return Buffer.from(unissuedText(encoded.inside)).toString(encoded.encoding);
    return String(unissued(isTimeNumber(word) ? Number(word) : word));
  });
}

/** A code in which each part that is a JSON object has other random values; undefined: it has none. */
function changedInside(code: string): string | undefined {
  const parts = code.split(".");
  const changed = parts.map((part) => {
    const json = jsonInBase64(part);
    const [was, is] = [json, json && unissuedIn(json)].map((each) => JSON.stringify(each));
    // Another spelling of the same content would prove nothing.
    return is === undefined || is === was ? part : Buffer.from(is).toString("base64url");
  });
  return changed.every((part, index) => part === parts[index]) ? undefined : changed.join(".");
}

/** The same JSON object with other keys and times: an app that stores what it issued does not know them. */
function unissuedIn(json: Json): Json {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, unissued(value)]));
}

function unissued(value: unknown): unknown {
  if (typeof value === "number") return isTimeNumber(String(value)) ? value + 1 : value;
  if (typeof value === "string") return isKeyLike(value) ? otherThan(value) : value;
  if (Array.isArray(value)) return value.map(unissued);
  return isJsonObject(value) ? unissuedIn(value) : value;
}
