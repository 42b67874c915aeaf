import type { Exchange, FailedOutcome } from "../journal/exchange.ts";
import { type Journal, recordBody } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { type Explanation, explainOutcome } from "./explain-outcome.ts";
import type { AppAnswer, AppCall, AppGateway, Clock, Ids } from "./ports.ts";
import type { Answer } from "./read-answer.ts";

export interface CallContext {
  /** The installed apps, by their addresses. */
  readonly config: { readonly apps: readonly { readonly url: string }[] };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gateway: AppGateway;
  readonly journal: Journal;
  /** Runs when a call begins; its end is the exchange in the journal. */
  readonly onCall: (call: AppCall) => void;
  /** Ends every call in flight. */
  readonly signal: AbortSignal | undefined;
}

/** Why a call got no answer; decides the exit code. */
export type CallFailure = "unreachable" | "timed-out" | "interrupted" | "other";

export type CallResult =
  | { readonly ok: true; readonly record: Exchange; readonly answer: Answer }
  | ({ readonly ok: false; readonly record: Exchange; readonly failure: CallFailure } & Explanation);

/** A call, and what it is made for, as the journal names it. */
type RecordedCall = Omit<AppCall, "signal"> & Pick<Exchange, "purpose" | "module" | "delivery">;

/** Calls the app and records the exchange. Nothing else calls the app. */
export async function callApp(
  context: CallContext,
  { purpose, module, delivery, ...call }: RecordedCall,
): Promise<CallResult> {
  const startedAt = new Date(context.clock.now()).toISOString();
  const fullCall: AppCall = { ...call, signal: context.signal };
  context.onCall(fullCall);
  const called = await context.gateway.call(fullCall);
  const about = { purpose, module, startedAt, ...(delivery === undefined ? {} : { delivery }) };
  for (const earlier of called.postponed ?? []) recordCall(context, { ...about, postponed: true }, call, earlier);
  return recordCall(context, about, call, called);
}

/** Writes a call and its outcome into the journal. */
export function recordCall(
  context: CallContext,
  about: Pick<Exchange, "purpose" | "module" | "delivery" | "startedAt" | "postponed">,
  { method, url, body }: Pick<AppCall, "method" | "url" | "body">,
  called: AppAnswer,
): CallResult {
  const { response, timings, sentHeaders } = called;
  const record: Exchange = {
    type: "exchange",
    id: context.ids.next(),
    ...about,
    timings,
    request: { method, url, headers: sentHeaders, body: recordBody(body) },
    response: response && {
      status: response.status,
      headers: response.headers,
      body: recordBody(response.raw, response.size),
    },
    outcome: called.ok ? { kind: "answered" } : called.outcome,
  };
  context.journal.append(record);
  if (!called.ok) {
    const apps = context.config.apps.map((app) => app.url);
    const { origin } = new URL(url);
    const hasAnswered = () => context.journal.list().findLast((each) => isAnswerFrom(each, origin)) !== undefined;
    const explained = explainOutcome(called.outcome, url, apps, hasAnswered);
    return { ok: false, record, failure: failureOf(called.outcome), ...explained };
  }
  const { status, headers } = called.response;
  return { ok: true, record, answer: { status, headers, body: called.body } };
}

function isAnswerFrom(record: JournalRecord, origin: string): boolean {
  return record.type === "exchange" && record.response !== null && new URL(record.request.url).origin === origin;
}

/** Why a call got no answer, in the terms of a result. */
export function failureOf(outcome: FailedOutcome): CallFailure {
  const { kind } = outcome;
  const needsTls = kind === "disconnected" && outcome.expectsTls === true;
  if (kind === "unreachable" || kind === "tls-failed" || needsTls) return "unreachable";
  return kind === "timed-out" || kind === "interrupted" ? kind : "other";
}
