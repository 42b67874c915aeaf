import { explainOutcome } from "../app-client/explain-outcome.ts";
import type { Answer } from "../app-client/read-answer.ts";
import type { Exchange } from "../journal/exchange.ts";
import { answeredJson, unpackedBytes } from "../journal/readable-body.ts";

/** The meaning of an answer for a check. */
export interface Reply {
  /**
   * `accepted` and `refused`: the app decided. `broken`: a server error, no answer, or an invalid one; never a refusal.
   * `gone`: nothing listens any more. `unclear`: neither yes nor no. `asked`: the answer to the correct request if the
   * user must do something first.
   */
  readonly kind: "accepted" | "asked" | "refused" | "broken" | "gone" | "unclear";
  /** What the app did, as the end of a sentence: `answered 401`. */
  readonly says: string;
  /** The boolean `success` of an answer to a verification request; absent if it has none. */
  readonly success?: boolean;
}

/** Why an app that answered before is gone. */
export const NOTHING_LISTENS = "nothing listens there any more";
/** The fix for an app that ends while it handles a request. */
export const WHY_DOWN =
  "Look in the app's own log for the error that ended it, and answer every request: catch errors, and do not exit.";

/**
 * The reply if the body does not matter: a missing answer, a server error, or a refusal by status (RFC 9110, 15.5);
 * null if the answer itself must be read.
 */
export function replyByStatus(exchange: Exchange): Reply | null {
  const { outcome, response } = exchange;
  if (outcome.kind === "unreachable") return { kind: "gone", says: `did not answer: ${NOTHING_LISTENS}` };
  if (outcome.kind !== "answered" || response === null) {
    const { reason } =
      outcome.kind === "answered" ? { reason: "no answer" } : explainOutcome(outcome, exchange.request.url);
    return { kind: "broken", says: `did not answer: ${reason}` };
  }
  const { status } = response;
  const says = `answered ${status}`;
  // Servers need not support other methods (RFC 9110, 9.1, 15.6.2).
  const isUnknownMethod = status === 501 && !["GET", "POST"].includes(exchange.request.method);
  if (status >= 500 && !isUnknownMethod) return { kind: "broken", says };
  return status >= 400 ? { kind: "refused", says } : null;
}

/**
 * What an app did with a request, as a sentence without a full stop.
 * @param what the request, such as `a correct delivery`
 */
export function replyTo(what: string, { response }: Exchange, { says }: Reply): string {
  return response === null ? `on ${what}, the app ${says}` : `the app ${says} to ${what}`;
}

/** The answer of an exchange as an app client reads it; status 0 if there is none. */
export function answerOf({ response }: Exchange): Answer {
  if (response === null) return { status: 0, headers: [], body: Buffer.alloc(0) };
  return { status: response.status, headers: response.headers, body: unpackedBytes(response) };
}

/** Whether one of the requests with this role let its user in (interface 2.2). */
export function isLetInAs(
  role: string,
  steps: readonly { readonly role: string; readonly exchange: Exchange }[],
): boolean {
  return steps.some((step) => step.role === role && readGuardReply(step.exchange).kind === "accepted");
}

/** Whether an answer to a verification request lets the user in (interface 2.2). */
export function readGuardReply(exchange: Exchange): Reply {
  const known = replyByStatus(exchange);
  if (known !== null) return known;
  const status = exchange.response?.status ?? 0;
  const says = `answered ${status}`;
  // Login middleware redirects strangers; the platform follows no redirects.
  if (status >= 300) return { kind: "refused", says };
  const value = answeredJson(exchange) as { readonly success?: unknown } | null | undefined;
  if (value?.success === true) return { kind: "accepted", says: `${says} with success: true`, success: true };
  if (value?.success === false) return { kind: "refused", says: `${says} with success: false`, success: false };
  return { kind: "unclear", says: `${says} without a boolean success` };
}

/** Whether an answer to a delivery acknowledges it: any 2XX does (interface 4.2, 6.5), and nothing else. */
export function readWebhookReply(exchange: Exchange): Reply {
  const known = replyByStatus(exchange);
  if (known !== null) return known;
  const status = exchange.response?.status ?? 0;
  // Login middleware redirects strangers; the platform follows no redirects.
  if (status >= 300) return { kind: "refused", says: `answered ${status}, which the platform does not follow` };
  return { kind: "accepted", says: `answered ${status}` };
}

/**
 * Whether an answer to a verification request lets the user in, if a correct call is answered success: false because
 * its user must interact first, or is denied: then such an answer to a wrong call does not refuse that call.
 */
export function readAskedReply(exchange: Exchange): Reply {
  const reply = readGuardReply(exchange);
  const isDenial = reply.success === false && exchange.response?.status === 200;
  return isDenial ? { ...reply, kind: "asked" } : reply;
}
