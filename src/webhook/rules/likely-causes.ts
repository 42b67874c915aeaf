import { createHash, createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { App } from "../../config/schema.ts";
import type { WebhookEvent } from "../../protocol/webhook.ts";
import type { DeliveryRequest } from "./delivery-request.ts";
import { otherSchemes } from "./other-schemes.ts";
import { type SignatureScheme, type SignedDelivery, signatureHeaders } from "./signature.ts";

/** Another way to sign a delivery, which an app that refuses the right one may expect by mistake. */
export interface LikelyCause {
  /** How it differs, such as "signed with the client secret". */
  readonly what: string;
  /** What to do if the app accepts it. */
  readonly fix: string;
  /** The replacement body; absent: the same. */
  readonly json?: Uint8Array;
  /** The signature headers in place of the correct ones. */
  readonly headers: (delivery: SignedDelivery) => readonly (readonly [name: string, value: string])[];
}

const RAW_BODY = "hash the raw bytes of the body, before anything parses or decodes them";

/** What apps hash by mistake instead of the raw body. */
const otherContents: readonly (readonly [what: string, content: (json: string) => string])[] = [
  ["the body followed by a line feed (\\n)", (json) => `${json}\n`],
  ["the body as Python's json.dumps writes it", (json) => json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[:,]/gs, spaced)],
  ["the body as JSON.stringify indents it with 2 spaces", (json) => JSON.stringify(JSON.parse(json), null, 2)],
  ["only the array of events, without the object around it", (json) => JSON.stringify(JSON.parse(json).events)],
  ["no bytes at all, as if the body had already been read", () => ""],
  ["the text [object Object], which a parsed body becomes in JavaScript", () => "[object Object]"],
];

function spaced(token: string): string {
  return token.startsWith('"') ? token : `${token} `;
}

/** Names that other platforms use for the header. */
const otherHeaders: readonly (readonly [header: string, prefix: string, what: string])[] = [
  ["X-Hub-Signature-256", "sha256=", "the signature"],
  ["X-Hub-Signature-256", "", "the bare signature"],
  ["X-Signature", "", "the signature"],
  ["X-Webhook-Signature", "", "the signature"],
];

/** Ways the right secret is commonly garbled before the app uses it. */
function alteredSecrets(secret: string): { what: string; fix: string; key: string | KeyObject }[] {
  const unquote = "remove the quotes from the variable: docker run --env-file, for example, keeps them";
  const trim = "trim the secret where the app reads it: a secret file often ends with a line ending";
  const asText = "the secret is text: use its characters as the key, without decoding";
  const decoded = (["base64", "hex"] as const)
    .map((encoding) => ({ encoding, bytes: Buffer.from(secret, encoding) }))
    // Node decodes hex up to the first character that is not.
    .filter(({ bytes }) => bytes.length > 0);
  return [
    { what: "in double quotes", fix: unquote, key: `"${secret}"` },
    { what: "in single quotes", fix: unquote, key: `'${secret}'` },
    { what: "followed by a line feed (\\n)", fix: trim, key: `${secret}\n` },
    { what: "followed by a carriage return (\\r)", fix: trim, key: `${secret}\r` },
    { what: "followed by a Windows line ending (\\r\\n)", fix: trim, key: `${secret}\r\n` },
    { what: "followed by a space", fix: trim, key: `${secret} ` },
    { what: "preceded by a space", fix: trim, key: ` ${secret}` },
    ...decoded.map(({ encoding, bytes }) => ({
      what: `decoded from ${encoding}`,
      fix: asText,
      key: createSecretKey(bytes),
    })),
  ].map(({ what, ...rest }) => ({ what: `signed with the right secret ${what}`, ...rest }));
}

/** Makes a digest from what is signed. */
type DigestOf = (signed: Buffer) => Buffer;

interface OtherDigest {
  readonly scheme: SignatureScheme;
  readonly appSecret: string;
  readonly digestOf: DigestOf;
  /** What is signed in place of the body. */
  readonly content: ((json: string) => string) | undefined;
}

/** The right headers, apart from the digest in the signature. */
function digestHeaders({ scheme, appSecret, digestOf, content }: OtherDigest): LikelyCause["headers"] {
  return ({ body, now, id }) => {
    const before = [...(scheme.idHeader === undefined ? [] : [id]), ...(scheme.timestampHeader === null ? [] : [now])];
    const json = Buffer.from(body).toString();
    const signed = Buffer.from(before.map((each) => `${each}.`).join("") + (content?.(json) ?? json));
    return signatureHeaders(scheme, appSecret, { body, now, id }).map(([name, value]) =>
      name === scheme.header ? [name, scheme.prefix + digestOf(signed).toString(scheme.encoding)] : [name, value],
    );
  };
}

const USE_HMAC = 'use HMAC-SHA256, keyed with the secret (in Node.js, createHmac("sha256", secret).update(body))';

/** Digests that are no HMAC with the secret as its key. */
function otherDigests(secret: string): { what: string; fix: string; digestOf: DigestOf }[] {
  const key = Buffer.from(secret);
  const sha256 = (...parts: readonly Buffer[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
  const digests: readonly (readonly [what: string, digestOf: DigestOf])[] = [
    ["an HMAC of the secret, whose key is the body", (signed) => createHmac("sha256", signed).update(key).digest()],
    ["a plain SHA-256 of the secret and the body", (signed) => sha256(key, signed)],
    ["a plain SHA-256 of the body and the secret", (signed) => sha256(signed, key)],
    ["a plain SHA-256 of the body, without the secret", (signed) => sha256(signed)],
  ];
  return digests.map(([what, digestOf]) => ({ what: `signed with ${what}`, fix: USE_HMAC, digestOf }));
}

/** Possible mistakes, likeliest first; each differs from the correct delivery in one respect. */
export function likelyCauses(scheme: SignatureScheme, { appSecret, clientSecret, clientId }: App): LikelyCause[] {
  const signedWith =
    (key: string | KeyObject): LikelyCause["headers"] =>
    (delivery) =>
      signatureHeaders(scheme, key, delivery);
  const useSecret = "give the app the PLATFORM_APP_SECRET that `app-sim env` prints, and verify deliveries with it";
  const withDigest = (digestOf: DigestOf, content?: (json: string) => string) =>
    digestHeaders({ scheme, appSecret, digestOf, content });
  const hmac =
    (hash: string): DigestOf =>
    (signed) =>
      createHmac(hash, appSecret).update(signed).digest();
  const isLostAsHex = Buffer.from(appSecret, "hex").length === 0;
  const isText = isLostAsHex ? "; the secret is text: decoding it from hex leaves nothing" : "";
  const isOther = (secret: string) => secret !== appSecret;
  return [
    {
      what: "without a signature",
      fix: "the app accepts deliveries without a signature: does it read that header, and refuse deliveries that lack it?",
      headers: () => [],
    },
    ...[
      { what: "signed with the client secret", key: clientSecret },
      { what: "signed with an empty secret, as if a variable were not set", key: "", more: isText },
      { what: "signed with the text undefined, as if a variable were not set", key: "undefined" },
      { what: "signed with the client id", key: clientId },
      { what: "signed with app-sim's default secret", key: "app-sim-app-secret" },
    ]
      .filter(({ key }) => isOther(key))
      .map(({ what, key, more = "" }) => ({ what, fix: useSecret + more, headers: signedWith(key) })),
    ...alteredSecrets(appSecret).map(({ what, fix, key }) => ({ what, fix, headers: signedWith(key) })),
    ...otherContents.map(([what, content]) => ({
      what: `with a signature over ${what}`,
      fix: RAW_BODY,
      headers: withDigest(hmac("sha256"), content),
    })),
    ...otherDigests(appSecret).map(({ what, fix, digestOf }) => ({ what, fix, headers: withDigest(digestOf) })),
    ...otherSchemes(scheme).map(({ scheme: other, choices }) => ({
      what: `signed with the choice ${choices.join(" and ")}`,
      fix: otherSchemeHint(scheme, choices),
      headers: (delivery: SignedDelivery) => signatureHeaders(other, appSecret, delivery),
    })),
    ...(scheme.encoding === "hex" ? [upperCase(scheme, appSecret)] : []),
    ...["sha1", "sha512"].map((hash) => ({
      what: `signed with HMAC-${hash.toUpperCase().replace("SHA", "SHA-")}`,
      fix: "use HMAC-SHA256 (interface 5.1)",
      headers: withDigest(hmac(hash)),
    })),
    ...otherHeaders
      .filter(([header]) => header !== scheme.header)
      .map(([header, prefix, what]) => ({
        what: `with ${what} in ${header}`,
        fix: `read the signature from ${scheme.header}`,
        headers: (delivery: SignedDelivery) => signatureHeaders({ ...scheme, header, prefix }, appSecret, delivery),
      })),
  ];
}

/** Upper-case hex digits, if the scheme has lower-case ones. */
function upperCase(scheme: SignatureScheme, appSecret: string): LikelyCause {
  return {
    what: "with the signature in upper-case hex",
    fix: "compare it with lower-case hex, as it is sent",
    headers: (delivery) =>
      signatureHeaders(scheme, appSecret, delivery).map(([name, value]) =>
        name === scheme.header
          ? [name, scheme.prefix + value.slice(scheme.prefix.length).toUpperCase()]
          : [name, value],
      ),
  };
}

/** What to do if an app refuses events because of their names. */
export const EVERY_NAME = "acknowledge each event that the manifest names, or remove it from the manifest";

/** An event of a body, alone and correctly signed. */
export interface EventAlone extends LikelyCause {
  /** Its name. */
  readonly event: string;
}

/** More names would mean more deliveries without more insight. */
const MOST_NAMES = 10;

/**
 * What an app may accept from a body with several events (interface 6): the first of each name, alone. Empty if there
 * is only one event.
 */
export function eventsAlone(scheme: SignatureScheme, appSecret: string, json: Uint8Array): EventAlone[] {
  const { events } = JSON.parse(Buffer.from(json).toString()) as { readonly events: readonly WebhookEvent[] };
  if (events.length < 2) return [];
  const names = [...new Set(events.map(({ event }) => event))].slice(0, MOST_NAMES);
  return names.map((name) => ({
    event: name,
    what: names.length === 1 ? "of its first event alone, correctly signed" : `of ${name} alone, correctly signed`,
    fix: 'handle every element of "events": a body may have several (interface 6)',
    json: Buffer.from(JSON.stringify({ events: [events.find(({ event }) => event === name)] })),
    headers: (delivery) => signatureHeaders(scheme, appSecret, delivery),
  }));
}

/** What to do if the app accepts only deliveries signed by these choices. */
export function otherSchemeHint(scheme: SignatureScheme, choices: readonly string[]): string {
  return `let it verify ${schemeText(scheme)}, as sent here; or, if your platform signs the way the app expects, choose that: ${choices.map((choice) => `--choose ${choice}`).join(" ")}`;
}

/** How deliveries are signed, in words: HMAC-SHA256 of the body in lower-case hex. */
function schemeText({ encoding, prefix, timestampHeader }: SignatureScheme): string {
  const signed = timestampHeader === null ? "the body" : "the time and the body";
  const written = encoding === "hex" ? "lower-case hex" : encoding;
  return `HMAC-SHA256 of ${signed} in ${written}${prefix === "" ? "" : ` after ${prefix}`}`;
}

/** The correct delivery with other signature headers. */
export function withSignatureHeaders(
  { headers, body }: DeliveryRequest,
  { header, timestampHeader, idHeader }: SignatureScheme,
  others: readonly (readonly [name: string, value: string])[],
): DeliveryRequest {
  const own = [header, timestampHeader, idHeader];
  return { headers: [...headers.filter(([name]) => !own.includes(name)), ...others], body };
}
