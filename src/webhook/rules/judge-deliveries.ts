import { THROWS_FOR_SIGNATURE } from "../../app-client/signature-faults.ts";
import { sentences } from "../../protocol/sentences.ts";
import type { Tampering } from "../../protocol/webhook.ts";
import { createLatencies } from "../latencies.ts";
import type { Delivery, DeliveryAttempt, DeliverySummary, WebhookResult } from "../webhook-result.ts";

/** How the bodies of deliveries are transferred, if not as usual. */
export interface Transfer {
  readonly gzip?: boolean | undefined;
  readonly chunked?: boolean | undefined;
}

/**
 * Whether an app refused how a body was transferred, as it may: 415 for an encoding (RFC 9110, 15.5.16), 411 for a body
 * without a length (15.5.12).
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
    // The app refused ASCII names as well, so this says nothing about non-ASCII letters.
    return { result: "refused", asExpected: !acknowledged, acknowledged };
  }
  const result = dropped ? "dropped" : isDecided ? outcome : "failed";
  const mayBeRefused = tampered !== null || isTransferRefused(transfer, status);
  const expected: readonly Delivery["result"][] = mayBeRefused ? ["refused"] : ["acknowledged", "dropped"];
  return { result, asExpected: expected.includes(result), acknowledged };
}

/** Whether a delivery with non-ASCII letters proves nothing: its ASCII twin was refused as well. */
export function isUntried({ nonAscii, asExpected, result }: Pick<Delivery, "nonAscii" | "asExpected" | "result">) {
  return nonAscii && asExpected && result === "refused";
}

/** Statuses that do not judge the request: too slow, too early, too many (RFC 9110, 8470, 6585). */
const putOff: readonly number[] = [408, 425, 429];

function isUndecided(status: number | null): status is number {
  return status !== null && putOff.includes(status);
}

/** Statuses with which an app says that it does not believe a request. */
const disbelief: readonly (number | null)[] = [400, 401, 403];

/** Whether an app refused an attempt because it did not believe it, and so did nothing else. */
export function isDisbelief({ status }: Pick<DeliveryAttempt, "status">): boolean {
  return disbelief.includes(status);
}

type Verdict = Pick<WebhookResult, "outcome" | "reason" | "hint" | "failure">;

const forgery: Record<Tampering, string> = {
  body: "whose body was changed after it was signed",
  signature: "whose signature is wrong",
  secret: "signed with another secret",
  header: "without a signature",
};

/** For an answer whose body refuses what its status acknowledges. */
export const SAYS_NO = "its body says no, but any 2XX acknowledges a delivery (interface 4.2)";
const ANSWER_401 = "answer it with 401";
const REFUSE_BY_STATUS = "answer it with 401: any 2XX acknowledges, whatever the body says (interface 4.2)";
const EXPLAIN = "app-sim webhook --explain shows how to verify it";

/** The overall outcome: why the first unexpected delivery is wrong. */
export function judgeDeliveries(deliveries: readonly Delivery[], isInterrupted: boolean): Verdict {
  if (isInterrupted) return { outcome: "failed", reason: "interrupted", hint: null, failure: "interrupted" };
  if (deliveries.every(({ result }) => result === "dropped")) {
    const reason = "every delivery was dropped: nothing was sent";
    return { outcome: "failed", reason, hint: "give --drop a smaller share", failure: "other" };
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
  const what = status === 411 ? "bodies without a length" : "gzip-compressed bodies";
  return { outcome: "refused", reason: `the app does not accept ${what} (${status}), which is allowed`, ...rest };
}

/** @param what what is not known, as a clause */
function putOffBy(status: number, what: string): Pick<Verdict, "reason" | "hint"> {
  const reason = `unknown whether ${what}: the app answered ${status}, which decides nothing`;
  return { reason, hint: "raise the app's rate limit while it is tested" };
}

function judgeForged(delivery: Delivery, tampered: Tampering, all: readonly Delivery[]): Verdict {
  const verdict = verdictOf(delivery);
  const status = delivery.attempts.at(-1)?.status ?? null;
  if (!delivery.acknowledged && isUndecided(status)) {
    return { ...verdict, ...putOffBy(status, `a delivery ${forgery[tampered]} is refused`) };
  }
  if (!delivery.acknowledged) {
    const reason = `a delivery ${forgery[tampered]} must be refused, but was not: ${verdict.reason}`;
    // Correct deliveries reach the handler, so nothing else redirects this one.
    if (status !== null && status >= 300 && status < 400) return { ...verdict, reason, hint: ANSWER_401 };
    const isCrash = delivery.attempts.at(-1)?.outcome === "disconnected";
    const hint = sentences([`${ANSWER_401}; ${verdict.hint ?? EXPLAIN}`, isCrash ? THROWS_FOR_SIGNATURE : null]);
    return { ...verdict, reason, hint };
  }
  const acknowledged = `the app acknowledged a delivery ${forgery[tampered]}`;
  if (verdict.hint === SAYS_NO) {
    const reason = `${acknowledged}: it answered ${status}, and refused it only in the body`;
    return { outcome: "failed", reason, hint: REFUSE_BY_STATUS, failure: "other" };
  }
  const why = tampered === "header" ? "it accepts unsigned deliveries" : "it does not check the signature";
  const ofThisDelivery = all.filter(({ id }) => id === delivery.id);
  const { mistake, hint } = mistakeOf(ofThisDelivery) ??
    refusedWith2xx(delivery, ofThisDelivery) ?? { mistake: why, hint: EXPLAIN };
  return { outcome: "failed", reason: `${acknowledged}: ${mistake}`, hint, failure: "other" };
}

interface Mistake {
  readonly mistake: string;
  readonly hint: string;
}

/** For an app that answers a forgery and the correct delivery with two different 2XX statuses; null: it does not. */
function refusedWith2xx({ attempts }: Delivery, all: readonly Delivery[]): Mistake | null {
  const status = attempts.at(-1)?.status;
  const right = all.find(({ tampered, acknowledged }) => tampered === null && acknowledged)?.attempts.at(-1)?.status;
  if (right === undefined || right === status) return null;
  const mistake = `it answered ${status}, and the right one with ${right}, but any 2XX acknowledges`;
  return { mistake, hint: REFUSE_BY_STATUS };
}

/** The forgeries with the same bytes as the correct delivery, which was acknowledged before. */
const sameBody: readonly Tampering[] = ["signature", "secret", "header"];
const VERIFY_FIRST = `verify the signature before anything else, even before checking for duplicates; ${EXPLAIN}`;

/**
 * What may be wrong in an app that refuses some forgeries, so it does check signatures; null: perhaps it checks none.
 */
function mistakeOf(forged: readonly Delivery[]): Mistake | null {
  const isRefused = (kind: Tampering) =>
    forged.some(({ tampered, result }) => tampered === kind && result === "refused");
  const isTaken = (kind: Tampering) => forged.some(({ tampered, acknowledged }) => tampered === kind && acknowledged);
  if (isRefused("body") && isTaken("signature") && isTaken("secret") && !sameBody.some(isRefused)) {
    const mistake =
      "it removes duplicates before it verifies: a delivery that it acknowledged once is then accepted with any signature";
    return { mistake, hint: VERIFY_FIRST };
  }
  if (isTaken("body") && sameBody.every(isRefused)) {
    const mistake = "it removes duplicates by their signature before it verifies, or it does not verify the whole body";
    return { mistake, hint: VERIFY_FIRST };
  }
  return null;
}

function judgeRight(delivery: Delivery, all: readonly Delivery[]): Verdict {
  const verdict = verdictOf(delivery);
  if (delivery.result !== "refused") return verdict;
  if (delivery.nonAscii) {
    const reason = `the app refuses a correctly signed delivery with a non-ASCII project name, and accepts an ASCII one: it does not hash the bytes that arrived (${delivery.attempts[0]?.reason})`;
    return { ...verdict, reason, hint: `hash the raw body, before anything decodes it; ${EXPLAIN}` };
  }
  const takenBefore = all
    .slice(0, all.indexOf(delivery))
    .filter(({ id, acknowledged }) => acknowledged && id === delivery.id);
  if (isSpellingRefused(delivery, takenBefore, all)) {
    const reason = `the app refuses the same JSON, reformatted and correctly signed: it does not hash the bytes that arrived (${verdict.reason})`;
    return { ...verdict, reason, hint: `hash the raw body, before anything parses it; ${EXPLAIN}` };
  }
  const { status = null } = delivery.attempts.at(-1) ?? {};
  if (takenBefore.length > 0 && isUndecided(status)) {
    return { ...verdict, ...putOffBy(status, "the app acknowledges a repeated delivery") };
  }
  if (takenBefore.length > 0) {
    const reason = `the app refuses a delivery that it acknowledged before: ${verdict.reason}`;
    return { ...verdict, reason, hint: "a platform may deliver twice: acknowledge duplicates, too" };
  }
  if (all.every(({ tampered }) => tampered === null)) return verdict;
  const isNothingBelieved = all.every(({ attempts }) => attempts.every(isDisbelief));
  const cause = isNothingBelieved ? "; most likely it signs differently: with another secret, encoding or prefix" : "";
  const reason = `the app refuses correct deliveries as well, so its refusals prove nothing: ${verdict.reason}${cause}`;
  return { ...verdict, outcome: "inconclusive", reason };
}

/**
 * Whether the other spelling is why the app refused a delivery that it acknowledged before: it never accepted these
 * bytes, and answers with a status of disbelief. Any other refusal may be that of a duplicate.
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

/** Whether the app acknowledged the other spelling itself: then it hashes the raw bytes. */
function isTakenRespelled({ respelled, acknowledged, attempts }: Delivery): boolean {
  return respelled && acknowledged && attempts[0]?.outcome === "acknowledged";
}

/** What correct deliveries reveal about an app even though it acknowledged them in the end. */
export function spellingWarnings(deliveries: readonly Delivery[]): string[] {
  // An app that refuses everything refuses no name.
  const isBelieved = deliveries.some(({ tampered, acknowledged }) => tampered === null && acknowledged);
  return deliveries.flatMap(({ id, module, respelled, nonAscii, acknowledged, attempts: [first, ...others] }) => {
    if (others.length === 0 || first === undefined || !isDisbelief(first)) return [];
    if (nonAscii && !acknowledged) {
      if (!isBelieved) return [];
      return [`webhook ${module} refuses a project with a name, so non-ASCII letters were not tried`];
    }
    if (!respelled || !acknowledged || deliveries.some((other) => other.id === id && isTakenRespelled(other)))
      return [];
    return [
      `webhook ${module} refused its delivery with reformatted JSON (exchange ${first.exchange}) and acknowledged it as JSON.stringify writes it: it hashes JSON that it parsed and serialized again. Hash the raw body, before anything parses it; --no-respell sends only JSON as JSON.stringify writes it`,
    ];
  });
}

function verdictOf({ attempts }: Delivery): Verdict {
  const { reason = null, hint = null, failure } = attempts.at(-1) ?? {};
  return { outcome: "failed", reason, hint, failure: failure ?? "other" };
}

/** Counts, and how long the app took to answer. */
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
