import { recordCall } from "../app-client/call-app.ts";
import { explainStatus } from "../app-client/explain-status.ts";
import type { AppAnswer } from "../app-client/ports.ts";
import type { HeaderLines } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { Receiver } from "../webhook/choose-modules.ts";
import { outcomeOfStatus } from "../webhook/deliver.ts";
import type { DeliveryMaker } from "../webhook/rules/delivery-request.ts";
import type { WebhookBody } from "../webhook/rules/webhook-bodies.ts";
import type { AttemptOutcome } from "../webhook/webhook-result.ts";
import { type BulkCall, type BulkEnd, responseOf } from "./bulk-connection.ts";
import type { BulkDelivery, BulkGateway } from "./bulk-gateway.ts";
import type { LoadError, LoadErrorKind } from "./load-result.ts";

/** A module under load. */
export interface LoadedModule {
  readonly receiver: Receiver;
  readonly url: URL;
  readonly gateway: BulkGateway;
  readonly maker: DeliveryMaker;
  /** Sent in turn. */
  readonly bodies: readonly WebhookBody[];
}

/** A finished delivery of a load. */
export interface LoadedDelivery extends BulkDelivery {
  readonly id: string;
  readonly to: LoadedModule;
  readonly body: WebhookBody;
}

/** Why a delivery was not acknowledged. */
export type LoadFault = Pick<LoadError, "reason" | "hint" | "failure" | "exchange">;

/** A delivery signed now. */
export function bulkCall(
  { clock }: SimulatorContext,
  { maker, url }: LoadedModule,
  body: WebhookBody,
  id: string,
): BulkCall {
  const signed = maker.make(body.json, Math.floor(clock.now() / 1000), id);
  // `flat()` would be as slow as signing.
  const headers: string[] = [];
  for (const [name, value] of signed.headers) headers.push(name, value);
  return { method: "POST", path: url.pathname + url.search, headers, body: signed.body };
}

/** The outcome of a sent delivery, with the names for attempts. */
export function outcomeOfEnd({ outcome, status, phase, isReused }: BulkEnd): AttemptOutcome | LoadErrorKind {
  if (outcome.kind === "answered") return outcomeOfStatus(status ?? 0);
  if (outcome.kind === "disconnected" && phase === "headers" && isReused) return "kept-connection-closed";
  return outcome.kind;
}

/** Writes the delivery to the journal, as an example of its kind of failure, and explains it. */
export function explainDelivery(context: SimulatorContext, delivery: LoadedDelivery): LoadFault {
  const { id, to, end } = delivery;
  if (end === null) return neverSent;
  const call = { method: "POST", url: to.url.href, body: end.call.body } as const;
  const called = recordCall(
    context,
    {
      purpose: "webhook",
      module: to.receiver.module.key,
      delivery: { id, attempt: 1 },
      startedAt: new Date(context.clock.now() - (context.clock.monotonic() - delivery.sentAt)).toISOString(),
    },
    call,
    answerOf(delivery, end),
  );
  const exchange = called.record.id;
  if (called.ok)
    return { ...explainStatus(called.answer, { by: "signature", url: call.url }), failure: "other", exchange };
  const { reason, hint, failure } = called;
  if (outcomeOfEnd(end) !== "kept-connection-closed") return { reason, hint, failure, exchange };
  return { ...closedKept, failure, exchange };
}

/** For a delivery that was due while the maximum number were in flight. */
export const notBegun: LoadFault = {
  reason: "a delivery was due while 10,000 were in flight",
  hint: "use a lower --rate",
  failure: "other",
  exchange: null,
};

const neverSent: LoadFault = {
  ...notBegun,
  reason: "a delivery was due, but no connection became free in time",
  hint: "use a lower --rate, or allow more --connections",
};

const closedKept = {
  reason: "the app closed a kept-alive connection just when the next delivery was sent on it",
  hint: "did it crash, or did its keep-alive timeout expire? It can announce that with Keep-Alive: timeout=N in its answers",
};

function answerOf({ sentAt, endedAt, to }: LoadedDelivery, end: BulkEnd): AppAnswer {
  const response = responseOf(end);
  const totalMs = Math.round((endedAt - sentAt) * 10) / 10;
  // Headers have no separate limit; without any there was no answer.
  const timings = { headersMs: response === null ? null : totalMs, totalMs };
  const facts = { sentHeaders: sentHeaders(to.url, end.call), timings };
  if (end.outcome.kind !== "answered") return { ...facts, ok: false, outcome: end.outcome, response };
  if (response === null) throw new RangeError("an answered delivery without an answer");
  return { ...facts, ok: true, response, body: response.raw };
}

/** The header lines as undici writes them. */
function sentHeaders({ host }: URL, { headers, body }: BulkCall): HeaderLines {
  const own = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""] as const] : []));
  return [["host", host], ["connection", "keep-alive"], ...own, ["content-length", String(body.length)]];
}
