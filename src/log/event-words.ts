import type { LoginRecord, OAuthRecord, VerificationRecord } from "../journal/record.ts";

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
