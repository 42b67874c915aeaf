import type { Evidence, TrialCheck, Verdict } from "../checking/check.ts";
import { seriesCheck } from "../checking/series.ts";
import type { Exchange } from "../journal/exchange.ts";
import { PROMPT_MS } from "./answers.ts";
import { withManyEvents } from "./body.ts";

/** How many events show that an app's work grows with their number. */
const MANY = 500;

const answerFirst = "Answer as soon as the signature is verified, and handle the events afterwards.";

type Sized = Pick<TrialCheck, "id" | "title" | "severity"> & Partial<TrialCheck>;

/** A check with this many events in one delivery. */
function eventCountCheck(events: number, facts: Sized): TrialCheck {
  return seriesCheck({
    area: "webhook",
    section: "6.1",
    choices: ["webhook.batch.events", "webhook.timeout"],
    why: "The platform puts simultaneous events into one delivery. An app that accepts only a few events at a time, or takes long over them, loses all of them.",
    fix: "Process all elements of `events`, and set the limit for bodies well above 100 kB.",
    ...facts,
    right: "accepted",
    requests: async (prepare) => ({
      [events === 1 ? "one event" : `${events} events`]: withManyEvents(await prepare(), events),
    }),
  });
}

/** The same for more than one event, whose answer shows what kept the app from accepting them. */
function batchCheck(events: number, facts: Sized): TrialCheck {
  const check = eventCountCheck(events, facts);
  return {
    ...check,
    judge: (evidence) => {
      const verdict = check.judge(evidence);
      if (verdict.result === "pass") return events < MANY ? verdict : (slowVerdict(evidence) ?? verdict);
      const hint = evidence.steps.map(({ exchange }) => fixForMany(exchange)).find((fix) => fix !== null);
      const explained = hint == null ? verdict : { ...verdict, hint };
      // The same events come again and again, which may break an app that writes them at once; a platform's differ.
      const isBroken = evidence.steps.some(({ exchange }) => evidence.read(exchange).kind === "broken");
      return isBroken && verdict.result === "fail" ? { ...explained, result: "warn" } : explained;
    },
  };
}

/** The warning that an accepted delivery took long; null: it did not. */
function slowVerdict({ steps }: Evidence): Verdict | null {
  const took = Math.max(...steps.map(({ exchange }) => exchange.timings.totalMs));
  if (took <= PROMPT_MS) return null;
  return { result: "warn", reason: `the app accepted it, but took ${(took / 1000).toFixed(1)} s`, hint: answerFirst };
}

/** How to fix what kept an app from accepting many events, where the answer shows that; null: as the check says. */
function fixForMany({ response, outcome }: Exchange): string | null {
  if (outcome.kind === "timed-out") return answerFirst;
  if (response?.status !== 401 && response?.status !== 403) return null;
  return "The signature was right: compute the HMAC of all bytes of the body, however long it is.";
}

/** Checks of how many events one delivery may hold (interface 6.1; hardening W4, W7). */
export const eventCountChecks: readonly TrialCheck[] = [
  eventCountCheck(1, {
    id: "webhook.events.one",
    title: "The app accepts a delivery with a single event",
    severity: "must",
    choices: [],
    why: "A delivery has one event or several. Usually only one thing happens at a time.",
    fix: "Process all elements of `events`, however few there are.",
  }),
  batchCheck(50, {
    id: "webhook.events.several",
    title: "The app accepts a delivery with 50 events",
    severity: "must",
    fix: "Process all elements of `events`, however many there are.",
  }),
  batchCheck(MANY, {
    id: "webhook.events.many",
    title: "The app accepts a delivery with 500 events",
    severity: "should",
    needsQuiet: true,
  }),
  batchCheck(1000, {
    id: "webhook.events.most",
    title: "The app accepts a delivery with 1,000 events",
    severity: "should",
    needsQuiet: true,
  }),
];
