import { expect, test } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { Feed } from "../../src/inspector/feed.ts";
import type { ForeignRecord, JournalRecord, OAuthRecord, VerificationRecord } from "../../src/journal/record.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { logRow } from "../../src/log/log-rows.ts";
import { loginRecord } from "../rig/journal-lines.ts";

const at = "2026-01-02T03:04:05.000Z";

const oauth = (changes: Partial<OAuthRecord>): OAuthRecord => ({
  ...{ type: "oauth", id: "x", at, step: "exchange", client: "c", user: null, outcome: "ok", error: null },
  ...{ reason: null, hint: null, warnings: [], exchange: "none", ...changes },
});

const verification = (outcome: VerificationRecord["outcome"]): VerificationRecord => ({
  ...{
    type: "verification",
    id: "x",
    at,
    outcome,
    reason: null,
    seed: 1,
    platform: "http://127.0.0.1:7410",
    checks: [],
    coverage: [],
  },
});

const foreign: ForeignRecord = {
  ...{ type: "foreign", id: "x", at, count: 1, method: "GET", path: "/", origin: "http://elsewhere.example" },
};

test.each<[string, JournalRecord, string]>([
  ["a login that is granted", loginRecord("x"), "good"],
  ["a login that is denied", loginRecord("x", { outcome: "denied" }), "bad"],
  ["a login to which the app gave no usable answer", loginRecord("x", { outcome: "failed" }), "bad"],
  ["a login that needs its user", loginRecord("x", { outcome: "needs-user" }), "caution"],
  ["a decision for the app", oauth({}), "good"],
  ["one with a warning", oauth({ warnings: ["the method is plain"] }), "caution"],
  ["one that the user has still to make", oauth({ outcome: "asked" }), "caution"],
  ["a code that is refused", oauth({ outcome: "refused", error: "invalid_grant" }), "bad"],
  ["a token that is refused, as each one is that expires", oauth({ outcome: "refused", step: "api" }), "caution"],
  ["a verification that was passed", verification("passed"), "good"],
  ["one that failed", verification("failed"), "bad"],
  ["one that says nothing", verification("inconclusive"), "caution"],
  ["pages of other sites", foreign, "caution"],
])("the log and the inspector agree on what is good and bad: %s", (_, record, tone) => {
  const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
  feed.add(record);
  expect(logRow(record, new Redactor([])).tone).toBe(tone);
  expect(feed.row("x")?.tone).toBe(tone);
});
