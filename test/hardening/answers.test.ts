import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { type AppGateway, systemClock } from "../../src/app-client/ports.ts";
import type { Exchange } from "../../src/index.ts";
import type { Simulator } from "../../src/simulator.ts";
import { guardEntry, importEntry, manifestOf, startFakeApp, unusedPort, webhookEntry } from "../rig/fake-app.ts";
import { type Fault, type Flow, faults } from "../rig/faults.ts";
import { always, assemble, exchangesOf, hurriedGateway, jobWith, record } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// R40: each fault of an app in each flow is one clear line and one exchange, and never lets anybody in.

const manifest = manifestOf({
  guards: [guardEntry("guard"), guardEntry("later")],
  imports: [importEntry("import")],
  webhooks: [webhookEntry("webhook")],
});

/** What every flow says of its end, in one shape. */
interface End {
  readonly outcome: string;
  readonly reason: string | null | undefined;
  readonly failure: string | null | undefined;
}

const flows: Readonly<Record<Flow, (sim: Simulator) => Promise<End>>> = {
  guard: (sim) => sim.guard(),
  "post-import": async (sim) => {
    const [job] = (await sim.postImport({ name: "job", job: jobWith([record("1", "Save")]) })).jobs;
    return { outcome: job?.outcome ?? "", reason: job?.error, failure: job?.failure };
  },
  webhook: (sim) => sim.webhook("project.approved"),
};
const flowNames: readonly Flow[] = ["guard", "post-import", "webhook"];
const badEnd = { guard: "failed", "post-import": "failed", webhook: "failed" };

/** What a guard's result says more exactly than the others'. */
const guardFailures: Readonly<Record<string, string>> = {
  "answers 401": "refused",
  "answers 403 and says why": "refused",
};

function expectOneLine(text: unknown): void {
  expect(text).toMatch(/^[^\p{Cc}\p{Cf}]{3,300}$/u);
}

function outcomesOf(sim: Simulator, flow: Flow): Exchange["outcome"]["kind"][] {
  return exchangesOf(sim, flow).map(({ outcome }) => outcome.kind);
}

const gatewayFor = ({ outcome }: Fault): AppGateway =>
  outcome === "timed-out" ? hurriedGateway(200) : createAppGateway(systemClock);

describe.each(faults)("an app that $name", (fault) => {
  it.each(flowNames)("%s", async (flow) => {
    await using app = await startFakeApp({ manifest });
    app.answer(fault.play);
    const sim = await assemble({ app: { url: app.url } }, { gateway: gatewayFor(fault) });
    const end = await flows[flow](sim);
    const reason = fault.reason instanceof RegExp ? fault.reason : fault.reason[flow];
    if (reason === null) expect(end).toMatchObject({ outcome: "acknowledged", reason: null, failure: null });
    else {
      const failure = (flow === "guard" ? guardFailures[fault.name] : undefined) ?? fault.failure ?? "other";
      expect(end).toMatchObject({ outcome: badEnd[flow], failure });
      expect(end.reason).toMatch(reason);
      expectOneLine(end.reason);
    }
    expect(outcomesOf(sim, flow)).toEqual([fault.outcome]);
    expect(app.calls).toHaveLength(1);
  });
});

describe("R2: an app that is not running", () => {
  it.each(flowNames)("%s", async (flow) => {
    using directory = makeTempDir();
    const file = directory.write("manifest.json", manifest);
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const sim = await assemble({ app: { url, manifest: file } });
    const reason = `nothing listens at ${url}`;
    expect(await flows[flow](sim)).toMatchObject({ outcome: badEnd[flow], reason, failure: "unreachable" });
    expect(outcomesOf(sim, flow)).toEqual(["unreachable"]);
  });
});

it("R14: an answer with one layer of gzip is read", async () => {
  await using app = await startFakeApp({ manifest });
  const headers = { "content-encoding": "gzip", "content-type": "application/json" };
  app.answer((call) => call.send(gzipSync('{"success":true}'), { headers }));
  const sim = await assemble({ app: { url: app.url } });
  expect((await sim.guard()).outcome).toBe("granted");
});

describe("the choice guard.denial.status", () => {
  it.each([
    ["warn", "No.", [expect.stringContaining("it answered 418")]],
    ["strict", "the app answered 418", undefined],
  ] as const)("%s: a denial with another status is denied, with the reason %j", async (choice, reason, warnings) => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.reply({ success: false, message: "No." }, { status: 418 }));
    const sim = await assemble({ app: { url: app.url }, choices: { "guard.denial.status": choice } });
    const result = await sim.guard();
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null, reason });
    expect(result.choices).toContain("guard.denial.status");
    expect(result.stages.find(({ module }) => module === "guard")?.warnings).toEqual(warnings);
  });

  it("an approval with another status is still a denial", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.reply({ success: true, message: "Welcome" }, { status: 201 }));
    const sim = await assemble({ app: { url: app.url } });
    expect(await sim.guard()).toMatchObject({ outcome: "failed", reason: "the app answered 201" });
  });
});

it("a Content-Type that is not JSON is a warning, not a fault", async () => {
  await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("guard")] }) });
  app.answer((call) => call.send('{"success":true}', { headers: { "content-type": "text/plain" } }));
  const sim = await assemble({ app: { url: app.url } });
  const result = await sim.guard();
  expect(result.outcome).toBe("granted");
  expect(result.stages.find(({ module }) => module === "guard")?.warnings).toEqual([
    "its Content-Type is text/plain, expected application/json",
  ]);
  app.answer(always({ success: true }));
  expect((await sim.guard()).stages.some(({ warnings }) => warnings !== undefined)).toBe(false);
});
