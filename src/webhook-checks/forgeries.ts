import { gzipSync } from "node:zlib";
import type { TrialCheck, TwinCheck } from "../checking/check.ts";
import { bodyBytesOf, type RequestParts, withHeader, withSignature } from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";
import { strangersSecret } from "../checking/token-twin.ts";
import { headerValue } from "../journal/exchange.ts";
import { withEvents } from "./body.ts";
import { forgedDelivery, refuseCalmly, signatureTwin, verifyDelivery, withKey } from "./signature-secrets.ts";

const facts = {
  area: "webhook",
  section: "5.1",
  severity: "must",
  why: forgedDelivery,
  mend: verifyDelivery,
  mendBroken: refuseCalmly,
  right: "refused",
} as const;

const unsigned = (request: RequestParts) => withSignature(request, () => ({ respell: () => [] }));
const withoutHeaders = (request: RequestParts) => unsigned({ ...request, headers: [] });

const reversed: TwinCheck = signatureTwin(
  {
    id: "webhook.signature.reversed",
    title: "The app refuses a signature whose characters stand in another order",
    why: "A comparison that adds up what differs may find that nothing does. The app then acts on events that never happened.",
  },
  ({ scheme: { prefix } }) => ({
    respell: (value) => [prefix + [...value.slice(prefix.length)].reverse().join("")],
  }),
);

/** Headers whose absence, or whose other value, may lead past the verification. */
const otherHeaders: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.missing-other-headers",
  title: "The app refuses a delivery without a signature, whatever its other headers",
  why: "Whoever forges a delivery chooses all of its headers. A header that is missing, or has another value, must not lead past the verification.",
  requests: async (prepare) => {
    const changed = async (name: string, value: string | null) => {
      const request = unsigned(await prepare());
      return request === null ? null : withHeader(request, name, value);
    };
    const names = (await prepare()).headers.map(([name]) => name).filter((name) => !/^content-/i.test(name));
    const missing: [string, RequestParts | null][] = [];
    for (const name of names) missing.push([`without ${name}`, await changed(name, null)]);
    return {
      ...Object.fromEntries(missing),
      "with another User-Agent": await changed("User-Agent", "app-sim"),
      "for this machine": await changed("X-Forwarded-For", "127.0.0.1"),
      "for another module": await forOtherModule(prepare),
      "in gzip": await inGzip(prepare),
      "in chunks": inChunks(unsigned(await prepare())),
      "in chunks, signed by another secret": inChunks(withSignature(await prepare(), withKey(strangersSecret))),
      "without any of these headers": withoutHeaders(await prepare()),
    };
  },
  pardon: ({ request, response, outcome }) => {
    // An app may answer 411 before it reads the body. The answer is lost if it closes the connection while bytes arrive.
    const isInChunks = headerValue(request.headers, "transfer-encoding") === "chunked";
    if (isInChunks && outcome.kind === "disconnected") return "the app takes no body without a Content-Length";
    return response !== null && response.status >= 500
      ? "the app breaks on other headers, see webhook.input.headers"
      : null;
  },
});

async function forOtherModule(prepare: () => Promise<RequestParts>): Promise<RequestParts | null> {
  const request = unsigned(await prepare());
  const name = request?.headers.find(([line]) => /module-key$/i.test(line))?.[0];
  return request === null || name === undefined ? null : withHeader(request, name, "app-sim");
}

async function inGzip(prepare: () => Promise<RequestParts>): Promise<RequestParts | null> {
  const request = unsigned(await prepare());
  if (request === null) return null;
  return { ...withHeader(request, "Content-Encoding", "gzip"), body: { bytes: gzipSync(bodyBytesOf(request)) } };
}

/** Without the header Content-Length, which some code asks whether there is a body. */
function inChunks(request: RequestParts | null): RequestParts | null {
  return request && { ...request, chunked: true };
}

/** An address is often routed for all methods, and guarded for one. */
const otherMethods: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.missing-other-method",
  title: "The app refuses a delivery without a signature, whatever its method",
  severity: "should",
  why: "What is verified in one route is often not verified in the next one. Whoever forges a delivery chooses its method, too.",
  mend: "Take POST alone at this address, and answer 405 to the others; or verify before the method is looked at.",
  requests: async (prepare) => {
    const request = unsigned(await prepare());
    return { PUT: request && { ...request, method: "PUT" } };
  },
  pardon: ({ response }) =>
    response !== null && response.status >= 500 ? "the app breaks on other methods, see webhook.input.method" : null,
});

/** As many as one delivery may have: more than 64 KB. */
const MANY = 1000;

const many: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.signature.missing-many",
  title: `The app refuses a delivery of ${MANY} events that is not signed, or signed by another secret`,
  why: "What takes long, such as the hash of a large body, is easily left out for some deliveries. Whoever forges one makes it as large as it has to be.",
  requests: async (prepare) => {
    const large = async () => withEvents(await prepare(), ([first = {}]) => Array.from({ length: MANY }, () => first));
    const [missing, other, changed] = [await large(), await large(), await large()];
    return {
      "without a signature": missing && unsigned(missing),
      "signed by another secret": other && withSignature(other, withKey(strangersSecret)),
      "changed at its end": changed && { ...changed, tamper: withOtherEnd },
    };
  },
});

/** The last letter or digit of the body is another one. */
function withOtherEnd(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body).toString();
  return Buffer.from(text.replace(/\w(?=\W*$)/, (last) => (last === "x" ? "y" : "x")));
}

const bytes = {
  ...facts,
  severity: "should",
  choices: ["webhook.signature.content"],
  why: "What was signed is the bytes of the body. An app that turns them into text first takes different deliveries for the same one.",
  mend: "Keep the bytes of the body as they came, and compute the HMAC of these.",
} as const;

const lineEnds: TrialCheck = seriesCheck({
  ...bytes,
  id: "webhook.body.line-ends-changed",
  title: "The app refuses a delivery whose line ends were changed after it was signed",
  requests: async (prepare) => {
    const request = await prepare();
    const lines = request.body !== null && "json" in request.body ? JSON.stringify(request.body.json, null, 2) : null;
    return {
      "line ends": lines === null ? null : { ...request, body: { bytes: Buffer.from(lines) }, tamper: withLineEnds },
    };
  },
});

function withLineEnds(body: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(body).toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

/** What stands for bytes that are no UTF-8, once they are read as text. */
const REPLACEMENT = Buffer.from("\ufffd").toString("latin1");

const invalidBytes: TrialCheck = seriesCheck({
  ...bytes,
  id: "webhook.body.bytes-changed",
  title: "The app refuses a delivery in which bytes were changed that are no text",
  requests: async (prepare) => {
    const replaced = withEvents(await prepare(), (events) =>
      events.map((event) => ({ ...event, project: { ...(event.project as object), name: "\ufffd" } })),
    );
    const inLatin1 = (change: (text: string) => string) => (body: Uint8Array) =>
      Buffer.from(change(Buffer.from(body).toString("latin1")), "latin1");
    return {
      "a byte in place of the character that stands for it": replaced && {
        ...replaced,
        tamper: inLatin1((text) => text.replaceAll(REPLACEMENT, "\xff")),
      },
      "a byte that is left out of text": {
        ...(await prepare()),
        tamper: inLatin1((text) => text.replace(/("id":")/, "$1\xff")),
      },
    };
  },
});

/** The checks of deliveries that take another way through an app than usual ones (hardening W1, W2). */
export const forgeryChecks: readonly (TwinCheck | TrialCheck)[] = [
  reversed,
  otherHeaders,
  otherMethods,
  many,
  lineEnds,
  invalidBytes,
];
