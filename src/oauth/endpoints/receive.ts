import type { ArrivalPurpose } from "../../journal/exchange.ts";
import { headerValue } from "../../journal/exchange.ts";
import { recordBody } from "../../journal/journal.ts";
import type { OAuthRecord } from "../../journal/record.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { WireAnswer } from "../../protocol/wire-answer.ts";
import { type Arrival, recordArrival } from "../../web/arrival.ts";

/** What the platform found in a request, for the journal. */
export type Finding = Pick<OAuthRecord, "step"> &
  Partial<Pick<OAuthRecord, "client" | "user" | "error" | "reason" | "hint" | "warnings">> & {
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
  handle: (arrivedAt: number) => Promise<H>,
): Promise<H> {
  const { clock } = context;
  const startedAt = new Date(clock.now()).toISOString();
  const arrivedAt = clock.monotonic();
  const note = (answer: WireAnswer | null, finding: Finding) => {
    const totalMs = Math.round(clock.monotonic() - arrivedAt);
    const exchange = recordArrival(context, arrival, {
      purpose,
      module: null,
      startedAt,
      timings: { headersMs: totalMs, totalMs },
      answer: answer && { ...answer, sent: recordBody(Buffer.from(answer.body)) },
      outcome: answer === null ? { kind: "interrupted" } : { kind: "answered" },
    });
    recordOAuth(context, finding, exchange);
  };
  try {
    const handled = await handle(arrivedAt);
    note(handled.answer, handled.finding);
    return handled;
  } catch (error) {
    // What became of it is the server's to say; that it came must not be lost.
    note(null, { step: purpose, error: "500", reason: String(error) });
    throw error;
  }
}

/** Writes what the platform decided into the journal. */
function recordOAuth({ journal, ids, clock, config }: SimulatorContext, finding: Finding, exchange: string): void {
  const { step, client = null, user = null, error = null, reason = null, hint = null, warnings = [] } = finding;
  journal.append({
    type: "oauth",
    id: ids.next(),
    at: new Date(clock.now()).toISOString(),
    step,
    // What is no client id may be anything, a secret too.
    client: config.apps.some(({ clientId }) => clientId === client) ? client : null,
    user: user && { id: user.id, role: user.role },
    outcome: finding.outcome ?? (error === null ? "ok" : "refused"),
    error,
    reason,
    hint,
    warnings,
    exchange,
  });
}

/** How often a header came. */
export function countOf({ headers }: Arrival, name: string): number {
  return headers.filter(([line]) => line.toLowerCase() === name).length;
}

/** The value of a header of a request; undefined where it is missing. */
export function headerOf({ headers }: Arrival, name: string): string | undefined {
  return headerValue(headers, name);
}
