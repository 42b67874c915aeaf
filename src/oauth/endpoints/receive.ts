import { recordBody } from "../../journal/journal.ts";
import type { IncomingPurpose } from "../../journal/purposes.ts";
import type { OAuthRecord } from "../../journal/record.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { FaultPlace } from "../../protocol/fault-kinds.ts";
import { refusalAnswer, type TokenRefusal, type WireAnswer } from "../../protocol/wire-answer.ts";
import { type IncomingRequest, recordExchange } from "../../web/incoming-request.ts";
import { faultAnswer } from "../rules/faults.ts";
import { type ClockReading, readClock } from "./grants.ts";
import type { OAuthContext } from "./oauth-context.ts";

/** The platform's decision about a request, for the journal. */
export type Decided = Pick<OAuthRecord, "step"> &
  Partial<Pick<OAuthRecord, "client" | "user" | "outcome" | "error" | "reason" | "hint" | "warnings">>;

/** The answer to a request, and the decision about it. */
export interface Handled {
  readonly answer: WireAnswer;
  readonly decided: Decided;
}

/** Handles a request, and writes the exchange and the decision to the journal before answering. */
export async function receive<H extends Handled>(
  context: SimulatorContext,
  purpose: IncomingPurpose,
  request: IncomingRequest,
  handle: (arrivedAt: ClockReading) => Promise<H>,
): Promise<H> {
  const { clock } = context;
  const startedAt = new Date(clock.now()).toISOString();
  const arrivedAt = readClock(clock);
  const record = (answer: WireAnswer | null, decided: Decided) => {
    const totalMs = Math.round(clock.monotonic() - arrivedAt.monotonic);
    const exchange = recordExchange(context, request, {
      purpose,
      module: null,
      startedAt,
      timings: { headersMs: totalMs, totalMs },
      answer: answer && { ...answer, sent: recordBody(Buffer.from(answer.body)) },
      outcome: answer === null ? { kind: "interrupted" } : { kind: "answered" },
    });
    recordDecision(context, decided, exchange);
  };
  try {
    const handled = await handle(arrivedAt);
    record(handled.answer, handled.decided);
    return handled;
  } catch (error) {
    // The server reports the error itself, but the request must not be missing from the journal.
    record(null, { step: purpose, error: "500", reason: String(error) });
    throw error;
  }
}

function recordDecision({ journal, ids, clock, config }: SimulatorContext, decided: Decided, exchange: string): void {
  const { step, client = null, user = null, error = null, reason = null, hint = null, warnings = [] } = decided;
  journal.append({
    type: "oauth",
    id: ids.next(),
    at: new Date(clock.now()).toISOString(),
    step,
    // An unknown client id may be anything, even a secret.
    client: config.apps.some(({ clientId }) => clientId === client) ? client : null,
    user: user && { id: user.id, role: user.role },
    outcome: decided.outcome ?? (error === null ? "ok" : "refused"),
    error,
    reason,
    hint,
    warnings,
    exchange,
  });
}

/** Answers a request with an error of RFC 6749. */
export function refusedBy(refusal: TokenRefusal, decided: Decided): Handled {
  const { error, description } = refusal;
  return { answer: refusalAnswer(refusal), decided: { ...decided, error, reason: description } };
}

/**
 * Applies the next fault at one of these places: waits, in real time, or returns the answer that replaces handling the
 * request.
 * @returns null if the request should be handled
 */
export async function applyFault(
  { context, faults }: OAuthContext,
  places: readonly FaultPlace[],
  decided: Decided,
): Promise<Handled | null> {
  const fault = faults.take(places);
  if (fault === null) return null;
  const answer = faultAnswer(fault);
  if (answer === null) {
    await context.clock.pause(fault.delayMs, context.signal);
    return null;
  }
  const { place, kind } = fault;
  return { answer, decided: { ...decided, error: kind, reason: `the requested fault: ${place}=${kind}` } };
}
