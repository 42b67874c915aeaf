import type { TrialCheck, TwinCheck, Verdict } from "../checking/check.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";

type Json = Readonly<Record<string, unknown>>;
/** A body of a right delivery. */
interface Delivered {
  readonly events: readonly Json[];
}

const signsBytes =
  "Keep the bytes of the body as they came, compute the HMAC of these, and parse them only afterwards (in Express: `express.raw`).";
const altered =
  "The signature must cover all that the app reads. Otherwise whoever can change a delivery on its way makes another one of it.";

/** A twin whose body was changed after it was signed. */
function alteredTwin(
  facts: Pick<TwinCheck, "id" | "title"> & Partial<Pick<TwinCheck, "severity" | "choices" | "why">>,
  alter: (text: string, body: Delivered) => string,
): TwinCheck {
  return {
    area: "webhook",
    section: "5.1",
    severity: "must",
    why: altered,
    mend: signsBytes,
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

/** The first event is another one. */
const withFirst =
  (change: (event: Json) => Json) =>
  (_: string, { events: [first = {}, ...others] }: Delivered) =>
    JSON.stringify({ events: [change(first), ...others] });

const idOf = (object: unknown): string => String((object as Json | undefined)?.id);

/** Another letter or digit at the end. */
function otherEnd(text: string): string {
  const last = text.at(-1) ?? "";
  const replaced = /\d/.test(last) ? String((Number(last) + 1) % 10) : last === "z" ? "y" : "z";
  return text.slice(0, -1) + replaced;
}

const sameMeaning = {
  severity: "should",
  choices: ["webhook.signature.content"],
  why: "What was signed is the bytes of the body. An app that hashes what it parsed and wrote again takes other bytes, and refuses right ones.",
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
  alteredTwin(
    { id: "webhook.body.emptied", title: "The app refuses a delivery from which the events were taken" },
    () => JSON.stringify({ events: [] }),
  ),
  alteredTwin(
    { id: "webhook.body.field-added", title: "The app refuses a delivery to which a field was added" },
    (_, body) => JSON.stringify({ ...body, forged: true }),
  ),
  alteredTwin(
    {
      id: "webhook.body.name-doubled",
      title: "The app refuses a delivery in which a second project was written after the first",
      why: "Of two members of one name most readers take the last. An app that hashes what it parsed does not see the first.",
    },
    (text) => text.replace(/("project":\{[^}]*\})/, '$1,"project":{"id":"1"}'),
  ),
  alteredTwin(
    {
      id: "webhook.body.space-added",
      title: "The app refuses a delivery to which a space was added after it was signed",
      ...sameMeaning,
    },
    (text) => text.replace("{", "{ "),
  ),
  alteredTwin(
    {
      id: "webhook.body.line-added",
      title: "The app refuses a delivery to which the end of a line was added after it was signed",
      ...sameMeaning,
    },
    (text) => `${text}\n`,
  ),
  alteredTwin(
    {
      id: "webhook.body.order-changed",
      title: "The app refuses a delivery whose fields were put into another order after it was signed",
      ...sameMeaning,
    },
    withFirst((event) => Object.fromEntries(Object.entries(event).reverse())),
  ),
];

/** A twin of the same meaning in other bytes, rightly signed. */
function respelledTwin(
  facts: Pick<TwinCheck, "id" | "title"> & Partial<Pick<TwinCheck, "severity" | "choices">>,
  respell: (text: string, body: Delivered) => string,
): TwinCheck {
  return {
    area: "webhook",
    section: "5.1",
    severity: "must",
    choices: ["webhook.signature.content"],
    why: "Your app hashes a re-serialized body: what it parsed, written again, which is not always what was sent. One day the platform writes a delivery another way, and the app refuses them all.",
    mend: signsBytes,
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
    { id: "webhook.spelling.spaces", title: "The app accepts a signed delivery with spaces and lines in it" },
    (_, body) => JSON.stringify(body, null, 2),
  ),
  respelledTwin(
    { id: "webhook.spelling.line-end", title: "The app accepts a signed delivery that ends with the end of a line" },
    (text) => `${text}\n`,
  ),
  respelledTwin(
    { id: "webhook.spelling.escapes", title: "The app accepts a signed delivery with letters that are escaped" },
    (text) => text.replace(/"event":"(.)/, (_, letter: string) => `"event":"\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
  respelledTwin(
    { id: "webhook.spelling.order", title: "The app accepts a signed delivery whose fields are in another order" },
    (_, { events }) =>
      JSON.stringify({ events: events.map((event) => Object.fromEntries(Object.entries(event).reverse())) }),
  ),
];

/** The request with other events, rightly signed. */
export function withEvents(request: RequestParts, change: (events: readonly Json[]) => unknown): RequestParts | null {
  const body = deliveredIn(request);
  return body === null ? null : { ...request, body: { json: { events: change(body.events) } } };
}

/** A name of a project in the letters of many scripts, and of one beyond 16 bits. */
const FOREIGN = "Übergrößen – Ďáblův, Їжак, 日本語, 😀";

const named = (name: string) => (event: Json) => ({ ...event, project: { ...(event.project as Json), name } });
/** So long that letters of several bytes lie across the pieces in which it arrives. */
const LONG_NAMES = 700;

const nonAscii: TrialCheck = {
  id: "webhook.spelling.non-ascii",
  area: "webhook",
  title: "The app accepts signed deliveries in any script",
  section: "2.6",
  severity: "must",
  choices: ["webhook.signature.content"],
  why: "An app that turns the body into text before it hashes it may get other bytes. Then it refuses every delivery that has more than English in it.",
  mend: signsBytes,
  async run({ prepare, send }) {
    const ascii = withEvents(await prepare(), (events) => events.map(named("Sizes")));
    const foreign = withEvents(await prepare(), (events) => events.map(named(FOREIGN)));
    const long = withEvents(await prepare(), ([first = {}]) =>
      Array.from({ length: LONG_NAMES }, () => named(FOREIGN)(first)),
    );
    if (ascii !== null) await send("ascii", ascii);
    if (foreign !== null) await send("foreign", foreign);
    if (long !== null) await send("long", long);
  },
  judge({ steps, read }): Verdict {
    const of = (role: string) => steps.find((step) => step.role === role)?.exchange;
    const [ascii, foreign, long] = [of("ascii"), of("foreign"), of("long")];
    if (ascii === undefined || foreign === undefined || long === undefined) return skipVerdict("nothing was sent");
    if (read(ascii).kind !== "accepted")
      return skipVerdict("the app refuses fields that are new: see webhook.events.new-field");
    if (read(foreign).kind !== "accepted")
      return {
        result: "fail",
        reason: `the app ${read(foreign).says} to a name in other scripts, and takes one in English`,
      };
    // How much an app takes is not shown.
    if (long.response?.status === 413 || read(long).kind === "accepted") return PASSED;
    return {
      result: "fail",
      reason: `the app ${read(long).says} to many names in other scripts: are its pieces put together before they are read as text?`,
    };
  },
};

const sized = (
  events: number,
  facts: Pick<TrialCheck, "id" | "title" | "severity" | "section"> & Partial<TrialCheck>,
): TrialCheck =>
  seriesCheck({
    area: "webhook",
    choices: ["webhook.batch.events"],
    why: "The platform puts what happened at the same time into one delivery. An app that takes only a few events at a time loses all of them.",
    mend: "Go through all elements of `events`, and let the limit of the body be well above 100 kB.",
    ...facts,
    right: "accepted",
    requests: async (prepare) => {
      const of = async (count: number) =>
        withEvents(await prepare(), ([first = {}]) => Array.from({ length: count }, () => first));
      return { [events === 1 ? "one event" : `${events} events`]: await of(events) };
    },
  });

const sizes: readonly TrialCheck[] = [
  sized(1, {
    id: "webhook.events.one",
    title: "The app accepts a delivery of a single event",
    severity: "must",
    section: "6.1",
    choices: [],
    why: "A delivery carries one event or several. Most of the time just one thing happens.",
    mend: "Go through all elements of `events`, however few they are.",
  }),
  sized(500, {
    id: "webhook.events.many",
    title: "The app accepts a delivery of 500 events",
    severity: "should",
    section: "6.1",
  }),
  sized(1000, {
    id: "webhook.events.most",
    title: "The app accepts a delivery of 1000 events",
    severity: "should",
    section: "6.1",
  }),
];

/** The checks of what is in a body and how it is written (hardening W2, W4). */
export const webhookBodyChecks: readonly (TwinCheck | TrialCheck)[] = [
  ...alterations,
  ...respellings,
  nonAscii,
  ...sizes,
];
