import { describe, expect, it } from "vitest";
import { planContract } from "../../src/testing/contract.ts";
import { describeContractWith } from "../../src/testing/describe-contract.ts";
import { contractMatchers } from "../../src/testing/matchers.ts";
import { guardEntry, importEntry, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { always, byPath, jobWith, record, startSimulation } from "../rig/simulation.ts";

const serves = manifestOf({
  guards: [guardEntry("door")],
  imports: [importEntry("import")],
  webhooks: [webhookEntry("hook")],
});
const job = { name: "job", job: jobWith([record("1", "Save")]) };

const startRight = () =>
  startSimulation({
    serves,
    answer: byPath({
      "/door": always({ success: true }),
      "/import": always({ data: { strings: [record("1", "Save!")] } }),
      "/hook": (call) => call.send("", { status: 204 }),
    }),
  });
const startWrong = () =>
  startSimulation({
    serves,
    answer: byPath({
      "/door": always({ success: false, message: "Not now." }),
      "/import": always({ error: { message: "No." } }),
      "/hook": (call) => call.send("broken", { status: 500 }),
    }),
  });

describe("the matchers", () => {
  it("pass for right results, complete or partial", async () => {
    await using run = await startRight();
    expect(contractMatchers.toBeGranted(await run.sim.guard()).pass).toBe(true);
    const delivered = await run.sim.webhook("project.approved");
    for (const received of [delivered, delivered.deliveries[0]]) {
      expect(contractMatchers.toBeAcknowledged(received).pass).toBe(true);
    }
    const imported = await run.sim.postImport(job);
    for (const received of [imported, imported.jobs[0]]) {
      expect(contractMatchers.toHaveImported(received).pass).toBe(true);
    }
  });

  it("fail with request and answer", async () => {
    await using run = await startWrong();
    const login = await run.sim.guard();
    const denied = contractMatchers.toBeGranted(login);
    expect([denied.pass, denied.message()]).toEqual([
      false,
      expect.stringMatching(
        /^access was denied by door: Not now\.\n→ POST http.*\/door\n[\s\S]*← 200 \{"success":false/,
      ),
    ]);
    expect(contractMatchers.toBeDeniedBy(login, "door").pass).toBe(true);
    expect(contractMatchers.toBeDeniedBy(login, "other").pass).toBe(false);
    const delivery = contractMatchers.toBeAcknowledged((await run.sim.webhook("project.approved")).deliveries[0]);
    expect([delivery.pass, delivery.message()]).toEqual([
      false,
      expect.stringMatching(/1 of 1 deliveries not acknowledged[\s\S]*→ POST http.*\/hook[\s\S]*← 500/),
    ]);
    const imported = contractMatchers.toHaveImported(await run.sim.postImport(job));
    expect([imported.pass, imported.message()]).toEqual([
      false,
      expect.stringMatching(/1 of 1 jobs failed\njob: failed: No\.\n→ POST http.*\/import/),
    ]);
  });

  it("say of a login that failed, or that nobody completed, how it ended", async () => {
    const asks = { ...guardEntry("terms"), options: { type: "redirect", url: "/terms" } };
    await using run = await startSimulation({
      serves: manifestOf({ guards: [asks] }),
      answer: always({ success: false }),
    });
    const open = contractMatchers.toBeGranted(await run.sim.guard());
    expect(open.message()).toMatch(/^the login was not completed: /);
    await run.app.close();
    const broken = contractMatchers.toBeDeniedBy(await run.sim.guard(), "terms");
    expect(broken.message()).toMatch(/^expected a denial by terms; the login failed: /);
  });

  it("toBeAcknowledged says why nothing was sent", async () => {
    await using run = await startRight();
    const { pass, message } = contractMatchers.toBeAcknowledged(await run.sim.webhook("project.aproved"));
    expect(pass).toBe(false);
    expect(message()).toMatch(
      /^nothing was sent: no webhook module gets project\.aproved\. Did you mean "project\.approved"\?\nhint: events that/,
    );
  });

  it("refuse a Promise", async () => {
    const promise = Promise.resolve({});
    const hint = "you passed a Promise: add await";
    expect(() => contractMatchers.toBeGranted(promise)).toThrow(hint);
    expect(() => contractMatchers.toBeDeniedBy(promise, "door")).toThrow(hint);
    expect(() => contractMatchers.toBeAcknowledged(promise)).toThrow(hint);
    expect(() => contractMatchers.toHaveImported(promise)).toThrow(hint);
    await expect(contractMatchers.toHonourTheContract(promise)).rejects.toThrow(hint);
  });

  it("toBeGranted fails without a guard, even for a login that was started manually", async () => {
    await using run = await startSimulation({ serves: manifestOf({}) });
    const begun = await run.sim.login();
    const results = [await run.sim.guard(), begun.ok ? await begun.login.result : begun.result];
    expect(results.map(({ outcome }) => outcome)).toEqual(["failed", "granted"]);
    for (const result of results) {
      const { pass, message } = contractMatchers.toBeGranted(result);
      expect([pass, message()]).toEqual([false, expect.stringMatching(/^there was no guard to ask; /)]);
    }
  });

  it("a guard that does not answer denies nobody", async () => {
    await using run = await startWrong();
    await run.app.close();
    const login = await run.sim.guard();
    expect(contractMatchers.toBeDeniedBy({ ...login, deniedBy: "door" }, "door").pass).toBe(false);
  });

  it("toHonourTheContract accepts an address, an app, a simulator and a result", async () => {
    await using run = await startRight();
    const options = { only: ["guard.token.missing"] };
    const result = await run.sim.verify(options);
    for (const received of [run.app.url, { url: run.app.url }, run.sim, result]) {
      const { pass, message } = await contractMatchers.toHonourTheContract(received, options);
      expect(pass).toBe(false);
      expect(message()).toMatch(
        /^0 passed, 1 failed\n\nguard\.token\.missing, guard door, first call\n[\s\S]*came: 200/,
      );
    }
    await expect(contractMatchers.toHonourTheContract(7)).rejects.toThrow("the address of an app");
  });

  it("say what they accept", () => {
    expect(() => contractMatchers.toBeGranted({})).toThrow("sim.guard()");
    expect(() => contractMatchers.toBeAcknowledged(null)).toThrow("sim.webhook()");
    expect(() => contractMatchers.toHaveImported("x")).toThrow("sim.postImport()");
  });
});

describe("a contract", () => {
  it.each([[undefined], [{ app: { url: "http://127.0.0.1:3000" } }]])(
    "needs the functions of a test runner, not %j",
    (runner) => {
      expect(() => describeContractWith(runner as never, {})).toThrow("{ describe, test } of your test runner");
    },
  );

  it("needs options", () => {
    const runner = { describe: () => {}, test: () => {} };
    expect(() => describeContractWith(runner, undefined as never)).toThrow("instead of the options");
  });

  it("is one run, however many tests wait for its results", async () => {
    await using run = await startRight();
    const before = run.app.calls.length;
    const contract = planContract({ app: { url: run.app.url }, checks: { only: ["guard.token.missing"] } });
    expect(contract.groups.map(({ area, tests }) => [area, tests.length])).toEqual([["guard", 1]]);
    expect(run.app.calls.length).toBe(before);
    const [first, again] = await Promise.all([
      contract.endOf("guard.token.missing"),
      contract.endOf("guard.token.missing"),
    ]);
    expect(first).toEqual(again);
    expect(first).toMatchObject({ result: "failed", message: expect.stringContaining("sent: POST") });
    expect(first).toMatchObject({
      message: expect.stringMatching(/^the app answered 200 with success: true \(guard door, first call\)\nThe guard /),
    });
    expect(first).toMatchObject({
      message: expect.stringContaining(`exchanges (app-sim log ID, with journal: ".app-sim"): `),
    });
    expect(await contract.endOfRun()).toEqual({ result: "passed" });
  });

  it("that cannot run fails one test, even on a retry, and skips the others", async () => {
    await using run = await startRight();
    const contract = planContract({
      app: { url: run.app.url },
      start: () => {
        throw new Error("something listens already");
      },
    });
    const skipped = { result: "skipped", reason: expect.stringContaining("no check was run") };
    await expect(contract.endOf("guard.token.missing")).rejects.toThrow("something listens already");
    expect(await contract.endOf("guard.token.expired")).toEqual(skipped);
    expect(await contract.endOfRun()).toEqual(skipped);
    await expect(contract.endOf("guard.token.missing")).rejects.toThrow("something listens already");
  });

  it("is refused for a name that selects nothing", () => {
    expect(() => planContract({ checks: { only: ["guard.nothing"] } })).toThrow('no check "guard.nothing"');
    const runner = { describe: () => {}, test: () => {} };
    expect(() => describeContractWith(runner, { checks: { only: ["guard.nothing"] } })).toThrow(/\nhint: \S/);
  });

  it("registers tests without a declared parameter, which Jest would take for a callback", async () => {
    await using run = await startRight();
    const tests: { name: string; run: () => unknown; length: number }[] = [];
    describeContractWith(
      {
        describe: (_, register) => register(),
        test: (name, body) => tests.push({ name, run: body, length: body.length }),
      },
      { app: { url: run.app.url }, checks: { only: ["guard.token.missing"] } },
    );
    expect(tests.map(({ name, length }) => [name.split(":")[0], length])).toEqual([
      ["the run is completed", 0],
      ["guard.token.missing", 0],
    ]);
    await expect(tests[1]?.run()).rejects.toThrow("came: 200");
  });
});
