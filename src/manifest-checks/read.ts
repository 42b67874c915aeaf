import { isDeepStrictEqual } from "node:util";
import { explainOutcome } from "../app-client/explain-outcome.ts";
import type { Verdict } from "../checking/check.ts";
import type { ManifestReading } from "../checking/declared-app.ts";
import { answerOf } from "../checking/reply.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { explainManifestStatus } from "../platform/manifest-status.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { mediaType } from "../protocol/media-type.ts";
import { hasByteOrderMark, type ManifestCheck, valueOfExchange } from "./reading.ts";

/** Longer than this nobody should have to wait for a text that never changes. */
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

/** The verdict about the bytes of the manifest. */
const ofBytes =
  (judge: (bytes: Uint8Array, reading: ManifestReading) => Verdict) =>
  (reading: ManifestReading): Verdict =>
    reading.bytes === null ? skipVerdict("no manifest came: see manifest.read.found") : judge(reading.bytes, reading);

/** The checks of how the manifest is served and encoded, and that it tells no secrets. */
export const manifestReadChecks: readonly ManifestCheck[] = [
  {
    ...facts,
    id: "manifest.read.found",
    title: "The app serves its manifest with the status 200",
    why: unread,
    mend: "Answer GET /manifest.json with 200 and the manifest, without asking for a login; or name its address with --manifest.",
    judge: overHttp((first, { bytes, origins: [app = ""] }) => {
      const { outcome, request, response } = first;
      if (outcome.kind !== "answered") return failed(explainOutcome(outcome, request.url).reason);
      if (response?.status !== 200) {
        const { hint } = explainManifestStatus(answerOf(first), request.url, app);
        return { ...failed(`the app answered ${response?.status ?? "nothing"}`), ...(hint === null ? {} : { hint }) };
      }
      return bytes === null ? failed("the manifest is larger than what is read of it, or its gzip is broken") : PASSED;
    }),
  },
  {
    ...facts,
    id: "manifest.read.json",
    title: "The manifest is one JSON value in UTF-8",
    section: "RFC 8259, 8.1",
    why: unread,
    mend: "Write the manifest with a JSON serializer instead of by hand.",
    judge: ofBytes((_, { fault }) => (fault === null ? PASSED : failed(fault))),
  },
  {
    ...facts,
    id: "manifest.read.byte-order-mark",
    title: "The manifest begins without a byte order mark",
    section: "RFC 8259, 8.1",
    why: "A byte order mark is no part of JSON, and strict readers refuse it. Nobody sees it in an editor.",
    mend: "Save the file as UTF-8 without a byte order mark.",
    judge: ofBytes((bytes) => (hasByteOrderMark(bytes) ? failed("it begins with a byte order mark") : PASSED)),
  },
  {
    ...facts,
    id: "manifest.read.names-once",
    title: "No name stands twice in an object of the manifest",
    section: "RFC 8259, 4",
    why: "Of two members of one name readers take the first, the last, or none. Modules of the other one are never called.",
    mend: "Put all modules of one type into one array, and give each field once.",
    judge: ofBytes((_, { value, repeatedName }) => {
      if (value === undefined) return skipVerdict("the manifest is no JSON");
      return repeatedName === null ? PASSED : failed(`the manifest ${repeatedName}`);
    }),
  },
  {
    ...facts,
    id: "manifest.read.type",
    title: "The manifest is served as application/json",
    severity: "should",
    section: "RFC 8259, 11",
    why: "A reader that goes by the content type takes the manifest for something else. Browsers even refuse to read it.",
    mend: "Send Content-Type: application/json.",
    judge: overHttp(({ response }, { bytes }) => {
      if (bytes === null) return skipVerdict("no manifest came: see manifest.read.found");
      const type = mediaType(headerValue(response?.headers ?? [], "content-type"));
      if (type === "application/json" || type.endsWith("+json")) return PASSED;
      return warned(`its content type is ${type === "" ? "missing" : harmlessLine(type)}`);
    }),
  },
  {
    ...facts,
    id: "manifest.read.same",
    title: "Two reads of the manifest agree",
    why: "A platform reads the manifest when it likes. One that changes by itself installs other modules each time.",
    mend: "Serve the same manifest to every reader; nothing in it may be random, or be changed as it is served.",
    judge: overHttp((first, { exchanges: [, second], bytes }) => {
      if (bytes === null) return skipVerdict("no manifest came: see manifest.read.found");
      if (second === undefined) return skipVerdict("it was read once");
      if (second.response?.status !== first.response?.status) {
        return failed(`the second read was answered with ${second.response?.status ?? "nothing"}`);
      }
      const [one, other] = [first, second].map(valueOfExchange);
      return isDeepStrictEqual(one, other) ? PASSED : failed("the second read has something else in it");
    }),
  },
  {
    ...facts,
    id: "manifest.read.secret",
    title: "The manifest holds no secret of the app",
    section: "5.1",
    why: "Anybody can read the manifest. Whoever knows the client secret writes tokens for anybody; whoever knows the app secret, events.",
    mend: "Leave the secrets out of the manifest, and have new ones issued.",
    judge: ofBytes((_, { secrets }) => (secrets.length === 0 ? PASSED : failed(`it holds the ${secrets.join(", ")}`))),
  },
  {
    ...facts,
    id: "manifest.read.prompt",
    title: "The manifest comes within 2 seconds",
    severity: "should",
    why: "Whoever installs the app waits for its manifest. It never changes, so there is nothing to compute.",
    mend: "Keep the manifest in memory.",
    judge: overHttp((_, { exchanges }) => {
      const times = exchanges
        .filter(({ outcome }) => outcome.kind === "answered")
        .map(({ timings }) => timings.totalMs);
      const quickest = Math.min(...times);
      return times.length === 0 || quickest <= PROMPT_MS ? PASSED : warned(`it took ${(quickest / 1000).toFixed(1)} s`);
    }),
  },
];
