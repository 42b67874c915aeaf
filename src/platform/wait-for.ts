import { z } from "zod";
import { type Clock, LONGEST_TIMER_MS } from "../app-client/ports.ts";
import { type Exchange, type ExchangePurpose, exchangePurposes } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { checkObject } from "./check-input.ts";
import { type ExchangeMatcher, exchangeWords, isMeant, matcherSchema } from "./exchange-matcher.ts";

const TIMEOUT_MS = 10_000;
/** Exchanges that the error lists. */
const LISTED = 5;

/** What is waited for: a purpose, several facts, or whatever the function looks at. */
export type WaitedFor = ExchangePurpose | ExchangeMatcher | ((exchange: Exchange) => boolean);

const waitOptionsSchema = z.strictObject({
  timeoutMs: z.number().min(0).max(LONGEST_TIMER_MS).optional().describe("milliseconds of real time; default 10,000"),
});
type WaitOptions = z.input<typeof waitOptionsSchema>;

/**
 * Resolves with the oldest exchange that matches and that no earlier wait was given, whether it came already or is
 * still to come: what happens while a delivery is made is found, too. As far back as the journal's memory reaches.
 * @throws UsageError for a purpose or an option that there is not; NothingCameError when the time is over, or the
 *   simulator is closed
 */
export type WaitFor = (what: WaitedFor, options?: WaitOptions) => Promise<Exchange>;

/** No exchange of the kind came in time. */
export class NothingCameError extends Error {
  override readonly name = "NothingCameError";
  /** `interrupted`: the simulator was closed, or its signal aborted, before the time was over. */
  readonly why: "timed-out" | "interrupted";

  constructor(why: NothingCameError["why"], message: string) {
    super(message);
    this.why = why;
  }
}

/** Waits on exchanges of a journal; each is given to one wait. Deadlines are real time, whatever the platform's is. */
export function createWaitFor({
  journal,
  clock,
  signal,
}: {
  readonly journal: Pick<Journal, "list" | "subscribe">;
  readonly clock: Pick<Clock, "pause">;
  readonly signal: AbortSignal | undefined;
}): WaitFor {
  const taken = new Set<string>();

  const nothingCame = (text: string, timeoutMs: number): NothingCameError => {
    const others = journal.list().filter((record) => record.type === "exchange");
    const listed = others.filter(({ id }) => !taken.has(id)).slice(-LISTED);
    const came =
      listed.length === 0 ? "nothing else came either" : `what came last: ${listed.map(exchangeWords).join("; ")}`;
    if (signal?.aborted === true)
      return new NothingCameError("interrupted", `waitFor(): ${text}: interrupted; ${came}`);
    return new NothingCameError("timed-out", `waitFor(): ${text} did not come within ${timeoutMs} ms; ${came}`);
  };

  return async (what, options = {}) => {
    const { timeoutMs = TIMEOUT_MS } = checkObject("waitFor()", waitOptionsSchema, options);
    const { text, matches } = readAwaited(what);
    const take = (record: JournalRecord): record is Exchange => {
      if (record.type !== "exchange" || taken.has(record.id) || !matches(record)) return false;
      taken.add(record.id);
      return true;
    };
    const came = journal.list().find(take);
    if (came !== undefined) return came;
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      const end = (settle: () => void) => {
        leave();
        over.abort();
        settle();
      };
      const leave = journal.subscribe((record) => {
        try {
          if (take(record)) end(() => resolve(record));
        } catch (error) {
          end(() => reject(error));
        }
      });
      const ended = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
      void clock.pause(timeoutMs, ended).then(() => {
        if (!over.signal.aborted) end(() => reject(nothingCame(text, timeoutMs)));
      });
    });
  };
}

/** What is waited for, in words, and how it is known. */
function readAwaited(what: WaitedFor): {
  readonly text: string;
  readonly matches: (exchange: Exchange) => boolean;
} {
  if (typeof what === "function") return { text: "an exchange as the function wants it", matches: what };
  if (typeof what !== "string") {
    const matcher = checkObject("waitFor()", matcherSchema, what);
    return { text: `an exchange with ${valueText(matcher)}`, matches: (exchange) => isMeant(exchange, matcher) };
  }
  if (exchangePurposes.includes(what)) {
    return { text: `an exchange with the purpose ${what}`, matches: ({ purpose }) => purpose === what };
  }
  throw new UsageError(
    "purpose-unknown",
    `waitFor(): there is no purpose ${valueText(what)}.${didYouMean(what, exchangePurposes)}`,
    `purposes: ${exchangePurposes.join(", ")}`,
  );
}
