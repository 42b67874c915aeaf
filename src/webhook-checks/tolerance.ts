import { gzipSync } from "node:zlib";
import type { TrialCheck, TwinCheck } from "../checking/check.ts";
import {
  bodyBytesOf,
  type RequestParts,
  type SignatureParts,
  withHeader,
  withSignature,
} from "../checking/request-parts.ts";
import { type Series, seriesCheck } from "../checking/series.ts";
import { withEvents } from "./body.ts";
import { each } from "./each-request.ts";
import { newEventChecks } from "./new-events.ts";
import { withRecipient } from "./recipient.ts";
import { refuseCalmly } from "./signature-secrets.ts";

const facts = { area: "webhook", section: "2.6", severity: "should" } as const;

const crash =
  "An uncaught exception may end the app, or leave it in an unforeseen state. Anybody who can reach the address can send such a request.";
const catchIt = "Answer 400 to anything that the app cannot read: 5XX says that the app itself is broken.";

/** A check that the app decides, one way or the other, without breaking. */
function unbroken(about: Pick<Series, "id" | "title" | "requests"> & Partial<Series>): TrialCheck {
  return seriesCheck({ ...facts, why: crash, fix: catchIt, ...about, right: "decided" });
}

const withBytes = (bytes: string | Uint8Array) => (request: RequestParts) => ({
  ...request,
  body: { bytes: Buffer.from(bytes) },
});
const respelled = (respell: NonNullable<SignatureParts["respell"]>) => (request: RequestParts) =>
  withSignature(request, () => ({ respell }));

const accepted: readonly TrialCheck[] = [
  ...newEventChecks,
  seriesCheck({
    ...facts,
    id: "webhook.headers.extra",
    title: "The app acknowledges a delivery with headers that it does not know",
    why: "Proxies and platforms add headers. An app that refuses them loses every event.",
    fix: "Ignore headers that the app does not know.",
    right: "accepted",
    requests: (prepare) =>
      each(prepare, {
        traceparent: (request) =>
          withHeader(request, "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        "x-request-id": (request) => withHeader(request, "X-Request-Id", request.signature?.id ?? "7f3a"),
      }),
  }),
];

/** The header lines, including the signature's, with other names. */
function renamed(request: RequestParts, rename: (name: string) => string): RequestParts | null {
  const headers = request.headers.map(([name, value]): [string, string] => [rename(name), value]);
  return withSignature({ ...request, headers }, ({ scheme }) => ({
    scheme: {
      ...scheme,
      header: rename(scheme.header),
      timestampHeader: scheme.timestampHeader === null ? null : rename(scheme.timestampHeader),
      ...(scheme.idHeader === undefined ? {} : { idHeader: rename(scheme.idHeader) }),
    },
  }));
}

const headerTwin = (about: Pick<TwinCheck, "id" | "title" | "changes" | "twin"> & Partial<TwinCheck>): TwinCheck => ({
  ...facts,
  severity: "must",
  section: "RFC 9110, 5.1",
  why: "Header names are case-insensitive: anything between the platform and the app may change their case. An app that insists on one refuses correct deliveries.",
  fix: "Look headers up case-insensitively, as every framework can.",
  ...about,
  right: "accepted",
});

const spellings: readonly TwinCheck[] = [
  headerTwin({
    id: "webhook.headers.lower-case",
    title: "The app accepts headers in lower case",
    changes: "headers.case",
    twin: (request) => renamed(request, (name) => name.toLowerCase()),
  }),
  headerTwin({
    id: "webhook.headers.upper-case",
    title: "The app accepts headers in upper case",
    changes: "headers.case",
    twin: (request) => renamed(request, (name) => name.toUpperCase()),
  }),
  headerTwin({
    id: "webhook.headers.order",
    title: "The app accepts headers in another order",
    changes: "headers.order",
    twin: (request) => ({ ...request, headers: request.headers.toReversed() }),
  }),
  headerTwin({
    id: "webhook.headers.charset",
    title: "The app accepts a content type with a charset",
    severity: "should",
    section: "RFC 9110, 8.3.1",
    changes: "headers.content-type",
    why: "A content type may have parameters. An app that compares the whole value refuses correct deliveries.",
    fix: "Compare the part before the semicolon, case-insensitively.",
    twin: (request) => withHeader(request, "Content-Type", "application/json; charset=utf-8"),
  }),
];

const upper = (value: string) => value.toUpperCase();

const unbrokenChecks: readonly TrialCheck[] = [
  unbroken({
    id: "webhook.input.signature",
    title: "The app does not break on malformed signatures",
    fix: refuseCalmly,
    requests: (prepare) =>
      each(prepare, {
        "upper case": respelled((value) => [upper(value)]),
        "with a prefix": respelled((value) => [`sha256=${value}`]),
        "without the prefix": (request) =>
          withSignature(request, ({ scheme }) => ({ respell: (value) => [value.slice(scheme.prefix.length)] })),
        doubled: respelled((value) => [value, value]),
        "doubled, one of them wrong": respelled((value) => ["0", value]),
        "not ASCII": respelled(() => ["\u00e9\u00fc\u00ff".repeat(20)]),
        "of another length": respelled((value) => [`${value}00`]),
        "one character shorter": respelled((value) => [value.slice(0, -1)]),
        "not digits": respelled((value) => [value.replaceAll(/[0-9a-zA-Z]/g, "!")]),
        "very long": respelled(() => ["a".repeat(6000)]),
        "the word __proto__": respelled(() => ["__proto__"]),
      }),
  }),
  unbroken({
    id: "webhook.input.not-json",
    title: "The app does not break on signed bodies that are not JSON",
    requests: (prepare) =>
      each(prepare, {
        "half of a body": (request) => withBytes(bodyBytesOf(request).subarray(0, 20))(request),
        "an empty body": withBytes(""),
        "plain text": withBytes("app-sim"),
        "bytes that are not UTF-8": withBytes(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
        "a byte order mark": (request) => withBytes(`\ufeff${Buffer.from(bodyBytesOf(request))}`)(request),
      }),
  }),
  unbroken({
    id: "webhook.input.forged-not-json",
    title: "The app does not break on unsigned bodies that are not JSON",
    requests: (prepare) => {
      const unsigned = respelled(() => []);
      return each(prepare, {
        "half of a body": (request) => unsigned(withBytes("{")(request)),
        "an empty body": (request) => unsigned(withBytes("")(request)),
      });
    },
  }),
  unbroken({
    id: "webhook.input.shapes",
    title: "The app does not break on signed bodies of another shape",
    requests: (prepare) =>
      each(prepare, {
        null: withBytes("null"),
        "an array": withBytes("[]"),
        "a string": withBytes('"events"'),
        "no events": withBytes("{}"),
        "events that are null": withBytes('{"events":null}'),
        "events that are an object": withBytes('{"events":{}}'),
        "events that are a string": withBytes('{"events":"project.translated"}'),
        "an event that is null": withBytes('{"events":[null]}'),
        "an event that is a string": withBytes('{"events":["project.translated"]}'),
        "an event without a name": withBytes('{"events":[{}]}'),
        "a name that is a number": withBytes('{"events":[{"event":5}]}'),
        "a name that every object has, such as constructor": withBytes('{"events":[{"event":"constructor"}]}'),
      }),
  }),
  unbroken({
    id: "webhook.input.empty",
    title: "The app does not break on a delivery without events",
    requests: (prepare) => each(prepare, { "no events": (request) => withEvents(request, () => []) }),
  }),
  unbroken({
    id: "webhook.input.fields",
    title: "The app does not break on events with a missing field, or one of another type",
    requests: (prepare) => {
      const all = (changes: Readonly<Record<string, unknown>>) => (request: RequestParts) =>
        withEvents(request, (events) => events.map((event) => ({ ...event, ...changes })));
      return each(prepare, {
        "no project": all({ project: undefined }),
        "no language": all({ targetLanguage: undefined }),
        "a project that is null": all({ project: null }),
        "a language that is null": all({ targetLanguage: null }),
        "a project without its id": all({ project: {} }),
        "ids as numbers": all({ project: { id: 501 }, targetLanguage: { id: 7 } }),
        "an id beyond 2^53": (request) =>
          withBytes(
            Buffer.from(bodyBytesOf(request))
              .toString()
              .replace(/"project":\{"id":[^}]*\}/g, '"project":{"id":9007199254740993}'),
          )(request),
        "an id that is not a number": all({ project: { id: "x'; --" } }),
        "a long id": all({ targetLanguage: { id: "x".repeat(3000) } }),
      });
    },
  }),
  unbroken({
    id: "webhook.input.type",
    title: "The app does not break on other content types",
    requests: (prepare) =>
      each(prepare, {
        "text/plain": (request) => withHeader(request, "Content-Type", "text/plain"),
        form: (request) => withHeader(request, "Content-Type", "application/x-www-form-urlencoded"),
        none: (request) => withHeader(request, "Content-Type", null),
        "no media type": (request) => withHeader(request, "Content-Type", ";"),
      }),
  }),
  unbroken({
    id: "webhook.input.transfer",
    title: "The app does not break on bodies compressed with gzip, or with an unknown Content-Encoding",
    requests: (prepare) =>
      each(prepare, {
        gzip: (request) => ({
          ...withHeader(request, "Content-Encoding", "gzip"),
          body: { bytes: gzipSync(bodyBytesOf(request)) },
        }),
        "invalid gzip": (request) => withHeader(request, "Content-Encoding", "gzip"),
        "an unknown coding": (request) => withHeader(request, "Content-Encoding", "app-sim"),
      }),
  }),
  unbroken({
    id: "webhook.input.method",
    title: "The app does not break on other methods",
    requests: (prepare) =>
      each(prepare, {
        GET: (request) => ({ ...withoutBody(request), method: "GET" }),
        PUT: (request) => ({ ...request, method: "PUT" }),
      }),
  }),
  unbroken({
    id: "webhook.input.headers",
    title: "The app does not break on another organization or module in a delivery",
    requests: (prepare) => {
      const other = (end: Parameters<typeof withRecipient>[1], value: string | null) => (request: RequestParts) =>
        withRecipient(request, end, () => value);
      return each(prepare, {
        "another organization": other("-id", "1"),
        "no organization": other("-id", null),
        "an organization that is not a number": other("-id", "app-sim"),
        "an organization that every object has": other("-id", "constructor"),
        "another domain": other("-domain", "somebody-else"),
        "no domain": other("-domain", null),
        "another module": other("-module-key", "app-sim"),
        "no module": other("-module-key", null),
        "a module that every object has": other("-module-key", "constructor"),
      });
    },
  }),
];

function withoutBody(request: RequestParts): RequestParts {
  const { signature: _, ...rest } = withHeader(request, "Content-Type", null);
  return { ...rest, body: null };
}

/** Checks of what an app must accept, and what it must not break on (hardening W3, W4, W5). */
export const toleranceChecks: readonly (TwinCheck | TrialCheck)[] = [...accepted, ...spellings, ...unbrokenChecks];
