import { callApp } from "../app-client/call-app.ts";
import type { App } from "../config/schema.ts";
import type { Exchange, ExchangePurpose, RecordedCheck } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { Check, ControlKind, Trial } from "./rules/check.ts";
import type { Reply } from "./rules/reply.ts";
import { encodeRequest, type RequestParts } from "./rules/request-parts.ts";

/** A part of an app that takes requests of one kind, which checks vary: such as the first call of a guard. */
export interface Subject<Tools extends Trial = Trial> {
  /** Such as `guard.first:network`. */
  readonly id: string;
  /** In words: `guard network, first call`. */
  readonly title: string;
  readonly app: App;
  /** Key of the module; null: it belongs to none. */
  readonly module: string | null;
  readonly checks: readonly Check<Tools>[];
  /** How its requests are recorded, and what they may take. */
  readonly call: { readonly purpose: ExchangePurpose; readonly timeoutMs: number; readonly sizeLimit: number };
  /**
   * Does what has to come before a right request, and resolves with that request.
   * @param context whose calls are recorded as steps of the check that runs
   * @throws NotPrepared where the app does not let it come so far
   */
  prepare(context: SimulatorContext): Promise<RequestParts>;
  /** What its right request is answered; default `accepted`. */
  readonly control?: ControlKind;
  /** What an answer to one of its requests means: pure. */
  read(exchange: Exchange): Reply;
  /** What its checks may do beside what every trial may. */
  tools(trial: Trial, context: SimulatorContext): Tools;
}

/** The app did not let the simulator come as far as the request of a check. */
export class NotPrepared extends Error {
  override readonly name = "NotPrepared";
}

/** The context with a journal that notes in every exchange what it was sent for. */
export function taggedContext<Context extends SimulatorContext>(context: Context, check: RecordedCheck): Context {
  const { journal } = context;
  return {
    ...context,
    journal: {
      ...journal,
      append: (record) => journal.append(record.type === "exchange" ? { ...record, check } : record),
    },
  };
}

/** Sends a request to a subject. */
export async function sendTo(
  subject: Pick<Subject, "module" | "call">,
  context: SimulatorContext,
  request: RequestParts,
): Promise<Exchange> {
  const { purpose, timeoutMs, sizeLimit } = subject.call;
  const called = await callApp(context, purpose, subject.module, {
    ...encodeRequest(request),
    timeoutMs,
    sizeLimit,
  });
  return called.record;
}
