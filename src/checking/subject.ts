import { callApp } from "../app-client/call-app.ts";
import type { App } from "../config/schema.ts";
import type { Exchange, ExchangePurpose, RecordedCheck } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { Check, ControlKind, Trial } from "./check.ts";
import { FOLLOWED } from "./evidence.ts";
import type { Reply } from "./reply.ts";
import { bodyBytesOf, encodeRequest, type RequestParts } from "./request-parts.ts";

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
  /** Keys of the other modules of the app, for whose requests there are tokens too; default none. */
  readonly otherModules?: readonly string[];
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
  /**
   * The request that a browser makes by itself after these answers, such as for a redirect within the app; null: none.
   * Absent: redirects are not followed.
   * @param chain the request of a check, and what was followed so far
   */
  follow?(chain: readonly Exchange[]): RequestParts | null;
  /**
   * What an answer to one of its requests means: pure.
   * @param exchange the last one, where redirects are followed
   * @param control what the app answered to the right request; null: the answer is to that request
   */
  read(exchange: Exchange, control: Exchange | null): Reply;
  /**
   * What its checks may do beside what every trial may.
   * @param contextOf the context whose calls are recorded as steps of the check, in this role
   */
  tools(trial: Trial, contextOf: (role: string) => SimulatorContext): Tools;
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

/**
 * Sends a request to a subject, and what a browser sends by itself after it.
 * @param contextOf the context whose calls are recorded in this role, and with the body that was signed if another is sent
 * @returns the last exchange
 */
export async function sendAndFollow(
  subject: Pick<Subject, "module" | "call" | "follow">,
  contextOf: (role: string, signed?: string) => SimulatorContext,
  role: string,
  request: RequestParts,
): Promise<Exchange> {
  // Each delivery has another body, and that of which this one was made is sent to nobody.
  const signed = request.tamper === undefined ? undefined : Buffer.from(bodyBytesOf(request)).toString();
  let last = await sendTo(subject, contextOf(role, signed), request);
  const chain = [last];
  for (let next = subject.follow?.(chain); next != null; next = subject.follow?.(chain)) {
    last = await sendTo(subject, contextOf(`${FOLLOWED}${role}`), next);
    chain.push(last);
  }
  return last;
}
