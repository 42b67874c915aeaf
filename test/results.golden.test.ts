import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { demoCommand } from "../src/demo/command.ts";
import {
  demoResultSchema,
  guardResultSchema,
  importResultSchema,
  manifestResultSchema,
  webhookResultSchema,
} from "../src/index.ts";
import { startCommand, withCall } from "./rig/command.ts";
import { guardEntry, importEntry, manifestOf, webhookEntry } from "./rig/fake-app.ts";
import { always, byPath, jobWith, record, startSimulation } from "./rig/simulation.ts";
import { makeTempDir } from "./rig/temp-dir.ts";

// What programs read with --format json: keys may be added, never renamed or dropped.

const promised = {
  guard: ["command", "outcome", "deniedBy", "reason", "user", "expectation", "stages", "warnings", "choices"],
  user: ["id", "role"],
  skippedStage: ["stage", "result", "exchanges"],
  guardStage: ["stage", "module", "type", "result", "exchanges"],
  deniedStage: ["stage", "module", "type", "result", "reason", "exchanges"],
  import: ["command", "jobs", "choices"],
  job: [
    ...["fixture", "occasion", "languages", "user", "module", "outcome", "error", "hint", "failure"],
    ...["sent", "received", "preview", "changes", "findings", "expected", "exchanges"],
  ],
  payload: ["strings", "via", "bytes"],
  sentPayload: ["strings", "via", "contentVia", "bytes"],
  preview: ["via", "bytes", "url"],
  changes: ["changed", "added", "removed", "unchanged", "hidden", "relabelled", "strings"],
  importFinding: ["check", "section", "result", "path", "value", "message", "rule"],
  expected: ["file", "result", "reason", "differences"],
  webhook: ["command", "outcome", "deliveries", "choices"],
  delivery: ["id", "module", "url", "events", "attempts", "acknowledged"],
  attempt: ["outcome", "status", "ms", "exchange"],
  oauth: ["command", "outcome", "decision", "reason", "start", "user", "steps", "findings", "choices"],
  oauthStep: ["step", "result", "text", "details", "exchanges"],
  oauthFinding: ["check", "section", "result", "path", "message", "step", "hint"],
  demo: ["command", "outcome", "login", "denied", "import", "webhook", "forged", "oauth"],
} as const;

function expectKeys(value: unknown, keys: readonly string[]): void {
  expect(Object.keys(value ?? {})).toEqual(expect.arrayContaining([...keys]));
}

/** What is printed is what is parsed: nothing in a result gets lost as JSON. */
function asPrinted<T>(schema: z.ZodType<T>, result: unknown): T {
  const printed = JSON.parse(JSON.stringify(result));
  expect(printed).toEqual(result);
  return schema.parse(printed);
}

const serves = manifestOf({
  guards: [guardEntry("first"), guardEntry("second"), guardEntry("page", { type: "frame", url: "/page" })],
  imports: [importEntry("import")],
  webhooks: [webhookEntry("webhook")],
});
const job = { name: "job", job: jobWith([record("1", "Save"), record("2", "Open")]) };

describe("the result of guard", () => {
  it("denied", async () => {
    const answer = byPath({
      "/first": always({ success: true }),
      "/second": always({ success: false, message: "No." }),
    });
    await using run = await startSimulation({ serves, answer });
    const result = asPrinted(guardResultSchema, await run.sim.guard());
    expect(result).toMatchObject({ command: "guard", outcome: "denied", deniedBy: "second", reason: "No." });
    expectKeys(result, promised.guard);
    expectKeys(result.user, promised.user);
    const [skipped, passed, denied] = ["skipped", "passed", "denied"].map((end) =>
      result.stages.findLast(({ result: ended }) => ended === end),
    );
    expectKeys(skipped, promised.skippedStage);
    expectKeys(passed, promised.guardStage);
    expectKeys(denied, promised.deniedStage);
    expect(denied?.exchanges.map((id) => run.sim.journal.find(id)?.type)).toEqual(["exchange"]);
  });

  it("needs-user, granted, and without an app", async () => {
    const modules = ["page"];
    await using run = await startSimulation({ serves, answer: always({ success: false }) });
    const waiting = asPrinted(guardResultSchema, await run.sim.guard({ modules }));
    expectKeys(waiting.stages.at(-1), promised.deniedStage);
    run.app.answer(always({ success: true }));
    asPrinted(guardResultSchema, await run.sim.guard({ modules }));
    await run.app.close();
    const denied = asPrinted(guardResultSchema, await run.sim.guard());
    expect([waiting.outcome, denied.outcome, denied.failure]).toEqual(["needs-user", "failed", "unreachable"]);
  });

  it("has exactly this shape", () => {
    const { outcome, stages } = guardResultSchema.shape;
    expect(outcome.options).toEqual(["granted", "denied", "failed", "needs-user"]);
    const stage = stages.element.shape;
    expect(stage.stage.options).toEqual(["password", "mfa", "device-trust", "guard", "remember-me"]);
    expect(stage.result.options).toEqual(["passed", "denied", "failed", "skipped", "needs-user"]);
  });
});

describe("the result of post-import", () => {
  it.each([
    ["imported", (call) => call.reply({ data: { strings: [record("1", "Save!"), record("3", "New")] } })],
    ["not-modified", (call) => call.send("", { status: 304 })],
    ["failed", (call) => call.reply({ error: { message: "No." } })],
  ] satisfies [string, Parameters<typeof startSimulation>[0]["answer"]][])("%s", async (outcome, answer) => {
    await using run = await startSimulation({ serves, answer });
    const result = asPrinted(importResultSchema, await run.sim.postImport(job));
    expectKeys(result, promised.import);
    expect(result).toMatchObject({ command: "post-import", jobs: [{ outcome }] });
    const [imported] = result.jobs;
    expectKeys(imported, promised.job);
    expectKeys(imported?.sent, promised.sentPayload);
    expectKeys(imported?.received, promised.payload);
    expectKeys(imported?.changes, promised.changes);
  });

  it("with a preview, findings and an expected answer", async () => {
    using directory = makeTempDir();
    const fixture = directory.write("job.json", job.job);
    const preview = Buffer.from("<p>").toString("base64");
    const strings = [record("1", "Save"), { ...record("2", "Open"), uniqId: "3" }];
    await using run = await startSimulation({ serves, answer: always({ data: { strings, preview } }) });
    for (const options of [{ update: true, preview: true }, {}]) {
      const result = asPrinted(importResultSchema, await run.sim.postImport(fixture, options));
      const [imported] = result.jobs;
      expectKeys(imported?.preview, promised.preview);
      expectKeys(imported?.findings[0], promised.importFinding);
      expectKeys(imported?.expected, promised.expected);
      expectKeys(imported?.expected?.differences, promised.changes);
    }
  });

  it("has exactly this shape", () => {
    const { outcome, sent, occasion, expected } = importResultSchema.shape.jobs.element.shape;
    expect(outcome.options).toEqual(["imported", "not-modified", "failed", "skipped"]);
    expect(sent.shape.via.options).toEqual(["inline", "url"]);
    expect(sent.shape.contentVia.options).toEqual(["inline", "url"]);
    expect(occasion.options).toEqual(["source-upload", "source-update", "translation-upload", "multilingual"]);
    expect(expected.unwrap().shape.result.options).toEqual(["written", "not-written", "same", "different"]);
  });
});

describe("the result of webhook", () => {
  it.each([
    [204, "acknowledged"],
    [500, "failed"],
  ])("answered %i: %s", async (status, outcome) => {
    await using run = await startSimulation({ serves, answer: (call) => call.send("", { status }) });
    const result = asPrinted(webhookResultSchema, await run.sim.webhook("project.approved"));
    expectKeys(result, promised.webhook);
    expect(result).toMatchObject({ command: "webhook", outcome });
    expectKeys(result.deliveries[0], promised.delivery);
    expectKeys(result.deliveries[0]?.attempts[0], promised.attempt);
  });

  it("has exactly this shape", () => {
    expect(webhookResultSchema.shape.outcome.options).toEqual([
      "acknowledged",
      "refused",
      "failed",
      "inconclusive",
      "no-module",
    ]);
  });
});

it("the result of manifest", async () => {
  await using run = await startSimulation({ serves });
  const whole = ["command", "outcome", "reason", "hint", "failure", "problems", "apps", "warnings", "choices"];
  expectKeys(asPrinted(manifestResultSchema, await run.sim.manifest()), whole);
  run.app.manifest = { modules: { webhook: [{ key: "a", url: "/a" }], "auth-guards": [] } };
  const broken = asPrinted(manifestResultSchema, await run.sim.manifest());
  expectKeys(broken, whole);
  for (const problem of broken.problems) expectKeys(problem, ["app", "path", "message", "severity"]);
  expect(broken.problems).toHaveLength(2);
});

it("the result of demo, as it is printed", async () => {
  using directory = makeTempDir();
  const command = startCommand(withCall(demoCommand), { cwd: directory.path, format: "json" });
  const code = await command.done;
  expect(command.stderr()).toBe("");
  const result = demoResultSchema.parse(JSON.parse(command.stdout()));
  expectKeys(result, promised.demo);
  expectKeys(result.oauth, promised.oauth);
  expectKeys(result.oauth.steps[0], promised.oauthStep);
  expectKeys(result.oauth.findings[0], promised.oauthFinding);
  expect([code, result.outcome]).toEqual([0, "ok"]);
  expect(demoResultSchema.shape.outcome.options).toEqual(["ok", "failed"]);
});
