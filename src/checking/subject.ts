import { callApp } from "../app-client/call-app.ts";
import type { App } from "../config/schema.ts";
import type { Exchange, ExchangePurpose, RecordedCheck } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { Check, ControlKind, Trial } from "./check.ts";
import { FOLLOWED } from "./evidence.ts";
import type { Reply } from "./reply.ts";
import { bodyBytesOf, encodeRequest, type RequestParts } from "./request-parts.ts";

/** A part of an app that takes one kind of request, which checks vary: such as the first call of a guard. */
export interface Subject<Tools extends Trial = Trial> {
  /** Such as `guard.first:network`. */
  readonly id: string;
  /** In words: `guard network, first call`. */
  readonly title: string;
  readonly app: App;
  /** Key of the module; null: it belongs to none. */
  readonly module: string | null;
  readonly checks: readonly Check<Tools>[];
  /** Keys of the app's other modules whose requests have tokens, too; default none. */
  readonly otherModules?: readonly string[];
  /** Whether correct requests are independent of each other, so that several may be made at once; default false. */
  readonly sideBySide?: boolean;
  /** How its requests are recorded, and their limits. */
  readonly call: { readonly purpose: ExchangePurpose; readonly timeoutMs: number; readonly sizeLimit: number };
  /**
   * Performs the steps before a correct request, and resolves with that request.
   * @param context its calls are recorded as steps of the running check
   * @throws NotPrepared if the app does not let it get that far
   */
  prepare(context: SimulatorContext): Promise<RequestParts>;
  /** The answer to its correct request; default `accepted`. */
  readonly control?: ControlKind;
  /**
   * The request that a browser makes by itself after these answers, such as for a redirect within the app; null: none.
   * Absent: redirects are not followed.
   * @param chain the request of a check, and those that followed so far
   */
  follow?(chain: readonly Exchange[]): RequestParts | null;
  /**
   * The meaning of an answer to one of its requests: pure.
   * @param exchange the last one, if redirects are followed
   * @param control the app's answer to the correct request; null: this is that answer
   */
  read(exchange: Exchange, control: Exchange | null): Reply;
  /**
   * What its checks may do in addition to any trial.
   * @param contextOf returns a context whose calls are recorded as steps of the check, in this role
   */
  tools(trial: Trial, contextOf: (role: string) => SimulatorContext): Tools;
}

/** The app did not let the simulator get as far as the request of a check. */
export class NotPrepared extends Error {
  override readonly name = "NotPrepared";
}

/** The context with a journal that tags every exchange with its purpose. */
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
  const called = await callApp(context, {
    purpose,
    module: subject.module,
    ...encodeRequest(request),
    timeoutMs,
    sizeLimit,
  });
  return called.record;
}

/**
 * Sends a request to a subject, and those that a browser sends by itself after it.
 * @param contextOf returns a context whose calls are recorded in this role, with the signed body if another one is sent
 * @returns the last exchange
 */
export async function sendAndFollow(
  subject: Pick<Subject, "module" | "call" | "follow">,
  contextOf: (role: string, signed?: string) => SimulatorContext,
  role: string,
  request: RequestParts,
): Promise<Exchange> {
  // Each delivery has another body, and the original of this one is never sent.
  const signed = request.tamper === undefined ? undefined : Buffer.from(bodyBytesOf(request)).toString();
  let last = await sendTo(subject, contextOf(role, signed), request);
  const chain = [last];
  for (let next = subject.follow?.(chain); next != null; next = subject.follow?.(chain)) {
    last = await sendTo(subject, contextOf(`${FOLLOWED}${role}`), next);
    chain.push(last);
  }
  return last;
}
