import { type Explanation, explainOutcome } from "../app-client/explain-outcome.ts";
import type { AppAnswer, AppCall, AppGateway, Clock, Ids } from "../app-client/ports.ts";
import type { Answer } from "../app-client/read-answer.ts";
import type { Chromium } from "../browser/chromium.ts";
import type { Choices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import type { Exchange, ExchangePurpose, FailedOutcome, RecordedAttempt } from "../journal/exchange.ts";
import { type Journal, recordBody } from "../journal/journal.ts";
import type { PatternMatcher } from "../post-import/run/match-pattern.ts";
import type { Previews } from "../post-import/run/previews.ts";
import type { HostedFiles } from "../web/hosted-files.ts";
import type { ChangeableDelivery } from "../webhook/changeable.ts";
import type { Hooks } from "./hooks.ts";
import type { ManifestMemory } from "./manifest-memory.ts";
import type { Failure } from "./result-parts.ts";
import type { TokenSigner } from "./tokens.ts";
import type { UnderWay } from "./under-way.ts";

/** How far something has come that takes its time, such as `strings came`. */
export interface Progress {
  readonly what: string;
  readonly done: number;
  /** Of so many; missing where nobody knows. */
  readonly of?: number;
}

/** What every action of the simulator works with. */
export interface SimulatorContext {
  readonly config: Config;
  readonly choices: Choices;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gateway: AppGateway;
  readonly journal: Journal;
  readonly signer: TokenSigner;
  /** Address of the platform, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Makes the platform listen, if it does not yet, and resolves with its address. */
  readonly listen: () => Promise<string>;
  readonly onCall: (call: AppCall) => void;
  readonly onPause: (milliseconds: number) => void;
  /** Told how far a long job has come. */
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal | undefined;
  /** null: each action goes by the manifests of its own time alone. */
  readonly manifests: ManifestMemory | null;
  /** For the pages of guards. */
  readonly chromium: Chromium;
  readonly underWay: UnderWay;
  /** What the platform serves to the app while a job runs. */
  readonly files: HostedFiles;
  readonly previews: Previews;
  /** Changes of events and deliveries that are waiting for their moment. */
  readonly hooks: Hooks<ChangeableDelivery>;
  /** Tries the patterns of post-import modules. */
  readonly patterns: PatternMatcher;
}

/** A call that was answered, or why it was not. */
export type CallResult =
  | { readonly ok: true; readonly record: Exchange; readonly answer: Answer }
  | ({ readonly ok: false; readonly record: Exchange; readonly failure: Exclude<Failure, null> } & Explanation);

/** Calls the app and records the exchange (the only way to the app). */
export async function callApp(
  context: SimulatorContext,
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
  context: SimulatorContext,
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
export function failureOf({ kind }: FailedOutcome): Exclude<Failure, null> {
  if (kind === "unreachable" || kind === "tls-failed") return "unreachable";
  return kind === "timed-out" || kind === "interrupted" ? kind : "other";
}
