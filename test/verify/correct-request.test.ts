import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ImportJob } from "../../src/protocol/import-job.ts";
import { judgeAgain, lastVerification } from "../../src/verify/judge-again.ts";
import { VerifiedJournal } from "../../src/verify/verified-journal.ts";
import { type AppCall, guardEntry, importEntry, manifestOf } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { type Edit, startEditedApp } from "./edited-app.ts";

const serves = manifestOf({ guards: [guardEntry("door")], imports: [importEntry("import")] });

describe("an app that accepts no correct import proves nothing", () => {
  it.each([
    [
      "401, as without the right secret",
      { status: 401 },
      /answered 401 to every correct job/,
      /PLATFORM_CLIENT_SECRET/,
    ],
    ["403", { status: 403 }, /answered 403 to every correct job/, /postImport\.auth=none, or query/],
    [
      "what it has against the file",
      { status: 400, body: { error: { message: "Only .strings files." } } },
      /answered 400/,
      /name a job that the app accepts: "verify": \{ "fixtures"/,
    ],
    [
      "so with a 200",
      { status: 200, body: { error: { message: "Only .strings files." } } },
      /the error "Only \.strings files\."/,
      /"fixtures"/,
    ],
    [
      "strings and an error",
      { status: 200, body: { data: { strings: [] }, error: { message: "2 strings were skipped" } } },
      /the error "2 strings were skipped"/,
      /have both data and an error, .*: leave error out unless/,
    ],
  ])("%s", async (_, { status, body }: { status: number; body?: unknown }, reason, hint) => {
    await using run = await startSimulation({
      serves,
      answer: (call) => (call.path === "/door" ? call.reply({ success: true }) : call.reply(body ?? {}, { status })),
    });
    const { outcome, failure, checks } = await run.sim.verify({ only: ["import", "guard.answer.decides"] });
    expect({ outcome, failure }).toEqual({ outcome: "inconclusive", failure: "other" });
    const tried = checks.filter(({ result }) => result !== "skip" && result !== "pass");
    expect(tried).toEqual([
      expect.objectContaining({
        ...{ id: "import.job.accepted", result: "inconclusive" },
        reason: expect.stringMatching(reason),
        hint: expect.stringMatching(hint),
      }),
    ]);
    expect(checks.find(({ id }) => id === "import.token.expired")).toMatchObject({ result: "skip" });
  });
});

it.each([405, 413])("an import that answers every small job %d fails, whatever it says of the file", async (status) => {
  await using run = await startSimulation({
    serves: manifestOf({ imports: [importEntry("import")] }),
    answer: (call) => call.reply({ error: { message: "Not this one." } }, { status }),
  });
  const { checks } = await run.sim.verify({ only: ["import.job.accepted"] });
  expect(checks).toMatchObject([{ result: "fail", reason: `the app answered ${status} to a correct job` }]);
});

it("an import that takes strings only by URL fails", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ imports: [importEntry("import")] }),
    answer: (call) => {
      const { stringsUrl } = call.json() as Partial<ImportJob>;
      const isByUrl = stringsUrl !== undefined;
      call.reply(isByUrl ? { data: { strings: [] } } : { error: { message: "There is no file." } });
    },
  });
  const { checks } = await run.sim.verify({ only: ["import.job.accepted"] });
  const records = run.sim.journal.list();
  expect(checks).toMatchObject([
    { result: "fail", reason: expect.stringMatching(/to correct jobs with strings, and accepts one with stringsUrl$/) },
  ]);
  expect(judgeAgain(new VerifiedJournal(records), lastVerification(records), run.sim)).toEqual(checks);
});

describe("a page that nobody passes as configured", () => {
  const accepted = async (page: (call: AppCall) => void) => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("door", { type: "redirect", url: "/page" })] }),
      answer: (call) => (call.path === "/door" ? call.reply({ success: false }) : page(call)),
      verify: { guards: { door: { pass: { press: "yes" } } } },
    });
    const { checks } = await run.sim.verify({ only: ["guard.final.accepted"] });
    return checks.map(({ result }) => result);
  };

  it("fails if the app fails there", async () => {
    expect(await accepted((call) => call.send("", { status: 500 }))).toEqual(["fail"]);
  });

  it("fails if the app closes the connection there", async () => {
    expect(await accepted((call) => call.reset())).toEqual(["fail"]);
  });

  it("is inconclusive if the app is busy", async () => {
    expect(await accepted((call) => call.send("", { status: 503 }))).toEqual(["inconclusive"]);
  });

  it("is inconclusive if it has another button", async () => {
    const html = "<!doctype html><title>Door</title><form method=post><button name=a value=no>No</button></form>";
    const page = (call: AppCall) => call.send(html, { headers: { "content-type": "text/html" } });
    expect(await accepted(page)).toEqual(["inconclusive"]);
  });
});

describe("an app that does not accept what the configuration names", () => {
  it.each([
    ["a job", 400, /answered 400.* to a job of verify\.fixtures/, "Send a job with `app-sim post-import`"],
    ["a job, as not authentic", 401, /answered 401 to a job of verify\.fixtures/, /PLATFORM_CLIENT_SECRET/],
  ])("fails: %s", async (_, status, reason, hint) => {
    const fixture = path.join(import.meta.dirname, "../../fixtures/jobs/greetings.json");
    await using run = await startSimulation({
      serves: manifestOf({ imports: [importEntry("import")] }),
      answer: (call) => call.reply({ error: { message: "Not this one." } }, { status }),
      verify: { fixtures: [fixture] },
    });
    const { outcome, checks } = await run.sim.verify({ only: ["import.job.accepted"] });
    const records = run.sim.journal.list();
    expect(outcome).toBe("failed");
    expect(checks).toMatchObject([
      { result: "fail", reason: expect.stringMatching(reason), hint: expect.stringMatching(hint) },
    ]);
    expect(judgeAgain(new VerifiedJournal(records), lastVerification(records), run.sim)).toEqual(checks);
  });

  it("fails: a user whom a guard must let in", async () => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("door")] }),
      answer: (call) => call.reply({}, { status: 403 }),
      verify: { guards: { door: { lets: { ip: "203.0.113.10" } } } },
    });
    const { outcome, checks } = await run.sim.verify({ only: ["guard.answer.as-configured"] });
    expect(outcome).toBe("failed");
    expect(checks).toMatchObject([{ result: "fail", reason: expect.stringContaining("verify.guards.door.lets") }]);
  });
});

describe("a guard that answers every correct call with an error, and success in its body", () => {
  const decides = async (statusOf: (ip: string) => number) => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("door")] }),
      answer: (call) => {
        const status = statusOf(String((call.json() as { readonly ipAddress?: unknown }).ipAddress));
        return call.reply({ success: status === 200 }, { status });
      },
    });
    const { outcome, checks } = await run.sim.verify({ only: ["guard.answer.decides"] });
    return { outcome, result: checks[0]?.result, reason: checks[0]?.reason, hint: checks[0]?.hint };
  };

  it.each([401, 403, 404])("%d: proves nothing", async (status) => {
    expect(await decides(() => status)).toEqual({
      ...{ outcome: "inconclusive", result: "inconclusive" },
      reason: `the app answered ${status} to every correct first call, with success in its body`,
      hint: expect.stringContaining("verify.guards.KEY.lets"),
    });
  });

  it("except for one: denies", async () => {
    expect(await decides((ip) => (ip === "198.51.100.7" ? 200 : 403))).toMatchObject({
      outcome: "passed",
      result: "pass",
    });
  });
});

/** Denies every final call. */
const denying: Edit = {
  file: "guard.js",
  from: "if (holders.get(code) !== nameOf(holder)) return false;",
  to: "return false;",
};

describe("a guard that lets in nobody who comes back with a code", () => {
  it("is one finding, and one line for everything that depends on the final call", async () => {
    using directory = makeTempDir();
    await using edited = await startEditedApp([denying]);
    const line = ["--only", "guard.final", "--skip", "guard.final.token.expired-again", "--module", "terms"];
    const run = await edited.sim.verify({ only: ["guard.final"], modules: ["terms"] });
    const failed = run.checks.filter(({ result }) => result === "fail");
    expect(failed.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      "guard.final.accepted: the app answered 200 with success: false to each correct final call",
    ]);
    const open = run.checks.filter(({ result }) => result === "inconclusive");
    expect(open.length).toBeGreaterThan(50);
    expect(new Set(open.map(({ reason }) => reason))).toEqual(
      new Set(["on the correct request before it, the app answered 200 with success: false"]),
    );
    expect(
      judgeAgain(
        new VerifiedJournal(edited.sim.journal.list()),
        lastVerification(edited.sim.journal.list()),
        edited.sim,
      ),
    ).toEqual(run.checks);
    const [app] = edited.sim.config.apps;
    const port = new URL(edited.sim.url).port;
    await edited.sim.close();
    const env = {
      ...{ APP_SIM_APP: app?.url, APP_SIM_PORT: port, APP_SIM_CLIENT_ID: app?.clientId },
      ...{ APP_SIM_CLIENT_SECRET: app?.clientSecret, APP_SIM_APP_SECRET: app?.appSecret },
    };
    const { stdout } = await runLine(["verify", ...line], { cwd: directory.path, env });
    expect(stdout.match(/^[?✗!] .*$/gm)).toEqual([
      "✗ FAILED guard.final.accepted",
      expect.stringMatching(/^\? inconclusive \d+ checks that depend on a correct request, which the app did not/),
    ]);
    expect(stdout).toMatch(/at {5}guard terms, final call: \d+ of guard\.final\.\*\n/);
    const whole = await runLine(["verify", ...line, "--verbose"], { cwd: directory.path, env });
    expect(whole.stdout).toContain("guard.final.code.reused");
  });

  it("is not accused if the input at its page may be wrong", async () => {
    const asking: Edit = {
      file: "guard-redirect.js",
      from: '<form method="post">',
      to: '<form method="post"><input type="password" name="word" value="guess">',
    };
    await using edited = await startEditedApp([denying, asking]);
    const { checks } = await edited.sim.verify({ only: ["guard.final.accepted"], modules: ["terms"] });
    expect(checks).toEqual([
      expect.objectContaining({
        result: "inconclusive",
        hint: "set in verify.guards.KEY.pass what to enter on its page",
      }),
    ]);
  });
});
