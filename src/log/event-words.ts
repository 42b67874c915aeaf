import type { LoadRecord, LoginRecord, OAuthRecord, VerificationRecord } from "../journal/record.ts";
import { withCommas } from "../protocol/with-commas.ts";

/** What an outcome means to the app's developer. */
export type EventTone = "good" | "bad" | "caution";

/** A login fails if the app gave no usable answer: that is as bad as a denial. */
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

/** Whether the platform refused something that a correct app would not have sent. */
export function isRefusedForFault({ outcome, step }: OAuthRecord): boolean {
  // Tokens expire, and an app then requests another one.
  return outcome === "refused" && step !== "api";
}

export function decisionTone(record: OAuthRecord): EventTone {
  if (isRefusedForFault(record)) return "bad";
  return record.outcome === "ok" && record.warnings.length === 0 ? "good" : "caution";
}

/** Who asked, on whose behalf, and why the platform decided that way; may contain text from an app. */
export function decisionText({ client, user, reason, warnings }: OAuthRecord): string {
  const who = `${client ?? "unknown client"}${user === null ? "" : ` for ${user.role}`}`;
  const why = reason ?? warnings[0];
  return why === undefined ? who : `${who}: ${why}`;
}
