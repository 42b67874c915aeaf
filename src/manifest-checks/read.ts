import { isDeepStrictEqual } from "node:util";
import { explainOutcome } from "../app-client/explain-outcome.ts";
import type { Verdict } from "../checking/check.ts";
import type { ManifestReading } from "../checking/declared-app.ts";
import { answerOf } from "../checking/reply.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { explainManifestStatus } from "../platform/manifest-status.ts";
import { hasByteOrderMark } from "../protocol/byte-order-mark.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { hasMembers } from "../protocol/json-object.ts";
import { mediaType } from "../protocol/media-type.ts";
import { pathText } from "../protocol/problems.ts";
import { type ManifestCheck, valueOfExchange } from "./reading.ts";

/** The maximum time for a text that never changes. */
const PROMPT_MS = 2000;

const facts = { area: "manifest", section: "2.1", severity: "must" } as const;
const unread = "A platform that cannot read the manifest cannot install the app. None of its modules is ever called.";

const failed = (reason: string): Verdict => ({ result: "fail", reason });
const warned = (reason: string): Verdict => ({ result: "warn", reason });

/** The verdict about the first read over HTTP. */
const overHttp =
  (judge: (first: Exchange, reading: ManifestReading) => Verdict) =>
  (reading: ManifestReading): Verdict => {
    const [first] = reading.exchanges;
    return first === undefined ? skipVerdict("the manifest is a file") : judge(first, reading);
  };

/** The path of the first value in which two JSON values differ, "" for the whole; null: they are the same. */
function firstDifference(one: unknown, other: unknown, path: readonly PropertyKey[] = []): string | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (hasMembers(one) && hasMembers(other) && Array.isArray(one) === Array.isArray(other)) {
    const isList = Array.isArray(one);
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const place = firstDifference(one[key], other[key], [...path, isList ? Number(key) : key]);
      if (place !== null) return place;
    }
  }
  return pathText(path);
}

/** The verdict about the bytes of the manifest. */
const ofBytes =
  (judge: (bytes: Uint8Array, reading: ManifestReading) => Verdict) =>
  (reading: ManifestReading): Verdict =>
    reading.bytes === null
      ? skipVerdict("there was no manifest: see manifest.read.found")
      : judge(reading.bytes, reading);

/** Checks of how the manifest is served and encoded, and that it has no secrets. */
export const manifestReadChecks: readonly ManifestCheck[] = [
  {
    ...facts,
    id: "manifest.read.found",
    title: "The app serves its manifest with status 200",
    why: unread,
    fix: "Answer GET /manifest.json with 200 and the manifest, without requiring a login; or give its address with --manifest.",
    judge: overHttp((first, { bytes, origins: [app = ""] }) => {
      const { outcome, request, response } = first;
      if (outcome.kind !== "answered") return failed(explainOutcome(outcome, request.url).reason);
      if (response?.status !== 200) {
        const { hint } = explainManifestStatus(answerOf(first), request.url, app);
        return { ...failed(`the app answered ${response?.status ?? "nothing"}`), ...(hint === null ? {} : { hint }) };
      }
      return bytes === null ? failed("the manifest is too large, or its gzip is broken") : PASSED;
    }),
  },
  {
    ...facts,
    id: "manifest.read.json",
    title: "The manifest is one JSON value in UTF-8",
    section: "RFC 8259, 8.1",
    why: unread,
    fix: "Write the manifest with a JSON serializer instead of by hand.",
    judge: ofBytes((_, { fault }) => (fault === null ? PASSED : failed(fault))),
  },
  {
    ...facts,
    id: "manifest.read.byte-order-mark",
    title: "The manifest has no byte order mark",
    section: "RFC 8259, 8.1",
    why: "A byte order mark is not part of JSON, and strict parsers refuse it. Editors do not show it.",
    fix: "Save the file as UTF-8 without a byte order mark.",
    judge: ofBytes((bytes) => (hasByteOrderMark(bytes) ? failed("it starts with a byte order mark") : PASSED)),
  },
  {
    ...facts,
    id: "manifest.read.names-once",
    title: "No object of the manifest has the same name twice",
    section: "RFC 8259, 4",
    why: "Of two members with the same name, parsers use the first, the last, or none. Modules of the other one are never called.",
    fix: "Put all modules of one type into one array, and give each field once.",
    judge: ofBytes((_, { value, repeatedName }) => {
      if (value === undefined) return skipVerdict("the manifest is not JSON");
      return repeatedName === null ? PASSED : failed(`the manifest ${repeatedName}`);
    }),
  },
  {
    ...facts,
    id: "manifest.read.type",
    title: "The manifest is served as application/json",
    severity: "should",
    section: "RFC 8259, 11",
    why: "A reader that goes by the content type mistakes the manifest for something else. Browsers even refuse to read it.",
    fix: "Send Content-Type: application/json.",
    judge: overHttp(({ response }, { bytes }) => {
      if (bytes === null) return skipVerdict("there was no manifest: see manifest.read.found");
      const type = mediaType(headerValue(response?.headers ?? [], "content-type"));
      if (type === "application/json" || type.endsWith("+json")) return PASSED;
      return warned(`its content type is ${type === "" ? "missing" : harmlessLine(type)}`);
    }),
  },
  {
    ...facts,
    id: "manifest.read.same",
    title: "Two reads of the manifest agree",
    why: "A platform may read the manifest at any time. If it changes by itself, different modules are installed each time.",
    fix: "Serve the same manifest to every reader; nothing in it may be random or vary.",
    judge: overHttp((first, { exchanges: [, second], bytes }) => {
      if (bytes === null) return skipVerdict("there was no manifest: see manifest.read.found");
      if (second === undefined) return skipVerdict("it was read once");
      if (second.response?.status !== first.response?.status) {
        return failed(`the second read was answered with ${second.response?.status ?? "nothing"}`);
      }
      const [one, other] = [first, second].map(valueOfExchange);
      const place = firstDifference(one, other);
      if (place === null) return PASSED;
      return failed(`the second read has different content${place === "" ? "" : `: look at ${harmlessLine(place)}`}`);
    }),
  },
  {
    ...facts,
    id: "manifest.read.secret",
    title: "The manifest holds no secret of the app",
    section: "5.1",
    why: "Anybody can read the manifest. With the client secret they can forge tokens for anybody; with the app secret they can forge events.",
    fix: "Remove the secrets from the manifest, and have new ones issued.",
    judge: ofBytes((_, { secrets }) => (secrets.length === 0 ? PASSED : failed(`it holds the ${secrets.join(", ")}`))),
  },
  {
    ...facts,
    id: "manifest.read.prompt",
    title: "The manifest arrives within 2 seconds",
    severity: "should",
    why: "Users who install the app wait for its manifest. It never changes, so there is nothing to compute.",
    fix: "Keep the manifest in memory.",
    judge: overHttp((_, { exchanges }) => {
      const times = exchanges
        .filter(({ outcome }) => outcome.kind === "answered")
        .map(({ timings }) => timings.totalMs);
      const quickest = Math.min(...times);
      return times.length === 0 || quickest <= PROMPT_MS ? PASSED : warned(`it took ${(quickest / 1000).toFixed(1)} s`);
    }),
  },
];

/** Why nothing can be said about what a manifest declares: it was not read. */
export function unreadManifest(reading: ManifestReading): Verdict {
  const [first] = reading.exchanges;
  const where = first === undefined ? "the file" : harmlessLine(first.request.url);
  const verdicts = manifestReadChecks.map((check) => check.judge(reading));
  const { reason, hint } = verdicts.find(({ result }) => result === "fail") ?? { reason: "it is not JSON" };
  return skipVerdict(`no manifest was read from ${where}: ${reason}`, hint);
}
