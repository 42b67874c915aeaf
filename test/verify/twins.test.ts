import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isTwin, type TwinCheck } from "../../src/checking/check.ts";
import {
  type EncodedRequest,
  encodeRequest,
  type RequestParts,
  withMembers,
} from "../../src/checking/request-parts.ts";
import { configure } from "../../src/config/load.ts";
import type { App } from "../../src/config/schema.ts";
import { forgedCodeTwins } from "../../src/guard-checks/forged-codes.ts";
import { allChecks } from "../../src/verify/checks.ts";

const secret = "canary-client-secret-0123456789abcdef";
const [app] = (await configure({ app: { clientSecret: secret } }, process.cwd())).config.apps as [App];
const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });

const keys: Readonly<Record<string, { readonly alg: string; readonly kid?: string; readonly key: KeyObject }>> = {
  HS256: { alg: "HS256", key: createSecretKey(secret, "utf8") },
  RS256: { alg: "RS256", kid: "one", key: pair.privateKey },
};

/** Every way in which a token travels, so that a twin of one place is tried as all places send it. */
const places: Readonly<Record<string, Pick<RequestParts, "tokenIn"> & Partial<RequestParts>>> = {
  "the Authorization header": { tokenIn: { scheme: "Bearer" } },
  "the query": { tokenIn: { query: "jwtToken" } },
  "a form": {
    tokenIn: { form: "jwtToken" },
    headers: [["Content-Type", "application/x-www-form-urlencoded"]],
    body: { bytes: Buffer.from("answer=yes&state=a%2Bb") },
  },
  "an address and a body of the page's own": {
    tokenIn: { placeholder: "TOKEN-PLACE" },
    url: "http://127.0.0.1:3000/page/answer?t=TOKEN-PLACE&lang=uk",
    headers: [
      ["Content-Type", "application/json"],
      ["X-Token", "TOKEN-PLACE"],
    ],
    body: { bytes: Buffer.from(JSON.stringify({ token: "TOKEN-PLACE", code: "Made-Code-0123456789abcdef" })) },
  },
};

/** A code that holds its data itself, which some twins need. */
const JWT_CODE = ['{"alg":"HS256"}', '{"jti":"0123456789abcdef","user":12}', "signature"]
  .map((part) => Buffer.from(part).toString("base64url"))
  .join(".");

function controlIn(place: (typeof places)[string], { key, ...named }: (typeof keys)[string]): RequestParts {
  const now = 1_700_000_000;
  return {
    method: "POST",
    url: "http://127.0.0.1:3000/guard?tenant=1",
    headers: [["Content-Type", "application/json"]],
    body: {
      json: {
        jobType: "file-post-import",
        userId: 12,
        organizationId: 7,
        ipAddress: "203.0.113.10",
        moduleKey: "network",
        code: "Made-Code-0123456789abcdef",
        strings: [{ uniqId: "a", text: "A text" }],
      },
    },
    token: {
      header: { ...named, typ: "JWT" },
      claims: {
        aud: "client",
        sub: "12",
        iat: now,
        exp: now + 900,
        jti: "one",
        module: "network",
        context: { organization_id: 1 },
      },
      key,
    },
    ...place,
  };
}

interface Decoded {
  readonly [property: string]: unknown;
}

/** What a receiver reads out of a request. Nothing of the code that made it is used. */
function decoded(request: EncodedRequest, { tokenIn }: RequestParts): Decoded {
  const lines = request.headers.filter(([name]) => name.toLowerCase() !== "authorization");
  const authorization = request.headers.filter(([name]) => name.toLowerCase() === "authorization");
  const address = new URL(request.url);
  const text = Buffer.from(request.body).toString();
  const isForm = lines.some(([, value]) => value.includes("urlencoded"));
  const fields = isForm ? new URLSearchParams(text) : new URLSearchParams();
  const compacts = new Set<string | null>();
  if ("scheme" in tokenIn) compacts.add(authorization.map(([, value]) => value).join("|") || null);
  if ("query" in tokenIn) compacts.add(take(address.searchParams, tokenIn.query));
  if ("form" in tokenIn) compacts.add(take(fields, tokenIn.form));
  if ("placeholder" in tokenIn) {
    compacts.add(take(address.searchParams, "t"));
    for (const [, value] of lines.filter(([name]) => name === "X-Token")) compacts.add(value);
    compacts.add((JSON.parse(text) as { token: string }).token);
  }
  expect([...compacts], "the same token wherever it stands").toHaveLength(1);
  const [compact = null] = compacts;
  return {
    method: request.method,
    url: address.href,
    headers: lines.filter(([name]) => name !== "X-Token"),
    "headers.authorization": "scheme" in tokenIn ? "" : authorization,
    bytes: "placeholder" in tokenIn ? "" : isForm ? fields.toString() : text,
    ...jsonOf(text, tokenIn),
    ...tokenOf(compact),
  };
}

function take(fields: URLSearchParams, name: string): string | null {
  const value = fields.get(name);
  fields.delete(name);
  return value;
}

function jsonOf(text: string, tokenIn: RequestParts["tokenIn"]): Decoded {
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    if (value === null || Array.isArray(value)) return { json: value };
    const { token: _token, ...rest } = value;
    const members = Object.entries("placeholder" in tokenIn ? rest : value);
    return Object.fromEntries(members.map(([name, member]) => [`json.${name}`, JSON.stringify(member)]));
  } catch {
    return { json: null };
  }
}

function tokenOf(sent: string | null): Decoded {
  const compact = sent?.replace(/^Bearer /, "") ?? null;
  const [header = "", payload = "", signature = "", ...more] = compact?.split(".") ?? [];
  const [head, claims] = [partOf(header), partOf(payload)];
  if (compact === null || head === null || claims === null) return { compact };
  return {
    compact,
    "token.parts": more.length,
    ...Object.fromEntries(Object.entries(head).map(([name, value]) => [`token.header.${name}`, value])),
    ...Object.fromEntries(Object.entries(claims).map(([name, value]) => [`token.claims.${name}`, value])),
    "token.signature": signature,
    "token.isSigned": isSigned(`${header}.${payload}`, signature, String(head.alg)),
  };
}

function partOf(part: string): Decoded | null {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString()) as Decoded;
  } catch {
    return null;
  }
}

/** Whether the token is signed as its header says, with the key that the app was issued. */
function isSigned(input: string, signature: string, alg: string): boolean {
  if (alg === "HS256") return createHmac("sha256", secret).update(input).digest("base64url") === signature;
  return alg === "RS256" && verify("sha256", Buffer.from(input), pair.publicKey, Buffer.from(signature, "base64url"));
}

/** The properties in which two requests differ, by the names that checks declare. */
function changedProperties(control: Decoded, twin: Decoded): string[] {
  const differs = (name: string) => JSON.stringify(control[name]) !== JSON.stringify(twin[name]);
  const names = [...new Set([...Object.keys(control), ...Object.keys(twin)])].filter(differs);
  const inJson = names.filter((name) => name === "json" || name.startsWith("json."));
  return [...new Set([...ofToken(control, twin, names), ...ofBody(names, inJson), ...ofRest(names)])];
}

function ofToken(control: Decoded, twin: Decoded, names: readonly string[]): string[] {
  if (!names.includes("compact")) return [];
  if (twin.compact === null || !String(twin.compact).includes("."))
    return [twin.compact === null ? "token" : spelt(twin)];
  if (twin["token.signature"] === undefined || twin["token.parts"] !== control["token.parts"])
    return ["token.spelling"];
  const claims = names.filter((name) => name.startsWith("token.claims."));
  const header = names.filter((name) => name.startsWith("token.header."));
  // A token that is signed anew with the right key differs in its claims alone, or in how they are written.
  if (twin["token.isSigned"] === true && header.length === 0) return claims.length > 0 ? claims : ["token.spelling"];
  if (claims.length === 0) return [twin["token.isSigned"] === true || header.length > 0 ? "token.proof" : "unsigned"];
  return header.length === 0 && !names.includes("token.signature")
    ? [...claims.slice(1), "token.spelling"]
    : names.slice();
}

function spelt({ compact }: Decoded): string {
  return String(compact).startsWith("Basic ") ? "token" : "token.spelling";
}

function ofBody(names: readonly string[], inJson: readonly string[]): readonly string[] {
  if (inJson.includes("json") || inJson.length > 4) return ["body"];
  if (inJson.length > 0) return inJson;
  return names.includes("bytes") ? ["body.spelling"] : [];
}

function ofRest(names: readonly string[]): string[] {
  return [
    ...names.filter((name) => name === "method" || name === "url"),
    ...(names.includes("headers.authorization") ? ["token"] : []),
    ...(names.includes("headers") ? ["headers.content-type"] : []),
  ];
}

/** No token, an empty one, one that another key signed, and one that was changed afterwards: the text of the token differs. */
function alike(property: string): string {
  return ["token", "token.proof", "token.spelling", "unsigned"].includes(property) ? "token.text" : property;
}

const twins = allChecks.filter(isTwin).filter(({ area }) => area !== "webhook");
const aboutTokens = twins.filter(({ changes }) => changes.startsWith("token"));
const aboutBodies = twins.filter(({ changes }) => !changes.startsWith("token"));

function expectDeclared(check: TwinCheck, place: (typeof places)[string], key: (typeof keys)[string]): void {
  const made = controlIn(place, key);
  const control = forgedCodeTwins.some(({ id }) => id === check.id)
    ? (withMembers(made, { code: JWT_CODE }) ?? made)
    : made;
  const twin = check.twin(control, app, "http://localhost:9/keys");
  // Under HS256 there is no public key, and no kid.
  if (twin === null && /\.(hs256-with-public-key|kid-missing)$/.test(check.id)) return;
  if (twin === null) throw new Error(`${check.id} finds nothing to change`);
  const of = (request: RequestParts) => decoded(encodeRequest(request), control);
  const changed = changedProperties(of(control), of(twin)).filter(
    // A token that has expired was issued before that.
    (property) => property !== "token.claims.iat" || !/\.expired(-(long|weeks)-ago)?$/.test(check.id),
  );
  // The decoder takes a body with a byte-order mark for one that is no JSON.
  const declared = check.id.endsWith(".byte-order-mark") ? "body" : check.changes;
  expect([...new Set(changed.map(alike))], check.id).toEqual([alike(declared)]);
}

describe.each(Object.keys(keys))("with tokens of %s", (alg) => {
  test.each(Object.keys(places))("every twin of a token in %s differs only in the declared property", (place) => {
    for (const check of aboutTokens) expectDeclared(check, places[place] as never, keys[alg] as never);
  });
});

test("every twin of a body differs only in the declared property", () => {
  for (const check of aboutBodies)
    expectDeclared(check, places["the Authorization header"] as never, keys.HS256 as never);
});
