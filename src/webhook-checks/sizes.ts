import type { Trial, TrialCheck, Verdict } from "../checking/check.ts";
import { bodyBytesOf, type RequestParts } from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { namingProject, withEvents } from "./body.ts";

/** What the checks of webhooks can do. */
export interface WebhookTools extends Trial {
  /** The most bytes that the platform puts into one body. */
  readonly batchBytes: number;
}

const sized = (
  events: number,
  facts: Pick<TrialCheck, "id" | "title" | "severity" | "section"> & Partial<TrialCheck>,
): TrialCheck =>
  seriesCheck({
    area: "webhook",
    choices: ["webhook.batch.events"],
    why: "The platform puts simultaneous events into one delivery. An app that accepts only a few events at a time loses all of them.",
    fix: "Process all elements of `events`, and set the limit for bodies well above 100 kB.",
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
    title: "The app accepts a delivery with a single event",
    severity: "must",
    section: "6.1",
    choices: [],
    why: "A delivery has one event or several. Usually only one thing happens at a time.",
    fix: "Process all elements of `events`, however few there are.",
  }),
  sized(500, {
    id: "webhook.events.many",
    title: "The app accepts a delivery with 500 events",
    severity: "should",
    section: "6.1",
  }),
  sized(1000, {
    id: "webhook.events.most",
    title: "The app accepts a delivery with 1,000 events",
    severity: "should",
    section: "6.1",
  }),
];

/** Events of the largest delivery: each is larger than in the others, because apps may limit the number of events. */
const LARGEST_EVENTS = 1000;
/** No longer name fits into the columns of usual databases. */
const LONGEST_NAME = 200;

/** As many events, with names of a length with which the largest delivery fills a body of this many bytes. */
function filled(request: RequestParts, bytes: number, events: number): RequestParts | null {
  const of = (count: number, name: string) =>
    withEvents(request, ([first = {}]) => Array.from({ length: count }, () => namingProject(name)(first)));
  const nameless = of(LARGEST_EVENTS, "");
  if (nameless === null) return null;
  const room = Math.floor((bytes - bodyBytesOf(nameless).length) / LARGEST_EVENTS);
  return room < 1 ? null : of(events, "x".repeat(Math.min(room, LONGEST_NAME)));
}

const largest: TrialCheck<WebhookTools> = {
  id: "webhook.events.largest",
  area: "webhook",
  title: "The app accepts a delivery of nearly 256 KiB, the most that the platform puts into one body",
  section: "6.1",
  severity: "should",
  choices: ["webhook.batch.bytes", "webhook.batch.events"],
  why: "The platform puts simultaneous events into one delivery. An app whose framework accepts only 100 kB loses all of them.",
  fix: "Raise the limit for bodies to 1 MB, such as with the option `limit` of `express.raw` or `express.json`.",
  async run({ prepare, send, batchBytes }) {
    const small = filled(await prepare(), batchBytes, 1);
    const many = withEvents(await prepare(), ([first = {}]) => Array.from({ length: LARGEST_EVENTS }, () => first));
    const large = filled(await prepare(), batchBytes, LARGEST_EVENTS);
    if (small === null || many === null || large === null) return;
    await send("small", small);
    await send("many", many);
    await send("large", large);
  },
  judge({ steps, read }): Verdict {
    const [small, many, large] = ["small", "many", "large"].map((role) => {
      const exchange = steps.find((step) => step.role === role)?.exchange;
      return exchange && { size: exchange.request.body.size, ...read(exchange) };
    });
    if (!small || !many || !large) return skipVerdict("a body has room for only a few events (webhook.batch.bytes)");
    if (small.kind !== "accepted")
      return skipVerdict("the app refuses an event with a name of its project: see webhook.events.new-field");
    if (many.kind !== "accepted") return skipVerdict("the app refuses smaller deliveries: see webhook.events.most");
    if (large.kind === "accepted") return PASSED;
    const sizes = `${withCommas(large.size)} bytes, but accepts one of ${withCommas(many.size)}`;
    return faulty(largest, `the app ${large.says} to a delivery of ${sizes} with as many events`);
  },
};

/** Checks of the size of deliveries (interface 6.1). */
export const webhookSizeChecks: readonly TrialCheck<WebhookTools>[] = [...sizes, largest];
