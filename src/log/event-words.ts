import type { LoadRecord, LoginRecord, OAuthRecord, VerificationRecord } from "../journal/record.ts";
import { withCommas } from "../protocol/with-commas.ts";

/** What an end means to whoever builds the app. */
export type EventTone = "good" | "bad" | "caution";

/** A login fails where the app gave no answer that counts: no less bad than a denial. */
export const loginTones: Readonly<Record<LoginRecord["outcome"], EventTone>> = {
  granted: "good",
  denied: "bad",
  failed: "bad",
  "needs-user": "caution",
};

export const verificationTones: Readonly<Record<VerificationRecord["outcome"], EventTone>> = {
  passed: "good",
  failed: "bad",
  inconclusive: "caution",
};

export const loadTones: Readonly<Record<LoadRecord["outcome"], EventTone>> = { ok: "good", failed: "bad" };

/** What a load test measured, in a few words. */
export function loadWords({ sent, failed, notSent, rate, latency }: LoadRecord): string {
  return [
    `${withCommas(sent)} deliveries`,
    `${rate >= 10 ? withCommas(Math.round(rate)) : Number(rate.toPrecision(2))}/s`,
    ...(latency === null ? [] : [`p50 ${roundedMs(latency.p50)}`, `p99 ${roundedMs(latency.p99)}`]),
    ...(failed === 0 ? [] : [`${withCommas(failed)} failed`]),
    ...(notSent === 0 ? [] : [`${withCommas(notSent)} never sent`]),
  ].join(", ");
}

function roundedMs(ms: number): string {
  return `${ms >= 10 ? withCommas(Math.round(ms)) : Number(ms.toPrecision(2))} ms`;
}

/** Whether the platform refused what a right app would not have sent. */
export function isRefusedForFault({ outcome, step }: OAuthRecord): boolean {
  // A token expires: an app that is told so asks for another one.
  return outcome === "refused" && step !== "api";
}

export function decisionTone(record: OAuthRecord): EventTone {
  if (isRefusedForFault(record)) return "bad";
  return record.outcome === "ok" && record.warnings.length === 0 ? "good" : "caution";
}

/** Who asked, for whom, and why the platform decided as it did; it may hold what an app sent. */
export function decisionText({ client, user, reason, warnings }: OAuthRecord): string {
  const who = `${client ?? "unknown client"}${user === null ? "" : ` for ${user.role}`}`;
  const why = reason ?? warnings[0];
  return why === undefined ? who : `${who}: ${why}`;
}
