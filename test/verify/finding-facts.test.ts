import { Chalk } from "chalk";
import { expect, test } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import { findRecord, recordBody } from "../../src/journal/journal.ts";
import { paintWith } from "../../src/output/paint.ts";
import { noEvidence } from "../../src/platform/result-evidence.ts";
import { differenceText, findingFacts } from "../../src/verify/text/finding-facts.ts";
import { findingText } from "../../src/verify/text/finding-text.ts";
import { manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";
import { always, startSimulation } from "../rig/simulation.ts";
import { checkResult } from "./check-result.ts";

async function differencesOf({ verify, journal }: RunningSimulator, only: readonly string[]): Promise<string[][]> {
  const { checks } = await verify({ only });
  const find = (id: string) => {
    const record = findRecord(journal.list(), id);
    return record?.type === "exchange" ? record : null;
  };
  return checks.map((check) => findingFacts(check, { ...noEvidence, find }).differences.map(differenceText));
}

test("a delivery that was changed after signing differs only in that, although each has other events", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ webhooks: [webhookEntry("events")] }),
    answer: always({ success: true }),
  });
  expect(await differencesOf(run.sim, ["webhook.body.project-changed", "webhook.body.language-changed"])).toEqual([
    [expect.stringMatching(/^json\.events.*project.id: "\w+" → "\w+"$/)],
    [expect.stringMatching(/^json\.events.*targetLanguage.id: "[\w-]+" → "[\w-]+"$/)],
  ]);
});

test("a signature is not shown, but its difference from the right one is", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ webhooks: [webhookEntry("events")] }),
    answer: always({ success: true }),
  });
  const only = ["zeros", "cut", "one-character"].map((name) => `webhook.signature.${name}`);
  const header = 'headers.x-platform-signature: "‹redacted›" → another hidden value';
  expect(await differencesOf(run.sim, only)).toEqual([
    [header],
    [`${header} with 32 characters instead of 64`],
    [`${header} with 1 character instead of 64`],
  ]);
});

test("of many exchanges a finding names the first ones", async () => {
  await using run = await startSimulation({ serves: manifestOf({ webhooks: [webhookEntry("events")] }) });
  run.app.answer((call) => call.send(""));
  const { checks } = await run.sim.verify({ only: ["webhook.signature.missing"] });
  const exchanges = Array.from({ length: 9 }, (_, index) => `id-${index}`);
  const many = checks.map((check) => ({ ...check, control: null, exchanges }));
  const text = findingText(many, noEvidence, paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY)).join("\n");
  expect(text).toContain("look   app-sim log id-0  (also id-1, id-2, id-3, id-4, id-5 and 3 more)\n");
});

test("requests of one check are listed in the order sent, not in the order of their answers", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ webhooks: [webhookEntry("events")] }),
    answer: always({ success: true }),
  });
  const { checks } = await run.sim.verify({ only: ["webhook.signature.missing"] });
  const [check] = checks;
  const [sent] = run.sim.journal.list().filter((record) => record.type === "exchange");
  if (check === undefined || sent === undefined) throw new Error("nothing was sent");
  const at = (id: string, startedAt: string) => ({
    ...sent,
    id,
    startedAt,
    check: { run: 1, subject: "", id: "", role: id },
  });
  const found = [at("later", "2026-01-01T00:00:02Z"), at("sooner", "2026-01-01T00:00:01Z")];
  const evidence = { ...noEvidence, find: (id: string) => found.find((each) => each.id === id) ?? null };
  const facts = findingFacts({ ...check, control: null, exchanges: ["later", "sooner"] }, evidence);
  expect(facts.sent.map((line) => line.split(":")[0])).toEqual(["sooner", "later"]);
  expect(facts.exchanges).toEqual(["later", "sooner"]);
});

test("of several requests each names its differences from the first, unless it goes elsewhere", () => {
  const step = (role: string, path: string, headers: [string, string][]) =>
    exchangeRecord(role, {
      request: { method: "POST", url: `http://127.0.0.1${path}`, headers, body: recordBody(Buffer.from("{}")) },
      check: { run: 1, subject: "", id: "", role },
    });
  const steps = [
    step("first", "/hook", [["x-a", "1"]]),
    step("again", "/hook", [["x-a", "1"]]),
    step("changed", "/hook", [["x-a", "2"]]),
    step("elsewhere", "/other", [["x-a", "1"]]),
  ];
  const evidence = { ...noEvidence, find: (id: string) => steps.find((each) => each.id === id) ?? null };
  const exchanges = steps.map(({ id }) => id);
  expect(findingFacts({ ...checkResult(), exchanges }, evidence).sent).toEqual([
    "first: POST http://127.0.0.1/hook {}",
    "again: the same",
    'changed: the same, except headers.x-a: "1" → "2"',
    "elsewhere: POST http://127.0.0.1/other {}",
  ]);
});

test.each([
  [{ pressed: null, walkedAs: null, code: "c0de" }, 'the page in the frame: AP.verifyAuth({"code":"‹redacted›"})'],
  [
    { pressed: "Not me", walkedAs: null, error: "no" },
    'the page in the frame, with "Not me" pressed: AP.verifyAuth({"error":"no"})',
  ],
  [
    { pressed: null, walkedAs: "fail" },
    "the page in the frame, answered as verify.guards configures for fail: no call of AP.verifyAuth",
  ],
  [
    { pressed: null, walkedAs: "refused" },
    "the page in the frame, with its request to the app refused: no call of AP.verifyAuth",
  ],
  [
    { pressed: null, walkedAs: "wrong password", error: "no" },
    'the page in the frame, with a wrong password: AP.verifyAuth({"error":"no"})',
  ],
])("what a page reported is told in words, without the exchange that represents it: %j", (report, line) => {
  const exchange = exchangeRecord("aaaa", { check: { run: 1, subject: "", id: "", role: "report" } });
  const body = recordBody(Buffer.from(JSON.stringify(report)));
  const found = { ...exchange, request: { ...exchange.request, body } };
  const facts = findingFacts(
    { ...frameFinding, exchanges: ["aaaa"] },
    { ...noEvidence, find: (id) => (id === "aaaa" ? found : null) },
  );
  expect([facts.sent, facts.came]).toEqual([[line], []]);
});

const frameFinding = checkResult({ id: "page.frame.reports-error", area: "page", module: "human", result: "fail" });
