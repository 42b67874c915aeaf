import type { Tampering } from "../../protocol/webhook.ts";
import { createLatencies } from "../latencies.ts";
import type { Delivery, DeliveryAttempt, DeliverySummary, WebhookResult } from "../webhook-result.ts";

/** How the bodies of deliveries travel, where not as usual. */
export interface Transfer {
  readonly gzip?: boolean | undefined;
  readonly chunked?: boolean | undefined;
}

/**
 * Whether an app said no to the way in which a body travels, as it may: 415 for an encoding (RFC 9110, 15.5.16), 411
 * for a body without a length (15.5.12).
 */
function isTransferRefused({ gzip, chunked }: Transfer, status: number | null): boolean {
  return (gzip === true && status === 415) || (chunked === true && status === 411);
}

type Judged = Pick<Delivery, "tampered" | "nonAscii"> & Transfer & { readonly dropped: boolean };

/** The result of a delivery, and whether it is the expected one. */
export function judgeDelivery(
  { tampered, nonAscii, dropped, ...transfer }: Judged,
  attempts: readonly DeliveryAttempt[],
): Pick<Delivery, "result" | "asExpected" | "acknowledged"> {
  const { outcome, status = null } = attempts.at(-1) ?? {};
  // The app may still accept a forged one later.
  const isPutOff = tampered !== null && isUndecided(status);
  const isDecided = (outcome === "acknowledged" || outcome === "refused") && !isPutOff;
  const acknowledged = outcome === "acknowledged";
  if (nonAscii && attempts.length > 1 && isDecided) {
    // Refused with names in ASCII as well, an app takes no names: nothing is known of letters.
    return { result: "refused", asExpected: !acknowledged, acknowledged };
  }
  const result = dropped ? "dropped" : isDecided ? outcome : "failed";
  const mayBeRefused = tampered !== null || isTransferRefused(transfer, status);
  const expected: readonly Delivery["result"][] = mayBeRefused ? ["refused"] : ["acknowledged", "dropped"];
  return { result, asExpected: expected.includes(result), acknowledged };
}

/** Whether a delivery in letters beyond ASCII says nothing of these: its twin in ASCII was refused as well. */
export function isUntried({ nonAscii, asExpected, result }: Pick<Delivery, "nonAscii" | "asExpected" | "result">) {
  return nonAscii && asExpected && result === "refused";
}

/** Statuses that do not judge what was sent: too slow, too early, too much (RFC 9110, 8470, 6585). */
const putOff: readonly number[] = [408, 425, 429];

function isUndecided(status: number | null): status is number {
  return status !== null && putOff.includes(status);
}

/** Statuses with which an app says that it does not believe what it got. */
const disbelief: readonly (number | null)[] = [400, 401, 403];

/** Whether an app refused an attempt because it did not believe it, so that it did nothing else either. */
export function isDisbelief({ status }: Pick<DeliveryAttempt, "status">): boolean {
  return disbelief.includes(status);
}

type Verdict = Pick<WebhookResult, "outcome" | "reason" | "hint" | "failure">;

const forgery: Record<Tampering, string> = {
  body: "whose body was changed after it was signed",
  signature: "whose signature is wrong",
  secret: "that another secret signed",
  header: "without a signature",
};

/** Of an answer whose body refuses what its status acknowledges. */
export const SAYS_NO = "its body says no, but any 2XX acknowledges a delivery (interface 4.2)";
const REFUSE_BY_STATUS = "answer it with 401: any 2XX acknowledges, whatever the body says (interface 4.2)";
const EXPLAIN = "app-sim webhook --explain shows how to verify it";

/** The outcome of all deliveries together: why the first unexpected one is wrong. */
export function judgeDeliveries(deliveries: readonly Delivery[], isInterrupted: boolean): Verdict {
  if (isInterrupted) return { outcome: "failed", reason: "interrupted", hint: null, failure: "interrupted" };
  if (deliveries.every(({ result }) => result === "dropped")) {
    const reason = "every delivery was dropped: nothing was sent";
    return { outcome: "failed", reason, hint: "ask for a smaller share with --drop", failure: "other" };
  }
  const forged = deliveries.filter(({ tampered }) => tampered !== null);
  const believed = forged.find(({ acknowledged }) => acknowledged);
  const wrong = believed ?? deliveries.find(({ asExpected }) => !asExpected);
  if (wrong === undefined) return judgeExpected(deliveries, forged.length > 0);
  return wrong.tampered === null ? judgeRight(wrong, deliveries) : judgeForged(wrong, wrong.tampered, deliveries);
}

function judgeExpected(deliveries: readonly Delivery[], isForged: boolean): Verdict {
  const untaken = deliveries.find(
    (delivery) => delivery.tampered === null && delivery.result === "refused" && !isUntried(delivery),
  );
  const rest = { hint: null, failure: null };
  if (untaken === undefined) return { outcome: isForged ? "refused" : "acknowledged", reason: null, ...rest };
  const status = untaken.attempts.at(-1)?.status;
  const what = status === 411 ? "bodies without a length" : "bodies in gzip";
  return { outcome: "refused", reason: `the app takes no ${what} (${status}), as an app may`, ...rest };
}

/** @param what is not known, as a clause */
function putOffBy(status: number, what: string): Pick<Verdict, "reason" | "hint"> {
  const reason = `whether ${what} is not known: the app answered ${status}, which puts it off`;
  return { reason, hint: "give the app a higher limit while it is tested" };
}

function judgeForged(delivery: Delivery, tampered: Tampering, all: readonly Delivery[]): Verdict {
  const verdict = verdictOf(delivery);
  const status = delivery.attempts.at(-1)?.status ?? null;
  if (!delivery.acknowledged && isUndecided(status)) {
    return { ...verdict, ...putOffBy(status, `a delivery ${forgery[tampered]} is refused`) };
  }
  if (!delivery.acknowledged) {
    const reason = `a delivery ${forgery[tampered]} has to be refused, and was not: ${verdict.reason}`;
    return { ...verdict, reason, hint: `answer it with 401; ${verdict.hint ?? EXPLAIN}` };
  }
  const acknowledged = `the app acknowledged a delivery ${forgery[tampered]}`;
  if (verdict.hint === SAYS_NO) {
    const reason = `${acknowledged}: it answered ${status}, and refuses it in the body alone`;
    return { outcome: "failed", reason, hint: REFUSE_BY_STATUS, failure: "other" };
  }
  const why = tampered === "header" ? "it accepts what is not signed" : "it does not check the signature";
  const ofThisDelivery = all.filter(({ id }) => id === delivery.id);
  const { mistake, hint } = mistakeOf(ofThisDelivery) ??
    toldApart(delivery, ofThisDelivery) ?? { mistake: why, hint: EXPLAIN };
  return { outcome: "failed", reason: `${acknowledged}: ${mistake}`, hint, failure: "other" };
}

interface Mistake {
  readonly mistake: string;
  readonly hint: string;
}

/** Of an app that answers a forgery and the right delivery by two statuses which both acknowledge; null: it does not. */
function toldApart({ attempts }: Delivery, all: readonly Delivery[]): Mistake | null {
  const status = attempts.at(-1)?.status;
  const right = all.find(({ tampered, acknowledged }) => tampered === null && acknowledged)?.attempts.at(-1)?.status;
  if (right === undefined || right === status) return null;
  const mistake = `it answered ${status}, and ${right} to the right one, but any 2XX acknowledges`;
  return { mistake, hint: REFUSE_BY_STATUS };
}

/** The forgeries that have the bytes of the right delivery, which was acknowledged before. */
const sameBody: readonly Tampering[] = ["signature", "secret", "header"];
const VERIFY_FIRST = `verify the signature before anything else, also before looking whether the delivery is known; ${EXPLAIN}`;

/**
 * What an app does that refuses some forgeries of a delivery, so that it does check signatures; null: it may not at all.
 */
function mistakeOf(forged: readonly Delivery[]): Mistake | null {
  const isRefused = (kind: Tampering) =>
    forged.some(({ tampered, result }) => tampered === kind && result === "refused");
  const isTaken = (kind: Tampering) => forged.some(({ tampered, acknowledged }) => tampered === kind && acknowledged);
  if (isRefused("body") && isTaken("signature") && isTaken("secret") && !sameBody.some(isRefused)) {
    const mistake =
      "it removes duplicates before it verifies: what it acknowledged once, it acknowledges with any signature";
    return { mistake, hint: VERIFY_FIRST };
  }
  if (isTaken("body") && sameBody.every(isRefused)) {
    const mistake =
      "it removes duplicates by their signature before it verifies, or what it verifies is not the whole body";
    return { mistake, hint: VERIFY_FIRST };
  }
  return null;
}

function judgeRight(delivery: Delivery, all: readonly Delivery[]): Verdict {
  const verdict = verdictOf(delivery);
  if (delivery.result !== "refused") return verdict;
  if (delivery.nonAscii) {
    const reason = `the app refuses a project's name in letters beyond ASCII, rightly signed, and takes one in ASCII: it does not hash the bytes that arrived (${delivery.attempts[0]?.reason})`;
    return { ...verdict, reason, hint: `hash the raw body, before anything decodes it; ${EXPLAIN}` };
  }
  const takenBefore = all
    .slice(0, all.indexOf(delivery))
    .filter(({ id, acknowledged }) => acknowledged && id === delivery.id);
  if (isSpellingRefused(delivery, takenBefore, all)) {
    const reason = `the app refuses the same JSON re-serialized, and rightly signed: it does not hash the bytes that arrived (${verdict.reason})`;
    return { ...verdict, reason, hint: `hash the raw body, before anything parses it; ${EXPLAIN}` };
  }
  const { status = null } = delivery.attempts.at(-1) ?? {};
  if (takenBefore.length > 0 && isUndecided(status)) {
    return { ...verdict, ...putOffBy(status, "the app acknowledges a delivery again") };
  }
  if (takenBefore.length > 0) {
    const reason = `the app refuses a delivery that it acknowledged before: ${verdict.reason}`;
    return { ...verdict, reason, hint: "a platform may deliver twice: acknowledge what was acknowledged before, too" };
  }
  if (all.every(({ tampered }) => tampered === null)) return verdict;
  const isNothingBelieved = all.every(({ attempts }) => attempts.every(isDisbelief));
  const cause = isNothingBelieved ? "; most likely it verifies with another secret" : "";
  const reason = `the app refuses what is right as well, so its refusals say nothing: ${verdict.reason}${cause}`;
  return { ...verdict, outcome: "inconclusive", reason };
}

/**
 * Whether the other spelling is why the app refused a delivery that it acknowledged before: it never took these bytes, and
 * answers as it does to what it does not believe. What it refuses otherwise may just be a duplicate for it.
 */
function isSpellingRefused(
  { respelled, attempts }: Delivery,
  takenBefore: readonly Delivery[],
  all: readonly Delivery[],
): boolean {
  if (!respelled || takenBefore.length === 0 || takenBefore.some(isTakenRespelled)) return false;
  const last = attempts.at(-1);
  const isOfForgery = (one: Delivery) => one.tampered !== null && one.attempts.at(-1)?.status === last?.status;
  return last !== undefined && (isDisbelief(last) || all.some(isOfForgery));
}

/** Whether the app acknowledged the other spelling itself: then it hashes the bytes that arrive. */
function isTakenRespelled({ respelled, acknowledged, attempts }: Delivery): boolean {
  return respelled && acknowledged && attempts[0]?.outcome === "acknowledged";
}

/** What right deliveries show of an app, though it acknowledged them in the end. */
export function spellingWarnings(deliveries: readonly Delivery[]): string[] {
  return deliveries.flatMap(({ id, module, respelled, nonAscii, acknowledged, attempts: [first, ...others] }) => {
    if (others.length === 0 || first === undefined || !isDisbelief(first)) return [];
    if (nonAscii && !acknowledged) {
      return [`webhook ${module} refuses a project with a name, so letters beyond ASCII were not tried`];
    }
    if (!respelled || !acknowledged || deliveries.some((other) => other.id === id && isTakenRespelled(other)))
      return [];
    return [
      `webhook ${module} refused its delivery with re-serialized JSON (exchange ${first.exchange}) and acknowledged it as JSON.stringify writes it: it hashes JSON that it parsed and wrote again. Hash the raw body, before anything parses it; with --no-respell all JSON is as JSON.stringify writes it`,
    ];
  });
}

function verdictOf({ attempts }: Delivery): Verdict {
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
    sent: sent.length,
    events: sent.reduce((sum, { events }) => sum + events, 0),
    acknowledged: of("acknowledged"),
    refused: of("refused"),
    failed: of("failed"),
    dropped: of("dropped"),
    attempts: attempts.length,
    latency: latencies.summary(),
  };
}
