import type { TrialCheck, TwinCheck, Verdict } from "../checking/check.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import { verifyDelivery } from "./signature-secrets.ts";

type Json = Readonly<Record<string, unknown>>;
/** A body of a correct delivery. */
interface Delivered {
  readonly events: readonly Json[];
}

/** How to hash what was received. */
export const keepsBytes =
  "Keep the raw bytes of the body, compute their HMAC, and parse them only afterwards (in Express: `express.raw`).";
const altered =
  "The signature must cover everything that the app reads. Otherwise anybody who can intercept a delivery can change it.";

/** A twin whose body was changed after signing. */
function alteredTwin(
  facts: Pick<TwinCheck, "id" | "title"> & Partial<Pick<TwinCheck, "severity" | "choices" | "why" | "fix">>,
  alter: (text: string, body: Delivered) => string,
): TwinCheck {
  return {
    area: "webhook",
    section: "5.1",
    severity: "must",
    why: altered,
    fix: verifyDelivery,
    ...facts,
    changes: "body",
    right: "refused",
    twin: (request) => ({
      ...request,
      tamper: (bytes) => {
        const text = Buffer.from(bytes).toString();
        return Buffer.from(alter(text, JSON.parse(text) as Delivered));
      },
    }),
  };
}

/** The body with another first event. */
const withFirst =
  (change: (event: Json) => Json) =>
  (_: string, { events: [first = {}, ...others] }: Delivered) =>
    JSON.stringify({ events: [change(first), ...others] });

const idOf = (object: unknown): string => String((object as Json | undefined)?.id);

/** The text with another letter or digit at the end. */
function otherEnd(text: string): string {
  const last = text.at(-1) ?? "";
  const replaced = /\d/.test(last) ? String((Number(last) + 1) % 10) : last === "z" ? "y" : "z";
  return text.slice(0, -1) + replaced;
}

const sameMeaning = {
  severity: "should",
  choices: ["webhook.signature.content"],
  why: "The signature covers the bytes of the body. An app that hashes JSON that it parsed and serialized again hashes other bytes, and refuses correct deliveries.",
  fix: keepsBytes,
} as const;

const alterations: readonly TwinCheck[] = [
  alteredTwin(
    { id: "webhook.body.event-changed", title: "The app refuses a delivery in which the name of an event was changed" },
    withFirst((event) => ({ ...event, event: otherEnd(String(event.event)) })),
  ),
  alteredTwin(
    { id: "webhook.body.project-changed", title: "The app refuses a delivery in which the project was changed" },
    withFirst((event) => ({ ...event, project: { id: otherEnd(idOf(event.project)) } })),
  ),
  alteredTwin(
    { id: "webhook.body.language-changed", title: "The app refuses a delivery in which the language was changed" },
    withFirst((event) => ({ ...event, targetLanguage: { id: otherEnd(idOf(event.targetLanguage)) } })),
  ),
  alteredTwin(
    { id: "webhook.body.event-added", title: "The app refuses a delivery to which an event was added" },
    (_, { events }) => JSON.stringify({ events: [...events, { ...events[0], project: { id: "1" } }] }),
  ),
  alteredTwin({ id: "webhook.body.emptied", title: "The app refuses a delivery whose events were removed" }, () =>
    JSON.stringify({ events: [] }),
  ),
  alteredTwin(
    { id: "webhook.body.field-added", title: "The app refuses a delivery to which a field was added" },
    (_, body) => JSON.stringify({ ...body, forged: true }),
  ),
  alteredTwin(
    {
      id: "webhook.body.name-doubled",
      title: "The app refuses a delivery in which a second project was written after the first",
      why: "Of two members with the same name, most parsers use the last. An app that hashes what it parsed does not see the first.",
    },
    (text) => text.replace(/("project":\{[^}]*\})/, '$1,"project":{"id":"1"}'),
  ),
  alteredTwin(
    {
      id: "webhook.body.space-added",
      title: "The app refuses a delivery to which a space was added after signing",
      ...sameMeaning,
    },
    (text) => text.replace("{", "{ "),
  ),
  alteredTwin(
    {
      id: "webhook.body.line-added",
      title: "The app refuses a delivery to which a line ending was added after signing",
      ...sameMeaning,
    },
    (text) => `${text}\n`,
  ),
  alteredTwin(
    {
      id: "webhook.body.order-changed",
      title: "The app refuses a delivery whose fields were reordered after signing",
      ...sameMeaning,
    },
    withFirst((event) => Object.fromEntries(Object.entries(event).reverse())),
  ),
];

/** A twin with the same meaning in other bytes, correctly signed. */
function respelledTwin(
  facts: Pick<TwinCheck, "id" | "title"> & Partial<Pick<TwinCheck, "severity" | "choices">>,
  respell: (text: string, body: Delivered) => string,
): TwinCheck {
  return {
    area: "webhook",
    section: "5.1",
    severity: "must",
    choices: ["webhook.signature.content"],
    why: "An app that refuses such a delivery hashes a re-serialized body: JSON that it parsed and serialized again, which may differ from what was sent. One day the platform formats deliveries differently, and the app refuses them all.",
    fix: keepsBytes,
    changes: "json.spelling",
    ...facts,
    right: "accepted",
    twin: (request) => {
      const body = deliveredIn(request);
      return body === null ? null : { ...request, body: { bytes: Buffer.from(respell(JSON.stringify(body), body)) } };
    },
  };
}

function deliveredIn({ body }: RequestParts): Delivered | null {
  return body !== null && "json" in body ? (body.json as Delivered) : null;
}

const respellings: readonly TwinCheck[] = [
  respelledTwin(
    {
      id: "webhook.spelling.spaces",
      title: "The app accepts a signed delivery with spaces and line breaks in its JSON",
    },
    (_, body) => JSON.stringify(body, null, 2),
  ),
  respelledTwin(
    { id: "webhook.spelling.line-end", title: "The app accepts a signed delivery with a line ending at its end" },
    (text) => `${text}\n`,
  ),
  respelledTwin(
    { id: "webhook.spelling.escapes", title: "The app accepts a signed delivery with escaped letters" },
    (text) => text.replace(/"event":"(.)/, (_, letter: string) => `"event":"\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
  respelledTwin(
    { id: "webhook.spelling.order", title: "The app accepts a signed delivery whose fields are in another order" },
    (_, { events }) =>
      JSON.stringify({ events: events.map((event) => Object.fromEntries(Object.entries(event).reverse())) }),
  ),
];

/** The request with other events, correctly signed. */
export function withEvents(request: RequestParts, change: (events: readonly Json[]) => unknown): RequestParts | null {
  const body = deliveredIn(request);
  return body === null ? null : { ...request, body: { json: { events: change(body.events) } } };
}

/** The delivery with this many events, its own over and over again; null: its body has no events. */
export function withManyEvents(request: RequestParts, count: number): RequestParts | null {
  return withEvents(request, (events) => Array.from({ length: count }, (_, index) => events[index % events.length]));
}

/** A project name with letters of many scripts, one of them beyond 16 bits. */
const FOREIGN = "Übergrößen – Ďáblův, Їжак, 日本語, 😀";
/** Letters that a Unicode normalization replaces by others: a letter and its accent, the ångström and the ohm sign. */
const UNNORMALIZED = "cafe\u0301, 10 \u212b, 50 \u2126";

/** Gives the project of an event a name, which the interface does not have. */
export const named = (name: string) => (event: Json) => ({ ...event, project: { ...(event.project as Json), name } });
/** So long that multi-byte letters are split between the chunks in which it arrives. */
const LONG_NAMES = 700;

const nonAscii: TrialCheck = {
  id: "webhook.spelling.non-ascii",
  area: "webhook",
  title: "The app accepts signed deliveries with text in any script",
  section: "2.6",
  severity: "must",
  choices: ["webhook.signature.content"],
  why: "An app that decodes the body into text before hashing it may get other bytes. Then it refuses every delivery with a character outside ASCII.",
  fix: keepsBytes,
  async run({ prepare, send }) {
    const ascii = withEvents(await prepare(), (events) => events.map(named("Sizes")));
    const foreign = withEvents(await prepare(), (events) => events.map(named(FOREIGN)));
    const unnormalized = withEvents(await prepare(), (events) => events.map(named(UNNORMALIZED)));
    const many = async (name: string) =>
      withEvents(await prepare(), ([first = {}]) => Array.from({ length: LONG_NAMES }, () => named(name)(first)));
    const [long, longAscii] = [await many(FOREIGN), await many("S".repeat(Buffer.byteLength(FOREIGN)))];
    if (ascii !== null) await send("ascii", ascii);
    if (foreign !== null) await send("foreign", foreign);
    if (unnormalized !== null) await send("unnormalized", unnormalized);
    if (long !== null) await send("long", long);
    if (longAscii !== null) await send("long ascii", longAscii);
  },
  judge({ steps, read }): Verdict {
    const of = (role: string) => steps.find((step) => step.role === role)?.exchange;
    const [ascii, foreign, unnormalized, long] = [of("ascii"), of("foreign"), of("unnormalized"), of("long")];
    if (ascii === undefined || foreign === undefined || long === undefined) return skipVerdict("nothing was sent");
    if (read(ascii).kind !== "accepted") return skipVerdict("the app refuses new fields: see webhook.events.new-field");
    if (read(foreign).kind !== "accepted")
      return {
        result: "fail",
        reason: `the app ${read(foreign).says} to a name in other scripts, but accepts one in English`,
      };
    // A journal from before this was sent does not have it.
    if (unnormalized !== undefined && read(unnormalized).kind !== "accepted")
      return {
        result: "fail",
        reason: `the app ${read(unnormalized).says} to a name in letters that Unicode normalization changes, such as e and U+0301: does it normalize the body before hashing it?`,
      };
    // The interface does not show how large a body an app must accept.
    if (long.response?.status === 413 || read(long).kind === "accepted") return PASSED;
    const longAscii = of("long ascii");
    if (longAscii !== undefined && read(longAscii).kind !== "accepted")
      return skipVerdict("the app refuses a delivery of this size in ASCII, too");
    return {
      result: "fail",
      reason: `the app ${read(long).says} to many names in other scripts: does it join the body's chunks before decoding them as text?`,
    };
  },
};

/** Checks of the content and the format of bodies (hardening W2, W4). */
export const webhookBodyChecks: readonly (TwinCheck | TrialCheck)[] = [...alterations, ...respellings, nonAscii];

/** Another last letter or digit in the body. */
export function withOtherLetter(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body).toString();
  return Buffer.from(text.replace(/\w(?=\W*$)/, (last) => (last === "x" ? "y" : "x")));
}
