import type { Tampering } from "../../protocol/webhook.ts";
import { createLatencies } from "../latencies.ts";
import type { Failure } from "../result-parts.ts";
import type { Delivery, DeliveryAttempt, DeliverySummary, WebhookResult } from "./webhook-result.ts";

/** What came of a delivery, and whether that is what has to come of it. */
export function judgeDelivery(
  tampered: Tampering | null,
  dropped: boolean,
  attempts: readonly DeliveryAttempt[],
): Pick<Delivery, "result" | "asExpected" | "acknowledged"> {
  const last = attempts.at(-1)?.outcome;
  const isDecided = last === "acknowledged" || last === "refused";
  const result = dropped ? "dropped" : isDecided ? last : "failed";
  const expected: readonly Delivery["result"][] = tampered === null ? ["acknowledged", "dropped"] : ["refused"];
  return { result, asExpected: expected.includes(result), acknowledged: result === "acknowledged" };
}

type Verdict = Pick<WebhookResult, "outcome" | "reason" | "hint" | "failure">;

const accepted: Record<Tampering, string> = {
  body: "whose body was changed after it was signed",
  signature: "whose signature is wrong",
  secret: "that another secret signed",
  header: "without a signature",
};

/** The outcome of all deliveries together. */
export function judgeDeliveries(deliveries: readonly Delivery[], isInterrupted: boolean): Verdict {
  if (isInterrupted) return { outcome: "failed", reason: "interrupted", hint: null, failure: "interrupted" };
  const forged = deliveries.filter(({ tampered }) => tampered !== null);
  const right = deliveries.filter(({ tampered }) => tampered === null);
  const believed = forged.find(({ result }) => result === "acknowledged");
  if (believed !== undefined && believed.tampered !== null) {
    const reason = `the app acknowledged a delivery ${accepted[believed.tampered]}: it does not check the signature`;
    return { outcome: "failed", reason, hint: "app-sim webhook --explain shows how to verify it", failure: "other" };
  }
  const undecided = forged.find(({ asExpected }) => !asExpected);
  if (undecided !== undefined) {
    const verdict = failedAs(undecided);
    return { ...verdict, reason: `a delivery that the app has to refuse was not refused: ${verdict.reason}` };
  }
  const failed = right.find(({ asExpected }) => !asExpected);
  if (failed === undefined && deliveries.every(({ result }) => result === "dropped")) {
    const reason = "every delivery was dropped: nothing was sent";
    return { outcome: "failed", reason, hint: "ask for a smaller share with --drop", failure: "other" };
  }
  if (failed === undefined)
    return { outcome: forged.length > 0 ? "refused" : "acknowledged", reason: null, hint: null, failure: null };
  const verdict = failedAs(failed);
  if (forged.length === 0 || failed.result !== "refused") return verdict;
  const reason = `the app refuses what is right as well, so its refusals say nothing: ${verdict.reason}`;
  return { ...verdict, outcome: "inconclusive", reason };
}

function failedAs({ attempts }: Delivery): Verdict & { readonly failure: Exclude<Failure, null> } {
  const { reason = null, hint = null, failure } = attempts.at(-1) ?? {};
  return { outcome: "failed", reason, hint, failure: failure ?? "other" };
}

/** Counts, and how long the app took. */
export function summarize(deliveries: readonly Delivery[]): DeliverySummary {
  const latencies = createLatencies();
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  for (const { status, ms } of attempts) if (status !== null) latencies.record(ms);
  const of = (result: Delivery["result"]) => deliveries.filter((delivery) => delivery.result === result).length;
  const sent = deliveries.filter(({ result }) => result !== "dropped");
  return {
    deliveries: deliveries.length,
    events: sent.reduce((sum, { events }) => sum + events, 0),
    acknowledged: of("acknowledged"),
    refused: of("refused"),
    failed: of("failed"),
    dropped: of("dropped"),
    attempts: attempts.length,
    latency: latencies.summary(),
  };
}
