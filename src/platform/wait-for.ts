import { z } from "zod";
import { type Clock, LONGEST_TIMER_MS } from "../app-client/ports.ts";
import type { Exchange, ExchangePurpose } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import { exchangePurposes } from "../journal/purposes.ts";
import type { JournalRecord } from "../journal/record.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { checkObject } from "./check-input.ts";
import { type ExchangeMatcher, exchangeWords, isMeant, matcherSchema } from "./exchange-matcher.ts";

const TIMEOUT_MS = 10_000;
const LISTED_EXCHANGES = 5;

/** A purpose, properties, or a condition. */
export type WaitedFor = ExchangePurpose | ExchangeMatcher | ((exchange: Exchange) => boolean);

const waitOptionsSchema = z.strictObject({
  timeoutMs: z.number().min(0).max(LONGEST_TIMER_MS).optional().describe("milliseconds of real time; default 10,000"),
});

/**
 * Resolves with the oldest exchange that matches and that no earlier call returned, or else with the next one: an
 * exchange during an earlier delivery is found, too. It looks back as far as the journal's memory goes.
 * @throws UsageError for an unknown purpose or option; NothingCameError when the time is over, or the simulator is
 * closed
 */
export type WaitFor = (what: WaitedFor, options?: z.input<typeof waitOptionsSchema>) => Promise<Exchange>;

/** No matching exchange came in time. */
export class NothingCameError extends Error {
  /** Constant: identifies the error where `instanceof` cannot. */
  override readonly name = "NothingCameError";
  /** `interrupted`: the simulator was closed, or its signal aborted, before the time was over. */
  readonly why: "timed-out" | "interrupted";

  constructor(why: NothingCameError["why"], message: string) {
    super(message);
    this.why = why;
  }
}

/** Waits for exchanges of a journal; each is returned only once. Deadlines are in real time. */
export function createWaitFor({
  journal,
  clock,
  signal,
}: {
  readonly journal: Pick<Journal, "list" | "subscribe">;
  readonly clock: Pick<Clock, "pause">;
  readonly signal: AbortSignal | undefined;
}): WaitFor {
  const given = new Set<string>();

  const nothingCame = (text: string, timeoutMs: number): NothingCameError => {
    const others = journal.list().filter((record) => record.type === "exchange" && !given.has(record.id));
    const listed = (others as Exchange[]).slice(-LISTED_EXCHANGES).map(exchangeWords).join("; ");
    const came = listed === "" ? "nothing else came either" : `the last exchanges: ${listed}`;
    return signal?.aborted === true
      ? new NothingCameError("interrupted", `waitFor(): ${text}: interrupted; ${came}`)
      : new NothingCameError("timed-out", `waitFor(): ${text} did not come within ${timeoutMs} ms; ${came}`);
  };

  return async (what, options = {}) => {
    const { timeoutMs = TIMEOUT_MS } = checkObject("waitFor()", waitOptionsSchema, options);
    const { text, matches } = readCondition(what);
    const claim = (record: JournalRecord): record is Exchange => {
      if (record.type !== "exchange" || given.has(record.id) || !matches(record)) return false;
      given.add(record.id);
      return true;
    };
    const found = journal.list().find(claim);
    if (found !== undefined) return found;
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      const end = (settle: () => void) => {
        unsubscribe();
        over.abort();
        settle();
      };
      const unsubscribe = journal.subscribe((record) => {
        try {
          if (claim(record)) end(() => resolve(record));
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

function readCondition(what: WaitedFor): { readonly text: string; readonly matches: (exchange: Exchange) => boolean } {
  if (typeof what === "function") return { text: "an exchange for which the function returns true", matches: what };
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
