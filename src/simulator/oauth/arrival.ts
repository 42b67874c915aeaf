import type { ArrivalPurpose, HeaderLines } from "../../journal/exchange.ts";
import { headerValue } from "../../journal/exchange.ts";
import { recordBody } from "../../journal/journal.ts";
import type { OAuthRecord } from "../../journal/record.ts";
import { BASE_HEADERS } from "../../platform/base-headers.ts";
import type { WireAnswer } from "../../platform/oauth-answer.ts";
import type { SimulatorContext } from "../context.ts";

/** A request to the platform as it came. */
export interface Arrival {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
}

/** What the platform found in a request, for the journal. */
export type Finding = Pick<OAuthRecord, "step"> &
  Partial<Pick<OAuthRecord, "client" | "user" | "error" | "reason" | "warnings">> & {
    readonly outcome?: OAuthRecord["outcome"];
  };

/** The answer to a request, and what was found in it. */
export interface Handled {
  readonly answer: WireAnswer;
  readonly finding: Finding;
}

/** Handles a request and writes both the exchange and what was decided into the journal, before it is answered. */
export async function receive<H extends Handled>(
  context: SimulatorContext,
  purpose: ArrivalPurpose,
  arrival: Arrival,
  handle: () => Promise<H>,
): Promise<H> {
  const { clock, journal, ids } = context;
  const startedAt = new Date(clock.now()).toISOString();
  const began = clock.monotonic();
  const handled = await handle();
  const { answer, finding } = handled;
  const totalMs = Math.round(clock.monotonic() - began);
  const id = ids.next();
  journal.append({
    type: "exchange",
    id,
    purpose,
    module: null,
    startedAt,
    timings: { headersMs: totalMs, totalMs },
    request: {
      method: arrival.method,
      url: context.baseUrl() + arrival.url,
      headers: arrival.headers,
      body: recordBody(arrival.body),
    },
    response: {
      status: answer.status,
      headers: Object.entries({ ...BASE_HEADERS, ...answer.headers }),
      body: recordBody(Buffer.from(answer.body)),
    },
    outcome: { kind: "answered" },
  });
  recordOAuth(context, finding, id);
  return handled;
}

/** Writes what the platform decided into the journal. */
function recordOAuth({ journal, ids, clock }: SimulatorContext, finding: Finding, exchange: string | null): void {
  const { step, client = null, user = null, error = null, reason = null, warnings = [] } = finding;
  journal.append({
    type: "oauth",
    id: ids.next(),
    at: new Date(clock.now()).toISOString(),
    step,
    client,
    user: user && { id: user.id, role: user.role },
    outcome: finding.outcome ?? (error === null ? "ok" : "refused"),
    error,
    reason,
    warnings,
    exchange,
  });
}

/** The value of a header of a request; undefined where it is missing. */
export function headerOf({ headers }: Arrival, name: string): string | undefined {
  return headerValue(headers, name);
}
