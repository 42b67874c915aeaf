import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { VerifyResult } from "../../src/index.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import { judgeAgain, lastVerification } from "../../src/verify/judge-again.ts";
import { VerifiedJournal } from "../../src/verify/verified-journal.ts";
import { runLine } from "../rig/line.ts";
import { startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { type EditedApp, startEditedApp } from "./edited-app.ts";

function environmentOf({ sim }: EditedApp): Record<string, string> {
  const [app] = sim.config.apps;
  if (app === undefined) throw new RangeError("no app");
  const { url, clientId, clientSecret, appSecret } = app;
  const secrets = { APP_SIM_CLIENT_ID: clientId, APP_SIM_CLIENT_SECRET: clientSecret, APP_SIM_APP_SECRET: appSecret };
  return { APP_SIM_APP: url, APP_SIM_PORT: "0", ...secrets };
}

it("judges the last verification of the journal again, and sends nothing", async () => {
  using directory = makeTempDir();
  const edited = await startEditedApp([]);
  const at = { cwd: directory.path, env: environmentOf(edited) };
  await runLine(["verify", "--only", "manifest"], at);
  const json = (line: readonly string[]) => runLine(["verify", ...line, "--format", "json"], at);
  const first = await json(["--only", "guard.token,webhook", "--module", "network", "--module", "translation-events"]);
  await edited[Symbol.asyncDispose]();
  const again = await json(["--again"]);
  const [sent, judged] = [first, again].map(({ stdout }) => JSON.parse(stdout) as VerifyResult);
  expect(judged?.checks).toEqual(sent?.checks);
  expect(judged).toMatchObject({ outcome: sent?.outcome, seed: sent?.seed });
  expect(again.code).toBe(first.code);
  const part = JSON.parse((await json(["--again", "--only", "guard.token.missing"])).stdout) as VerifyResult;
  expect(part.checks.map(({ id }) => id)).toEqual(["guard.token.missing"]);
  const listed = await runLine(["log", "--kind", "verification", "--last", "1", "--format", "json"], at);
  const log = await runLine(["log", JSON.parse(listed.stdout).records[0].id], at);
  expect(log.stdout).toMatch(/verify {2}.*\npassed: \d+ pass, .*seed \d+\n/);
});

it("judges by the recorded answers, and not by the earlier verdict", async () => {
  await using edited = await startEditedApp([]);
  const { checks } = await edited.sim.verify({ only: ["guard.token.missing"], modules: ["network"] });
  const records = edited.sim.journal.list();
  const body = { base64: Buffer.from('{"success":true}').toString("base64"), size: 16 };
  const accepted = { status: 200, headers: [["Content-Type", "application/json"]], body } as Exchange["response"];
  const changed = records.map(
    (record): JournalRecord =>
      record.type === "exchange" && record.id === checks[0]?.twin ? { ...record, response: accepted } : record,
  );
  const [judged] = judgeAgain(new VerifiedJournal(changed), lastVerification(changed), edited.sim);
  expect(judged).toMatchObject({ result: "fail", reason: "the app answered 200 with success: true" });
});

it("reads a manifest with its deployment's names, both times", async () => {
  const options = { type: "iframe", applyToAdmin: true, url: "/page" };
  const guard = { key: "presence", name: "Presence", url: "/verify", options };
  const serves = { logo: "/logo.svg", modules: { "auth-guard": [guard], "file-post-export": [{ key: "export" }] } };
  await using run = await startSimulation({ serves, profile: "crowdin" });
  const { checks } = await run.sim.verify({ only: ["manifest.options", "manifest.spelling"] });
  const judged = judgeAgain(
    new VerifiedJournal(run.sim.journal.list()),
    lastVerification(run.sim.journal.list()),
    run.sim,
  );
  expect([checks, judged].map((each) => each.filter(({ result }) => result !== "pass"))).toEqual([[], []]);
  expect(checks.length).toBeGreaterThan(0);
});

it("distinguishes the verifications in one journal", async () => {
  using directory = makeTempDir();
  await using edited = await startEditedApp([]);
  const at = { cwd: directory.path, env: environmentOf(edited) };
  for (const only of ["guard.token.missing", "guard.token.expired"]) {
    await runLine(["verify", "--only", only, "--module", "network"], at);
  }
  const lines = readFileSync(`${directory.path}/.app-sim/journal.ndjson`, "utf8").trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as JournalRecord);
  const tags = records.flatMap((record) => (record.type === "exchange" ? [record.check?.verification] : []));
  const verifications = records.flatMap((record) => (record.type === "verification" ? [record.id] : []));
  expect([...new Set(tags)]).toEqual(verifications);
});

it("ignores the requests of --init and of other verifications", async () => {
  using directory = makeTempDir();
  await using edited = await startEditedApp([]);
  const port = new URL(edited.sim.url).port;
  await edited.sim.close();
  const at = { cwd: directory.path, env: { ...environmentOf(edited), APP_SIM_PORT: port } };
  await runLine(["verify", "--init", "--write"], at);
  const line = ["verify", "--only", "oauth.exchange", "--format", "json"];
  await runLine(line, at);
  const sent = JSON.parse((await runLine(line, at)).stdout) as VerifyResult;
  const judged = JSON.parse((await runLine(["verify", "--again", "--format", "json"], at)).stdout) as VerifyResult;
  expect(sent.outcome).toBe("passed");
  expect(judged.checks).toEqual(sent.checks);
});

it("says so if nothing was verified", async () => {
  using directory = makeTempDir();
  expect(await runLine(["verify", "--again"], { cwd: directory.path })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the journal has no verification to judge again"),
  });
});
