import { gzipSync } from "node:zlib";
import { withBypassHeaders, withBypassParameters, withProxyHeaders, withTestersAgent } from "../checking/bypass.ts";
import type { TrialCheck, TwinCheck } from "../checking/check.ts";
import { USUAL_SECRETS } from "../checking/known-secrets.ts";
import { bodyBytesOf, type RequestParts, withHeader, withMembers, withSignature } from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";
import { strangersSecret } from "../checking/token-twin.ts";
import { headerValue } from "../journal/exchange.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { withEvents, withManyEvents, withOtherLetter } from "./body.ts";
import { withRecipient } from "./recipient.ts";
import {
  forgedDelivery,
  refuseCalmly,
  signatureTwin,
  verifyDelivery,
  withKey,
  withWordAsKey,
} from "./signature-secrets.ts";

const facts = {
  area: "webhook",
  section: "5.1",
  severity: "must",
  why: forgedDelivery,
  fix: verifyDelivery,
  fixIfBroken: refuseCalmly,
  right: "refused",
} as const;

const unsigned = (request: RequestParts) => withSignature(request, () => ({ respell: () => [] }));
const withoutHeaders = (request: RequestParts) => unsigned({ ...request, headers: [] });

const reversed: TwinCheck = signatureTwin(
  {
    id: "webhook.signature.reversed",
    title: "The app refuses a signature whose characters are in another order",
    why: "A comparison that adds up differences may end at zero. The app then acts on events that never happened.",
  },
  ({ scheme: { prefix } }) => ({
    respell: (value) => [prefix + [...value.slice(prefix.length)].reverse().join("")],
  }),
);

/** What may bypass the verification, whether a delivery has a wrong signature or none. */
const bypasses: readonly (readonly [how: string, change: (request: RequestParts) => RequestParts | null])[] = [
  ['with headers such as "X-Debug: true"', (request) => withBypassHeaders(request, "true")],
  ['with headers such as "X-Debug: 1"', (request) => withBypassHeaders(request, "1")],
  ['with headers such as "X-Forwarded-For: 127.0.0.1"', withProxyHeaders],
  ["with the User-Agent of curl", withTestersAgent],
  ['with parameters such as "debug=true"', (request) => withBypassParameters(request, "true")],
  ['with parameters such as "debug=1"', (request) => withBypassParameters(request, "1")],
  ['with "test": true in its body', (request) => withMembers(request, { test: true })],
  ['about an event "test"', (request) => ofEvent(request, "test")],
  ['about an event "ping"', (request) => ofEvent(request, "ping")],
  ["for another module", (request) => withRecipient(request, "-module-key", () => "app-sim")],
];

/** Headers whose absence, or other value, may bypass the verification. */
const otherHeaders: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.missing-other-headers",
  title: "The app refuses a delivery without the right signature, whatever its other headers, its query or its event",
  why: "An attacker chooses everything in a forged delivery. A header that is missing, or something that developers use while they test, must not bypass the verification.",
  requests: async (prepare) => {
    const forged = async (change: (request: RequestParts) => RequestParts | null) => {
      const request = unsigned(await prepare());
      return request && change(request);
    };
    const withOther = (name: string, value: string | null) => forged((request) => withHeader(request, name, value));
    const names = (await prepare()).headers.map(([name]) => name).filter((name) => !/^content-/i.test(name));
    const tried: [string, RequestParts | null][] = [];
    for (const name of names) tried.push([`without ${name}`, await withOther(name, null)]);
    for (const name of names) {
      const request = withHeader(await prepare(), name, "test");
      tried.push([
        `with "test" as ${name}, signed with another secret`,
        withSignature(request, withKey(strangersSecret)),
      ]);
    }
    for (const [how, change] of bypasses) {
      tried.push([how, await forged(change)]);
      const changed = change(await prepare());
      tried.push([`${how}, signed with another secret`, changed && withSignature(changed, withKey(strangersSecret))]);
    }
    return {
      ...Object.fromEntries(tried),
      "in gzip": await forged(inGzip),
      "not in gzip, but said to be": await withOther("Content-Encoding", "gzip"),
      "in chunks": inChunks(unsigned(await prepare())),
      "in chunks, signed with another secret": inChunks(withSignature(await prepare(), withKey(strangersSecret))),
      "without any of these headers": withoutHeaders(await prepare()),
    };
  },
  pardon: ({ request, response, outcome }) => {
    // An app may answer 411 before it reads the body. The answer is lost if it closes the connection while bytes
    // arrive.
    const isInChunks = headerValue(request.headers, "transfer-encoding") === "chunked";
    if (isInChunks && outcome.kind === "disconnected") return "the app accepts no body without a Content-Length";
    return response !== null && response.status >= 500
      ? "the app breaks on other headers, see webhook.input.headers"
      : null;
  },
});

function ofEvent(request: RequestParts, event: string): RequestParts | null {
  return withEvents(request, (events) => events.map((each) => ({ ...each, event })));
}

function inGzip(request: RequestParts): RequestParts {
  return { ...withHeader(request, "Content-Encoding", "gzip"), body: { bytes: gzipSync(bodyBytesOf(request)) } };
}

/** Without Content-Length, from which some code concludes that there is no body. */
function inChunks(request: RequestParts | null): RequestParts | null {
  return request && { ...request, chunked: true };
}

/** The twin weak-secret has the most usual one. */
const commonSecrets: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.common-secrets",
  title: "The app refuses deliveries signed with a word that stands for a missing secret",
  why: "A second secret, such as one for key rotation, is often not set: code then takes the word null or undefined, or a word of an example, for the key. Anybody can sign with that.",
  fix: "Let the app refuse to start without its secrets, have no default for them, and verify only with those that are set.",
  requests: async (prepare) => {
    const request = await prepare();
    const signed = USUAL_SECRETS.filter((secret) => secret !== "").map(
      (secret) => [`signed with the word ${secret}`, withSignature(request, withWordAsKey(secret))] as const,
    );
    return Object.fromEntries(signed);
  },
});

/** What developers send in place of a signature, and what some code makes of a value that is missing. */
const words = ["test", "skip", "none", "None", "null", "undefined", "true", "debug", "valid", "0", "1"];

const wordsAsSignature: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.words",
  title: "The app refuses a delivery whose signature is a word such as test, skip or null",
  why: "A word with which developers get past the verification while they test is known to everybody who has seen the code, and is easily guessed.",
  requests: async (prepare) => {
    const request = await prepare();
    const signedBy = (word: string) => withSignature(request, () => ({ respell: () => [word] }));
    return Object.fromEntries(words.map((word) => [`the word ${word}`, signedBy(word)]));
  },
});

/** An address is often routed for all methods, but guarded for only one. */
const otherMethods: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.missing-other-method",
  title: "The app refuses a delivery without a signature, whatever its method",
  severity: "should",
  why: "One route may verify what the next one does not. An attacker chooses the method of a forged delivery, too.",
  fix: "Accept only POST at this address, and answer 405 to other methods; or verify before looking at the method.",
  requests: async (prepare) => {
    const request = unsigned(await prepare());
    return { PUT: request && { ...request, method: "PUT" } };
  },
  pardon: ({ response }) =>
    response !== null && response.status >= 500 ? "the app breaks on other methods, see webhook.input.method" : null,
});

/** The most events that one delivery may have, which make it larger than 64 KB. */
const MANY = 1000;

const many: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.missing-many",
  title: `The app refuses a delivery with ${withCommas(MANY)} events that is not signed, or signed with another secret`,
  why: "Slow work, such as hashing a large body, is sometimes skipped. An attacker can make a forged delivery as large as needed.",
  requests: async (prepare) => {
    const large = async () => withManyEvents(await prepare(), MANY);
    const [missing, other, changed] = [await large(), await large(), await large()];
    return {
      "without a signature": missing && unsigned(missing),
      "signed with another secret": other && withSignature(other, withKey(strangersSecret)),
      "changed at its end": changed && { ...changed, tamper: withOtherLetter },
    };
  },
});

/** Bodies without an event, which some apps answer before they verify anything. */
const withoutEvents = { "no body": "", "an empty object": "{}", "no events": '{"events":[]}', "not JSON": "app-sim" };

const empty: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.missing-empty",
  title: "The app refuses a delivery without a signature and without an event",
  severity: "should",
  why: "Middleware that verifies bodies is often not called for an empty one. Then anybody can call the code behind it.",
  fix: "Verify the signature before looking at the body, and answer 401 if it is missing.",
  requests: async (prepare) => {
    const written = Object.entries(withoutEvents).map(async ([name, text]) => {
      const request = unsigned(await prepare());
      return [name, request && { ...request, body: { bytes: Buffer.from(text) } }] as const;
    });
    return Object.fromEntries(await Promise.all(written));
  },
  pardon: ({ response }) =>
    response !== null && response.status >= 500
      ? "the app breaks on bodies without events, see webhook.input.empty and webhook.input.shapes"
      : null,
});

const bytes = {
  ...facts,
  severity: "should",
  choices: ["webhook.signature.content"],
  why: "The signature covers the bytes of the body. An app that decodes them into text first cannot distinguish some deliveries.",
  fix: "Keep the raw bytes of the body, and compute their HMAC.",
} as const;

const lineEnds: TrialCheck = seriesCheck({
  ...bytes,
  id: "webhook.body.line-ends-changed",
  title: "The app refuses a delivery whose line endings were changed after signing",
  requests: async (prepare) => {
    const request = await prepare();
    const lines = request.body !== null && "json" in request.body ? JSON.stringify(request.body.json, null, 2) : null;
    return {
      "line endings": lines === null ? null : { ...request, body: { bytes: Buffer.from(lines) }, tamper: withLineEnds },
    };
  },
});

function withLineEnds(body: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(body).toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

/** U+FFFD, which replaces invalid UTF-8 when it is decoded. */
const REPLACEMENT = Buffer.from("\ufffd").toString("latin1");

const invalidBytes: TrialCheck = seriesCheck({
  ...bytes,
  id: "webhook.body.bytes-changed",
  title: "The app refuses a delivery with changed bytes that are not UTF-8",
  requests: async (prepare) => {
    const replaced = withEvents(await prepare(), (events) =>
      events.map((event) => ({ ...event, project: { ...(event.project as object), name: "\ufffd" } })),
    );
    const inLatin1 = (change: (text: string) => string) => (body: Uint8Array) =>
      Buffer.from(change(Buffer.from(body).toString("latin1")), "latin1");
    return {
      "an invalid byte instead of its replacement character": replaced && {
        ...replaced,
        tamper: inLatin1((text) => text.replaceAll(REPLACEMENT, "\xff")),
      },
      "a byte that is dropped when decoding": {
        ...(await prepare()),
        tamper: inLatin1((text) => text.replace(/("id":")/, "$1\xff")),
      },
    };
  },
});

/** Checks of deliveries that take an unusual path through an app (hardening W1, W2). */
export const forgeryChecks: readonly (TwinCheck | TrialCheck)[] = [
  reversed,
  wordsAsSignature,
  commonSecrets,
  otherHeaders,
  otherMethods,
  many,
  empty,
  lineEnds,
  invalidBytes,
];
