import type { Exchange, ExchangePurpose, HeaderLines, Outcome, RecordedBody } from "../journal/exchange.ts";
import { recordBody } from "../journal/journal.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";

/** A request to the platform as it came. */
export interface Arrival {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
}

/** What is known of a request when it has been answered. */
export interface Answered extends Pick<Exchange, "module" | "startedAt" | "timings"> {
  readonly purpose: ExchangePurpose;
  /** null: it was not answered. */
  readonly answer: (Pick<WireAnswer, "status" | "headers"> & { readonly sent: RecordedBody }) | null;
  readonly outcome: Outcome;
}

/** Writes the exchange of a request to the platform into the journal, and returns its id. */
export function recordArrival(
  { journal, ids, baseUrl }: Pick<SimulatorContext, "journal" | "ids" | "baseUrl">,
  { method, url, headers, body }: Arrival,
  { answer, ...facts }: Answered,
): string {
  const id = ids.next();
  journal.append({
    type: "exchange",
    id,
    ...facts,
    request: { method, url: baseUrl() + url, headers, body: recordBody(body) },
    response: answer && {
      status: answer.status,
      headers: Object.entries({ ...BASE_HEADERS, ...answer.headers }),
      body: answer.sent,
    },
  });
  return id;
}
