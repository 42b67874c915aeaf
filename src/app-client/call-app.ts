import type { Exchange, ExchangePurpose, FailedOutcome, RecordedAttempt } from "../journal/exchange.ts";
import { type Journal, recordBody } from "../journal/journal.ts";
import { type Explanation, explainOutcome } from "./explain-outcome.ts";
import type { AppAnswer, AppCall, AppGateway, Clock, Ids } from "./ports.ts";
import type { Answer } from "./read-answer.ts";

/** What a call to an app needs. */
export interface CallContext {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gateway: AppGateway;
  readonly journal: Journal;
  /** Runs when a call begins; its end is the exchange in the journal. */
  readonly onCall: (call: AppCall) => void;
  /** Ends every call in flight. */
  readonly signal: AbortSignal | undefined;
}

/** What kept a call from its answer; it decides the exit code. */
export type CallFailure = "unreachable" | "timed-out" | "interrupted" | "other";

/** A call that was answered, or why it was not. */
export type CallResult =
  | { readonly ok: true; readonly record: Exchange; readonly answer: Answer }
  | ({ readonly ok: false; readonly record: Exchange; readonly failure: CallFailure } & Explanation);

/** Calls the app and records the exchange (the only way to the app). */
export async function callApp(
  context: CallContext,
  purpose: ExchangePurpose,
  module: string | null,
  call: Omit<AppCall, "signal">,
  delivery?: RecordedAttempt,
): Promise<CallResult> {
  const startedAt = new Date(context.clock.now()).toISOString();
  const fullCall: AppCall = { ...call, signal: context.signal };
  context.onCall(fullCall);
  const came = await context.gateway.call(fullCall);
  return recordCall(
    context,
    { purpose, module, startedAt, ...(delivery === undefined ? {} : { delivery }) },
    call,
    came,
  );
}

/** Writes a call that was made, and what came of it, into the journal. */
export function recordCall(
  context: CallContext,
  about: Pick<Exchange, "purpose" | "module" | "delivery" | "startedAt">,
  call: Pick<AppCall, "method" | "url" | "body">,
  came: AppAnswer,
): CallResult {
  const { response } = came;
  const record: Exchange = {
    type: "exchange",
    id: context.ids.next(),
    ...about,
    timings: came.timings,
    request: { method: call.method, url: call.url, headers: came.sentHeaders, body: recordBody(call.body) },
    response:
      response === null
        ? null
        : { status: response.status, headers: response.headers, body: recordBody(response.raw, response.size) },
    outcome: came.ok ? { kind: "answered" } : came.outcome,
  };
  context.journal.append(record);
  if (!came.ok)
    return { ok: false, record, failure: failureOf(came.outcome), ...explainOutcome(came.outcome, call.url) };
  return {
    ok: true,
    record,
    answer: { status: came.response.status, headers: came.response.headers, body: came.body },
  };
}

/** What kept a call from its answer, in the words of a result. */
export function failureOf({ kind }: FailedOutcome): CallFailure {
  if (kind === "unreachable" || kind === "tls-failed") return "unreachable";
  return kind === "timed-out" || kind === "interrupted" ? kind : "other";
}
