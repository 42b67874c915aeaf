import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import jsonwebtoken from "jsonwebtoken";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/app-client/ports.ts";
import { CONTROL, TWIN } from "../../src/checking/evidence.ts";
import type { CheckResult } from "../../src/checking/verify-result.ts";
import { plainJson } from "../../src/config/commented-json.ts";
import { reportText, startSimulator, type VerifyOptions, verifyResultSchema } from "../../src/index.ts";
import { headerValue } from "../../src/journal/exchange.ts";
import { startPlatform } from "../../src/start-platform.ts";
import type { CheckEvent } from "../../src/verify/check-event.ts";
import { type CallHandler, guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { always, assemble, exchangesOf, startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

/** Few checks, one of which finds the fault of the app. */
const few = { only: ["guard.token.expired", "guard.token.missing"], modules: ["network"] };
const noExpiry = faultsOf("guard").flatMap(({ id, edits }) => (id === "guard-no-expiry" ? edits : []));
const startFaulty = () => startEditedApp(noExpiry);

/** How each check ended. */
function verdicts(checks: readonly CheckResult[]): string[] {
  return checks.map(({ id, module, result }) => `${id} ${module} ${result}`).sort();
}

describe("the order of the checks", () => {
  it("does not matter: four orders lead to the same verdicts", async () => {
    await using edited = await startFaulty();
    const options: VerifyOptions = { only: ["guard.token"], modules: ["network"] };
    const orders = new Set<string>();
    const found = new Set<string>();
    for (let seed = 0; seed < 4; seed += 1) {
      const began: string[] = [];
      const onCheck: VerifyOptions["onCheck"] = (event) => event.what === "began" && began.push(event.id);
      const { checks } = await edited.sim.verify({ ...options, seed, onCheck });
      orders.add(began.join());
      found.add(verdicts(checks).join());
    }
    expect(orders.size).toBe(4);
    expect(found.size).toBe(1);
  });

  it("is decided by the seed, which the result names", async () => {
    await using edited = await startFaulty();
    const began = async (seed: number | undefined) => {
      const ids: string[] = [];
      const onCheck: VerifyOptions["onCheck"] = (event) => event.what === "began" && ids.push(event.id);
      const only = ["guard.token", "guard.answer"];
      const { seed: used } = await edited.sim.verify({ only, modules: ["network"], seed, onCheck });
      return { used, ids };
    };
    const first = await began(undefined);
    expect(await began(first.used)).toEqual(first);
  });
});

describe("one fault", () => {
  it("of a guard that does not compare the body with its token does not lead to a finding about caching tokens", async () => {
    await using edited = await startEditedApp(
      faultsOf("guard").flatMap(({ id, edits }) => (id === "guard-any-user" ? edits : [])),
    );
    const only = ["guard.body.other-user", "guard.token.second-use"];
    const { checks } = await edited.sim.verify({ only, modules: ["network"] });
    expect(verdicts(checks)).toEqual(["guard.body.other-user network fail", "guard.token.second-use network pass"]);
  });
});

describe("what fails a run", () => {
  it("a finding; but not a known one until its last day is over", async () => {
    await using edited = await startFaulty();
    const { outcome, summary } = await edited.sim.verify(few);
    expect({ outcome, summary }).toMatchObject({ outcome: "failed", summary: { failed: 1, passed: 1, known: 0 } });
    const [app] = edited.sim.config.apps;
    const knownUntil = async (until: string, module?: string) => {
      const entry = {
        id: "guard.token.expired",
        reason: "next sprint",
        until,
        ...(module === undefined ? {} : { module }),
      };
      await using sim = await startSimulator({ ...(app === undefined ? {} : { app }), verify: { known: [entry] } });
      return await sim.verify(few);
    };
    const today = new Date(systemClock.now()).toISOString().slice(0, 10);
    for (const known of [await knownUntil("2999-01-31"), await knownUntil(today, "network")]) {
      expect(known).toMatchObject({ outcome: "passed", failure: null, summary: { failed: 0, known: 1 } });
      const check = known.checks.find(({ id }) => id === "guard.token.expired");
      expect(check).toMatchObject({ result: "fail", known: { reason: "next sprint" } });
    }
    expect(await knownUntil("2020-01-31")).toMatchObject({ outcome: "failed", summary: { failed: 1, known: 0 } });
    expect(await knownUntil("2999-01-31", "terms")).toMatchObject({ outcome: "failed" });
  });

  it("a warning, if warnings should fail", async () => {
    const edits = faultsOf("guard").flatMap(({ id, edits }) => (id === "guard-any-secret" ? edits : []));
    await using edited = await startEditedApp(edits);
    const options = { only: ["guard.token.exp-missing"], modules: ["network"] };
    const warned = await edited.sim.verify(options);
    expect(warned).toMatchObject({ outcome: "passed", summary: { warned: 1 } });
    expect(await reportText(warned)).toMatch(/^Passed, with 1 warning$/m);
    const strict = await edited.sim.verify({ ...options, failOn: "warn" });
    expect(strict).toMatchObject({ outcome: "failed", failure: "other" });
  });

  it("no check that ran", async () => {
    await using edited = await startEditedApp([]);
    const nothing = await edited.sim.verify({ only: ["webhook"], modules: ["network"] });
    expect(nothing).toMatchObject({ outcome: "failed", reason: "no check ran", checks: [] });
    expect(nothing.hint).toMatch(
      /^the selected checks are for webhook, but none of them is for --module network; the manifest has auth-guard network, .*webhook /,
    );
    const skipped = await edited.sim.verify({ only: ["webhook"], skip: ["webhook"] });
    expect(skipped).toMatchObject({
      reason: "no check ran",
      hint: "--skip webhook skips every check of --only webhook",
    });
  });

  it("no check that ran, if the manifest has other names for its modules: the hint has the profile", async () => {
    await using app = await startFakeApp({ manifest: { modules: { "auth-guards": [guardEntry("office")] } } });
    await using sim = await startPlatform({ app: { url: app.url } });
    expect(await sim.verify({ only: ["guard"] })).toMatchObject({
      reason: "no check ran",
      hint: expect.stringContaining("`app-sim manifest` shows what it declares"),
      warnings: [
        expect.stringMatching(/^manifest: modules\.auth-guards is not a module type .*Did you mean "auth-guard"\?$/),
      ],
    });
  });

  it("a manifest that cannot be read, also if only one of its modules was to be verified", async () => {
    await using app = await startFakeApp();
    app.answer((call) => call.reply("Parse error", { status: 500 }));
    await using sim = await startPlatform({ app: { url: app.url } });
    expect(await sim.verify({ only: ["guard"], modules: ["office"] })).toMatchObject({
      outcome: "failed",
      reason: "no check ran",
      hint: expect.stringMatching(/^no manifest was read from http:/),
    });
  });

  it("an answer that only one user gets: it is shown with its request, and a 5XX is not attributed to secrets", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    let message: string | undefined;
    app.answer((call) => {
      const { userId } = call.json() as { userId: number };
      const trace = "Error: no role\n    at check (/srv/app/guard.js:3:9)\n    at next (/srv/app/router.js:8:1)";
      if (userId === 103) call.reply(message === undefined ? trace : { success: false, message }, { status: 500 });
      else call.reply({ success: true });
    });
    await using sim = await startPlatform({ app: { url: app.url } });
    const shown = async (only: string) => {
      const { checks } = await sim.verify({ only: [only] });
      const [{ exchanges = [], reason, hint } = {}] = checks;
      const [exchange] = exchanges.map((id) => sim.journal.find(id));
      return { reason, hint, exchange };
    };
    const failed = { response: { status: 500 } };
    expect(await shown("guard.answer.decides")).toMatchObject({
      exchange: failed,
      hint: expect.stringMatching(/^Look at the app's own log/),
    });
    expect(await shown("guard.answer.stack-trace")).toMatchObject({ exchange: failed });
    message = "not understood";
    const reason = "the app answered 500 with success in its body";
    expect(await shown("guard.answer.status")).toMatchObject({ exchange: failed, reason });
  });

  it.each([
    [{ only: ["terms"] }, '"terms".', /^is it the key of a module\? Then modules: \["terms"\]; /],
    [{ skip: ["terms"] }, '"terms".', /^is it the key of a module\? Then name the others with the option modules; /],
    [{ only: ["events"] }, '"events". Did you mean "manifest.events"?', /^is it the key of a module\? /],
    [{ only: ["guards"] }, '"guards". Did you mean "guard"?', /^docs\/checks\.md shows them all/],
    [{ only: ["code.reused"] }, '"code.reused". Did you mean "guard.final.code.reused"?', /^docs\/checks\.md shows/],
    [{ only: ["x.*"] }, '"x.*".', /^docs\/checks\.md shows/],
  ])("an unknown name of a check, which may be the key of a module: %j", async (options, named, hint) => {
    await using sim = await startSimulator();
    await expect(sim.verify(options)).rejects.toMatchObject({
      summary: `there is no check ${named}`,
      hint: expect.stringMatching(hint),
    });
  });

  it("an unknown key of a module", async () => {
    await using edited = await startEditedApp([]);
    await expect(edited.sim.verify({ ...few, modules: ["netwrok"] })).rejects.toMatchObject({
      code: "unknown-module",
      message: expect.stringMatching(/^there is no .* module "netwrok"\. Did you mean "network"\?/),
      hint: expect.stringContaining("network, "),
    });
    await expect(edited.sim.verify({ ...few, modules: ["network,terms"] })).rejects.toMatchObject({
      summary: expect.stringMatching(/"network,terms"\. Give each key separately: network terms$/),
    });
  });
});

const hasToken: (call: Parameters<CallHandler>[0]) => boolean = ({ headers }) =>
  headerValue(headers, "authorization") !== undefined;
const serves = manifestOf({ guards: [guardEntry("door")] });
const isRight: CallHandler = (call) => call.reply(!hasToken(call) ? { success: false } : { success: true });

/** Twins of a token that this app can tell from a true one. */
const twins = ["missing", "empty", "no-jwt", "garbage", "other-secret"].map((twin) => `guard.token.${twin}`);
function isTrue({ headers }: Parameters<CallHandler>[0]): boolean {
  const [, token = ""] = (headerValue(headers, "authorization") ?? "").split(" ");
  try {
    jsonwebtoken.verify(token, "app-sim-client-secret-long-enough-for-HS256");
    return true;
  } catch {
    return false;
  }
}

describe("an app that", () => {
  it("refuses the correct request makes checks inconclusive, which can be allowed", async () => {
    let calls = 0;
    const answer: CallHandler = (call) => {
      calls += 1;
      // Found to let somebody in, then never again.
      return call.reply({ success: calls <= 1 });
    };
    await using run = await startSimulation({ serves, answer });
    const options = { only: ["guard.token.missing", "guard.token.expired"] };
    const result = await run.sim.verify(options);
    expect(result).toMatchObject({
      outcome: "inconclusive",
      failure: "other",
      summary: { inconclusive: 2, skipped: 0 },
    });
    expect(result.checks[0]?.reason).toBe("on the correct request before it, the app answered 200 with success: false");
    calls = 0;
    // Nothing else ran.
    const allowed = await run.sim.verify({ ...options, allowInconclusive: true });
    expect(allowed).toMatchObject({ outcome: "failed", reason: "no check ran" });
  });

  it("lets nobody in is inconclusive, because its denials prove nothing", async () => {
    const answer: CallHandler = (call) => call.reply({ success: false, message: "Invalid token" });
    await using run = await startSimulation({ serves, answer });
    const { outcome, checks } = await run.sim.verify({ only: ["guard.answer", "guard.token"] });
    expect(outcome).toBe("inconclusive");
    expect(checks.filter(({ result }) => !["pass", "skip"].includes(result))).toEqual([
      expect.objectContaining({
        id: "guard.answer.as-configured",
        result: "inconclusive",
        hint: expect.stringContaining('"lets"'),
      }),
    ]);
  });

  it("answers one way and then another is flaky", async () => {
    let forged = 0;
    const answer: CallHandler = (call) => {
      if (hasToken(call)) return call.reply({ success: true });
      forged += 1;
      return call.reply({ success: forged % 2 === 0 });
    };
    await using run = await startSimulation({ serves, answer });
    const { checks, summary, outcome } = await run.sim.verify({ only: ["guard.token.missing"], repeat: 3 });
    expect(checks).toMatchObject([{ result: "fail", runs: ["pass", "fail", "pass"] }]);
    expect(checks[0]?.reason).toMatch(/^flaky \(pass, fail, pass\): the app answered 200 with success: true/);
    expect({ summary, outcome }).toMatchObject({ summary: { failed: 1, flaky: 1 }, outcome: "failed" });
  });

  it("repeats a denial for a while fails, even if the correct request is denied", async () => {
    let denied = false;
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => {
      denied ||= (call.json() as { readonly ipAddress: string }).ipAddress === "198.51.100.7";
      return call.reply({ success: !denied });
    });
    const pause = async () => {
      denied = false;
    };
    const sim = await assemble({ app: { url: app.url } }, { clock: { ...systemClock, pause } });
    const { checks } = await sim.verify({ only: ["guard.answer.steady"] });
    expect(checks).toMatchObject([{ result: "fail" }]);
  });

  it("locks after several refusals is tested one by one", async () => {
    let refusals = 0;
    const answer: CallHandler = (call) => {
      const isLocked = refusals > 1;
      refusals = isTrue(call) ? 0 : refusals + 1;
      return call.reply({ success: isTrue(call) && !isLocked });
    };
    await using run = await startSimulation({ serves, answer });
    const { checks } = await run.sim.verify({ only: twins });
    expect(checks.map(({ id, result }) => [id, result])).toEqual(twins.map((id) => [id, "pass"]));
  });

  it("refuses correctly gets the correct request after every third twin at the latest", async () => {
    const answer: CallHandler = (call) => call.reply({ success: isTrue(call) });
    await using run = await startSimulation({ serves, answer });
    const { checks } = await run.sim.verify({ only: twins });
    expect(checks.map(({ result }) => result)).toEqual(twins.map(() => "pass"));
    const roles = exchangesOf(run.sim, "guard").flatMap(({ check }) => {
      if (check?.role === TWIN) return "t";
      return check?.role === CONTROL ? "c" : [];
    });
    expect(roles.join("")).toBe("ctttcttc");
  });

  it("crashes after one of several refusals fails only the check that brought it down", async () => {
    let forged = 0;
    const answer: CallHandler = async (call) => {
      if (!isTrue(call)) forged += 1;
      if (forged === 2) await run.app.close();
      else await call.reply({ success: isTrue(call) });
    };
    await using run = await startSimulation({ serves, answer });
    const { checks } = await run.sim.verify({ only: twins, wait: 0 });
    expect(checks.filter(({ result }) => result === "fail")).toMatchObject([{ reason: "the app was gone after it" }]);
    expect(checks.filter(({ result }) => result === "inconclusive")).toHaveLength(4);
  });

  it("crashes and does not come back is waited for once", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => (isTrue(call) ? call.reply({ success: true }) : app.close()));
    let pausedMs = 0;
    const clock = {
      ...systemClock,
      monotonic: () => systemClock.monotonic() + pausedMs,
      pause: async (milliseconds: number) => {
        pausedMs += milliseconds;
      },
    };
    const sim = await assemble({ app: { url: app.url } }, { clock });
    const { summary } = await sim.verify({ only: ["guard.token"], wait: 60_000 });
    expect(summary).toMatchObject({ failed: 1, inconclusive: expect.any(Number) });
    expect(summary.inconclusive).toBeGreaterThan(10);
    expect(pausedMs).toBeLessThan(2 * 60_000);
  });

  it("is down: the run ends with the reason", async () => {
    await using sim = await startSimulator({ app: { url: `http://127.0.0.1:${await unusedPort()}` } });
    expect(await sim.verify()).toMatchObject({ outcome: "failed", failure: "unreachable", checks: [] });
  });
});

describe("a run ends early", () => {
  it("at the first failure, if requested", async () => {
    await using run = await startSimulation({ serves, answer: always({ success: true }) });
    const { checks, outcome } = await run.sim.verify({ only: ["guard.token"], bail: true, seed: 3 });
    expect(outcome).toBe("failed");
    expect(checks.filter(({ result }) => result === "fail")).toHaveLength(1);
    const notRun = checks.filter(({ reason }) => reason?.endsWith(" had failed (--bail)") === true);
    expect(notRun.length).toBeGreaterThan(checks.length - 5);
  });

  it("and is not repeated then: each check has one result, of the runs that tried it", async () => {
    await using run = await startSimulation({ serves, answer: always({ success: true }) });
    const events: CheckEvent[] = [];
    const { checks } = await run.sim.verify({
      ...{ only: ["guard.token"], bail: true, repeat: 3, seed: 3 },
      onCheck: (event) => events.push(event),
    });
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    expect(new Set(checks.map(({ runs }) => runs.length))).toEqual(new Set([1]));
    const [failed] = checks.filter(({ result }) => result === "fail");
    expect(events.filter(({ what }) => what === "ending")).toEqual([
      { what: "ending", reason: `${failed?.id} had failed (--bail)` },
    ]);
  });

  it("when its time is over, which is a failure", async () => {
    await using run = await startSimulation({
      serves,
      answer: (call) => (hasToken(call) ? isRight(call) : undefined),
    });
    const result = await run.sim.verify({ only: ["guard.token.missing", "guard.token.expired"], timeout: 3000 });
    expect(result).toMatchObject({
      outcome: "failed",
      failure: "timed-out",
      reason: "the time limit of 3 s was reached",
    });
    expect(result.checks.filter(({ result: end }) => end === "skip").length).toBeGreaterThan(0);
  });

  it("when it is interrupted", async () => {
    const interruption = new AbortController();
    await using edited = await startEditedApp([], { signal: interruption.signal });
    const onCheck: VerifyOptions["onCheck"] = (event) => event.what === "ended" && interruption.abort();
    const result = await edited.sim.verify({ only: ["guard.token"], modules: ["network"], onCheck });
    expect(result).toMatchObject({ outcome: "failed", failure: "interrupted", reason: "interrupted" });
    expect(result.checks.filter(({ result: end }) => end === "fail")).toEqual([]);
  });

  it.each([30, 300])(
    "does not accuse a correct app because of the early end, or mark findings as known: after %i exchanges",
    async (most) => {
      const interruption = new AbortController();
      await using edited = await startEditedApp([], { signal: interruption.signal });
      let left = most;
      edited.sim.journal.subscribe(() => {
        left -= 1;
        if (left === 0) interruption.abort();
      });
      using directory = makeTempDir();
      const baseline = join(directory.path, "known.json");
      const result = await edited.sim.verify({ only: ["guard", "oauth", "page.form"], baseline, updateBaseline: true });
      expect(result.failure).toBe("interrupted");
      expect(result.checks.filter(({ result: end }) => end !== "pass" && end !== "skip")).toEqual([]);
      expect(result.warnings).toEqual([`${baseline} was not written: the run did not complete`]);
      expect(existsSync(baseline)).toBe(false);
    },
  );
});

describe("S29: only this machine and private networks are verified", () => {
  it.each(["http://8.8.8.8", "http://[2606:4700:4700::1111]:3000"])(
    "%s is refused before anything is sent",
    async (url) => {
      await using sim = await startSimulator({ app: { url, manifest: "fixtures/manifests/access-control.json" } });
      await expect(sim.verify()).rejects.toMatchObject({ code: "verify-target" });
      expect(sim.journal.list()).toEqual([]);
    },
  );

  it("and so is a manifest at a public address, or at one that is never called", async () => {
    await using elsewhere = await startSimulator({
      app: { url: "http://127.0.0.1:9", manifest: "http://8.8.8.8/m.json" },
    });
    await expect(elsewhere.verify()).rejects.toMatchObject({ code: "verify-target" });
    await using metadata = await startSimulator({ app: { url: "http://169.254.169.254" } });
    await expect(metadata.verify({ allowPublic: true })).rejects.toMatchObject({ code: "verify-target" });
  });

  it("a module at a public address is not called either", async () => {
    const away = manifestOf({ guards: [{ ...guardEntry("away"), url: "http://192.0.2.1/guard" }] });
    await using run = await startSimulation({ serves: away, answer: isRight, fileOrigins: ["http://192.0.2.1"] });
    const { checks } = await run.sim.verify({ only: ["guard.token.missing"] });
    expect(checks.map(({ result }) => result)).not.toContain("pass");
    expect(
      run.sim.journal
        .list()
        .filter(
          (record) => record.type === "exchange" && record.outcome.kind === "answered" && record.purpose === "guard",
        ),
    ).toEqual([]);
  });
});

it("the result matches its schema, and loses nothing as JSON", async () => {
  await using edited = await startFaulty();
  const result = await edited.sim.verify({ ...few, only: [...few.only, "guard.answer"] });
  const printed = JSON.parse(JSON.stringify(result));
  expect(printed).toEqual(result);
  expect(Object.keys(verifyResultSchema.parse(printed))).toEqual(
    expect.arrayContaining(["command", "outcome", "seed", "checks", "coverage", "summary"]),
  );
});

describe("app-sim verify", () => {
  it("exits with 0 for a correct app, with 1 for a finding, with 3 without an app", async () => {
    using directory = makeTempDir();
    await using edited = await startFaulty();
    const env = environmentOf(edited.sim.config.apps[0]);
    const at = { cwd: directory.path, env };
    const right = await runLine(["verify", "--only", "guard.token.missing", "--seed", "5"], at);
    expect([right.code, right.stderr, right.stdout]).toEqual([
      0,
      "",
      expect.stringMatching(/^Passed\n4 passed, 0 failed; [\d.]+ s, seed 5$/m),
    ]);
    const read = await runLine(["verify", "--only", "manifest"], at);
    expect([read.code, read.stdout]).toEqual([0, expect.stringMatching(/^Passed\n\d+ passed, [^\n]* s$/m)]);
    const wrong = await runLine(["verify", "--only", "guard.token.expired", "--module", "network"], at);
    expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining("✗ FAILED guard.token.expired")]);
    const gone = { ...env, APP_SIM_APP: `http://127.0.0.1:${await unusedPort()}` };
    expect((await runLine(["verify"], { cwd: directory.path, env: gone })).code).toBe(3);
  });

  it("writes what it finds into a baseline, and then passes with it", async () => {
    using directory = makeTempDir();
    await using edited = await startFaulty();
    const at = { cwd: directory.path, env: environmentOf(edited.sim.config.apps[0]) };
    const line = [
      "verify",
      "--only",
      "guard.token.expired,guard.token.missing",
      "--module",
      "network",
      "--baseline",
      "known.json",
    ];
    expect(await runLine(line, at)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("there is no such file"),
    });
    const written = await runLine([...line, "--update-baseline"], at);
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining("1 known") });
    expect(written.stdout).toMatch(
      /^! known guard\.token\.expired at network until \d{4}-\d\d-\d\d: found when the baseline was written: The guard refuses/m,
    );
    const { findings } = JSON.parse(readFileSync(`${directory.path}/known.json`, "utf8"));
    expect(findings).toEqual([
      {
        id: "guard.token.expired",
        module: "network",
        reason: expect.stringContaining("The guard refuses"),
        until: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
    ]);
    expect((await runLine(line, at)).code).toBe(0);
    // Its owner gives a reason and a day: both stay.
    const own = { ...findings[0], reason: "the library is replaced in spring", until: "2020-03-01" };
    writeFileSync(`${directory.path}/known.json`, JSON.stringify({ findings: [own] }));
    const over =
      "warning: guard.token.expired was known until 2020-03-01, which has passed: the library is replaced in spring\n";
    expect(await runLine(line, at)).toMatchObject({ code: 1, stderr: expect.stringContaining(over) });
    expect((await runLine([...line, "--update-baseline"], at)).code).toBe(1);
    expect(JSON.parse(readFileSync(`${directory.path}/known.json`, "utf8"))).toEqual({ findings: [own] });
    const mistyped = { ...own, id: "guard.token.expird" };
    writeFileSync(`${directory.path}/known.json`, JSON.stringify({ findings: [mistyped] }));
    expect((await runLine(line, at)).stderr).toContain(
      'warning: a known finding names the check "guard.token.expird", which does not exist. Did you mean "guard.token.expired"?\n',
    );
    writeFileSync(`${directory.path}/known.json`, '{ "findings": [{ "id": 1 }] }');
    expect(await runLine(line, at)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("known.json is not valid"),
    });
    const missing = await runLine(["verify", "--baseline", "elsewhere"], at);
    expect(missing.stderr).toMatch(/no such file\nhint: .*--update-baseline` writes one\n$/);
    const alone = await runLine(["verify", "--update-baseline"], at);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("add --baseline FILE") });
  });

  it("lists and explains checks without an app", async () => {
    using directory = makeTempDir();
    const one = await runLine(["verify", "--list", "--only", "guard.body.other-user"], { cwd: directory.path });
    expect(one.stdout).toMatch(/^1 check; /m);
    const listed = await runLine(["verify", "--list", "--only", "guard.body"], { cwd: directory.path });
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(/^guard\.body\.other-user +The guard refuses /m);
    const { checks } = JSON.parse(
      (await runLine(["verify", "--list", "--format", "json"], { cwd: directory.path })).stdout,
    );
    expect(checks.length).toBeGreaterThan(20);
    const explained = await runLine(["verify", "--explain", "guard.token.expired"], { cwd: directory.path });
    expect(explained.stdout).toMatch(
      /RFC 7519, 4\.1\.4[\s\S]*in which only token\.claims\.exp is changed[\s\S]*Why it matters: .*\nHow to fix it: /,
    );
    const near = await runLine(["verify", "--explain", "guard.token.expird"], { cwd: directory.path });
    expect(near).toMatchObject({ code: 2, stderr: expect.stringContaining("guard.token.expired") });
    const junit = await runLine(["verify", "--list", "--format", "junit"], { cwd: directory.path });
    expect(junit).toMatchObject({ code: 2, stderr: expect.stringContaining("text, json") });
    for (const name of ["guard.token", "guard.token.*"]) {
      const group = await runLine(["verify", "--explain", name], { cwd: directory.path });
      expect(group.stderr).toMatch(/"guard\.token" names \d+ checks, but --explain explains only one/);
      expect(group.stderr).toContain("`app-sim verify --list --only guard.token` shows them");
    }
    for (const flags of [["--write"], ["--list", "--init"], ["--explain", "x", "--again"], ["--init", "--again"]])
      expect((await runLine(["verify", ...flags], { cwd: directory.path })).code).toBe(2);
    const nearGroup = await runLine(["verify", "--explain", "guard.tokn"], { cwd: directory.path });
    expect(nearGroup.stderr).toContain('there is no check "guard.tokn". Did you mean "guard.token"?');
  });

  it("automatically annotates in GitHub Actions, and writes the job's summary", async () => {
    using directory = makeTempDir();
    await using edited = await startFaulty();
    const summary = `${directory.path}/summary.md`;
    const env = {
      ...environmentOf(edited.sim.config.apps[0]),
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: summary,
    };
    const line = ["verify", "--only", "guard.token.expired", "--module", "network"];
    const run = await runLine(line, { cwd: directory.path, env });
    expect(run.stdout).toMatch(
      /✗ FAILED guard\.token\.expired[\s\S]*^::error title=guard\.token\.expired at network::/m,
    );
    expect(readFileSync(summary, "utf8")).toContain("## app-sim verify: failed");
    const asJson = await runLine([...line, "--format", "json"], { cwd: directory.path, env });
    expect(JSON.parse(asJson.stdout).outcome).toBe("failed");
    const unwritable = { ...env, GITHUB_STEP_SUMMARY: `${directory.path}/none/summary.md` };
    const told = await runLine(line, { cwd: directory.path, env: unwritable });
    expect([told.code, told.stderr]).toEqual([1, expect.stringContaining("summary of the job cannot be written")]);
  });
});

function environmentOf(app: { clientId: string; clientSecret: string; appSecret: string; url: string } | undefined) {
  if (app === undefined) throw new Error("an app is installed");
  return {
    APP_SIM_APP: app.url,
    APP_SIM_CLIENT_ID: app.clientId,
    APP_SIM_CLIENT_SECRET: app.clientSecret,
    APP_SIM_APP_SECRET: app.appSecret,
    APP_SIM_PORT: "0",
  };
}

describe("--tamper of a command for correct requests", () => {
  it("runs only the checks of its modules", async () => {
    using directory = makeTempDir();
    await using edited = await startEditedApp([]);
    const at = { cwd: directory.path, env: environmentOf(edited.sim.config.apps[0]) };
    const guard = await runLine(["guard", "--tamper", "--module", "network", "--format", "json"], at);
    const { command, checks } = verifyResultSchema.parse(JSON.parse(guard.stdout));
    expect([guard.code, command]).toEqual([0, "verify"]);
    expect(new Set(checks.map(({ module }) => module))).toEqual(new Set(["network"]));
    expect(checks.every(({ area }) => area === "guard" || area === "page")).toBe(true);
    const line = ["guard", "--tamper", "--press", "accept"];
    expect(await runLine(line, at)).toMatchObject({ code: 2, stderr: expect.stringContaining("--tamper and --press") });
    const file = ["post-import", "--tamper", "job.json"];
    expect(await runLine(file, at)).toMatchObject({ code: 2, stderr: expect.stringContaining("the file job.json") });
    const none = await runLine(["post-import"], at);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("missing required argument 'file'") });
  });

  it("fails on a warning with --strict", async () => {
    using directory = makeTempDir();
    await using edited = await startEditedApp([
      { file: "jwt.js", from: "    audience: clientId,\n", to: "" },
      { file: "jwt.js", from: ', "aud"]', to: "]" },
    ]);
    const at = { cwd: directory.path, env: environmentOf(edited.sim.config.apps[0]) };
    const line = ["guard", "--tamper", "--module", "network"];
    const plain = await runLine(line, at);
    expect(plain, plain.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining("guard.token.audience") });
    expect(await runLine([...line, "--strict"], at)).toMatchObject({ code: 1 });
  });

  it("is suggested after a run without failures", async () => {
    using directory = makeTempDir();
    await using edited = await startEditedApp([]);
    const at = { cwd: directory.path, env: environmentOf(edited.sim.config.apps[0]) };
    const granted = await runLine(["guard", "--module", "network"], at);
    expect(granted.stdout).toMatch(
      /Access granted\nOnly valid requests were sent. .*: app-sim guard --tamper --module network\n$/,
    );
    const denied = await runLine(["guard", "--module", "network", "--ip", "198.51.100.7"], at);
    expect(denied.stdout).not.toContain("--tamper");
  });
});

it("warns about settings for a guard or webhook that no app declares", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ guards: [guardEntry("network")] }),
    answer: always({ success: true }),
    verify: { guards: { netwrk: { lets: { user: "member" } } }, webhooks: { events: { compares: ["module"] } } },
  });
  const { warnings } = await run.sim.verify({ only: ["guard.token.expired"] });
  expect(warnings).toEqual([
    'verify.guards.netwrk: no app declares this guard. Did you mean "network"?',
    "verify.webhooks.events: no app declares this webhook.",
  ]);
});

describe("app-sim verify --init", () => {
  it("adds its findings to a config file without replacing anything", async () => {
    using directory = makeTempDir();
    await using edited = await startEditedApp([]);
    const [app] = edited.sim.config.apps;
    // The app sends its users to the platform of this address.
    const env = { ...environmentOf(app), APP_SIM_PORT: new URL(edited.sim.url).port };
    await edited.sim.close();
    const at = { cwd: directory.path, env };
    const own = { organization: { domain: "mine" }, verify: { guards: { network: { lets: { ip: "203.0.113.77" } } } } };
    const comment = "// The one of the office.";
    const text = JSON.stringify(own, null, 2).replace('"203.0.113.77"', `$& ${comment}`);
    writeFileSync(`${directory.path}/app-sim.config.json`, text);
    expect((await runLine(["verify", "--init", "--write"], at)).code).toBe(0);
    const writtenText = readFileSync(`${directory.path}/app-sim.config.json`, "utf8");
    expect(writtenText).toContain(`"203.0.113.77" ${comment}\n`);
    const written = JSON.parse(plainJson(writtenText));
    expect(written).toMatchObject(own);
    expect(written.verify).toMatchObject({
      guards: {
        network: { denies: { ip: "198.51.100.7" } },
        terms: { pass: { press: "I accept" }, fail: { press: "I decline" } },
      },
      webhooks: { "translation-events": { compares: ["module"] } },
      oauth: { start: "/login" },
    });
    // And it is a configuration, which registers where the app's logins come back to: verify then tries these.
    expect((await runLine(["config"], at)).code).toBe(0);
    expect(written.app).toEqual({ redirectUris: app?.redirectUris });
    const { checks } = JSON.parse(
      (await runLine(["verify", "--only", "oauth.exchange", "--format", "json"], at)).stdout,
    );
    expect(new Set(checks.map(({ result }: CheckResult) => result))).toEqual(new Set(["pass"]));
  });

  it("adds to the config file that is read, even from a parent folder, but not to a module", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    app.answer(always({ success: true }));
    using directory = makeTempDir();
    directory.write("app-sim.config.jsonc", "{\n  // Nothing yet.\n}\n");
    directory.write("web/index.html", "");
    const below = { cwd: join(directory.path, "web") };
    const line = ["verify", "--init", "--write", "--app", app.url];
    expect((await runLine(line, below)).stderr).toContain("written into ../app-sim.config.jsonc\n");
    const text = readFileSync(join(directory.path, "app-sim.config.jsonc"), "utf8");
    expect(text).toMatch(/^\{\n {2}\/\/ Nothing yet\.\n {2}"verify": \{\n {4}"guards": \{\n {6}"office": \{\n/);
    directory.write("web/app-sim.config.mjs", "export default {};");
    const { code, stderr } = await runLine(line, below);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("app-sim.config.mjs is a program: --write changes only"),
    ]);
    expect(existsSync(join(directory.path, "web/app-sim.config.jsonc"))).toBe(false);
  });

  it.each([
    ["app", "app:\n  clientId: mine # ours\n", "app:\n  clientId: mine # ours\nverify:\n  guards:\n    office:\n"],
    ["apps", "apps:\n  - clientId: mine\n", "apps:\n  - clientId: mine\nverify:\n  guards:\n    office:\n"],
    [
      "neither",
      "# Who logs in.\nlogin: { user: owner }\n",
      "# Who logs in.\nlogin: { user: owner }\nverify:\n  guards:\n    office:\n",
    ],
  ])("adds to a config file in YAML, which keeps its comments: one with %s", async (_, text, begin) => {
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    app.answer(always({ success: true }));
    using directory = makeTempDir();
    directory.write("app-sim.config.yaml", text);
    const line = ["verify", "--init", "--write", "--app", app.url];
    const { stdout, stderr } = await runLine(line, { cwd: directory.path });
    expect(stdout).toMatch(/^verify:\n {2}guards:\n {4}office:\n/);
    expect(stderr).toContain("written into app-sim.config.yaml\n");
    const written = readFileSync(join(directory.path, "app-sim.config.yaml"), "utf8");
    expect(written.startsWith(begin)).toBe(true);
    expect((await runLine(["config"], { cwd: directory.path })).code).toBe(0);
    await runLine(line, { cwd: directory.path });
    expect(readFileSync(join(directory.path, "app-sim.config.yaml"), "utf8")).toBe(written);
  });

  it("prints its findings, without a user to deny if the guard does not ask again those who passed its page", async () => {
    using directory = makeTempDir();
    const remembering = variationsOf("guard").find(({ id }) => id === "asks-everybody-once");
    await using edited = await startEditedApp(remembering?.edits ?? []);
    const env = { ...environmentOf(edited.sim.config.apps[0]), APP_SIM_PORT: new URL(edited.sim.url).port };
    await edited.sim.close();
    const { code, stdout } = await runLine(["verify", "--init"], { cwd: directory.path, env });
    const { guards, oauth } = JSON.parse(stdout).verify;
    expect([code, oauth]).toMatchObject([0, { start: "/login" }]);
    expect(guards.network).toMatchObject({ lets: { ip: expect.any(String) }, denies: { ip: "198.51.100.7" } });
    expect(guards.terms).toEqual({ pass: { press: "I accept" }, fail: { press: "I decline" } });
  });

  it("names what could not be found, with the lines to add", async () => {
    using directory = makeTempDir();
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("strict")] }),
      answer: always({ success: true }),
    });
    const env = environmentOf(run.sim.config.apps[0]);
    const { stderr } = await runLine(["verify", "--init"], { cwd: directory.path, env });
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      'nobody was denied by strict: if it denies somebody, name them: {"verify":{"guards":{"strict":{"denies":{"user":"ROLE","ip":"ADDRESS"}}}}}',
    );
  });
});
