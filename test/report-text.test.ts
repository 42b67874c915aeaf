import { describe, expect, it } from "vitest";
import { type ReportedResult, reportText } from "../src/index.ts";
import type { RunningPlatform } from "../src/start-platform.ts";
import { withoutChance } from "./rig/docs.ts";
import { guardEntry, importEntry, manifestOf, webhookEntry } from "./rig/fake-app.ts";
import { runLine } from "./rig/line.ts";
import { always, exchangesOf, jobWith, startSimulation, usageErrorOf } from "./rig/simulation.ts";
import { makeTempDir } from "./rig/temp-dir.ts";

const serves = {
  ...manifestOf({
    guards: [guardEntry("office")],
    imports: [importEntry("tidy")],
    webhooks: [webhookEntry("events")],
  }),
  events: { installed: "/installed", uninstall: "/uninstall" },
};
const refuses = always({ success: false, message: "the office is closed" });
const choices = { "install.event": "on" } as const;

const job = jobWith([]);
const event = "project.translated";
const scenario = { name: "a login", steps: [{ guard: { user: "member" } }] };

/** Without what differs from run to run. */
function alike(text: string): string {
  return withoutChance(text)
    .replaceAll(/exchange \w+/g, "exchange ID")
    .replaceAll(/app-sim log .*/g, "app-sim log ID")
    .replaceAll(/Delivery \S+/g, "Delivery ID")
    .replaceAll(/(?<=seed:? )\d+/g, "SEED")
    .replaceAll(/\S+\/(?=scenario\.json)/g, "")
    .replaceAll(/[\d.,]+ (?:ms|s)\b/g, "N ms")
    .replaceAll(/ {2,}/g, "  ");
}

/** What a command advises to do next is no part of its report. */
const withoutAdvice = (text: string) =>
  text.replace(/^Only valid requests were sent.*(?:\n *app-sim .*)?$/m, "").trimEnd();

describe("the text of a result", () => {
  const on = ["--choose", "install.event=on"];
  it.each<[args: string[], act: (sim: RunningPlatform, file: string) => Promise<ReportedResult>]>([
    [["guard"], (sim) => sim.guard()],
    [["post-import", "job.json"], (sim) => sim.postImport({ name: "job.json", job })],
    [["webhook", event, "--no-respell"], (sim) => sim.webhook(event, { respell: false })],
    [["run", "scenario.json"], (sim, file) => sim.run([file])],
    [["verify", "--only", "guard.answer"], (sim) => sim.verify({ only: ["guard.answer"] })],
    [["oauth", "--start", "APP/login"], (sim) => sim.oauthLogin({ start: `${sim.config.apps[0]?.url}/login` })],
    [["install", ...on], (sim) => sim.install()],
    [["uninstall", ...on], (sim) => sim.uninstall()],
    [["reset"], (sim) => sim.reset()],
    [["manifest"], (sim) => sim.manifest()],
  ])("of %j is what the command prints", async (args, act) => {
    await using run = await startSimulation({ serves, answer: refuses, choices });
    using directory = makeTempDir();
    directory.write("job.json", job);
    const file = directory.write("scenario.json", scenario);
    const line = [...args.map((arg) => arg.replace("APP", run.app.url)), "--app", run.app.url, "--port", "0"];
    const printed = await runLine(line, { cwd: directory.path, width: 100 });
    const text = await reportText(await act(run.sim, file), { width: 100 });
    expect(alike(text).trimEnd()).toBe(withoutAdvice(alike(printed.stdout)));
  });

  it("hides secrets that an app sends back", async () => {
    const secret = "app-sim-app-secret";
    await using run = await startSimulation({ serves, answer: always({ success: false, message: `no ${secret}` }) });
    const login = await run.sim.guard();
    expect(login.reason).toContain(secret);
    const text = await reportText(login);
    expect([text.includes("no "), text.includes(secret)]).toEqual([true, false]);
  });

  it("can be made from parsed JSON, too, but without exchanges", async () => {
    await using run = await startSimulation({ serves, answer: refuses });
    const login = await run.sim.guard();
    const [whole, read] = [await reportText(login), await reportText(JSON.parse(JSON.stringify(login)))];
    expect([whole.includes("→ POST"), read.includes("→ POST")]).toEqual([true, false]);
    expect(read).toContain("the office is closed");
  });

  it("exists for explanations, a replay and a load", async () => {
    await using run = await startSimulation({ serves, answer: always({ success: true }) });
    const { sim } = run;
    expect(await reportText(await sim.explainToken())).toContain("HS256");
    expect(await reportText(await sim.explainSignature(event))).toContain("X-Platform-Signature");
    await sim.webhook(event);
    const [delivery] = exchangesOf(sim, "webhook");
    if (delivery === undefined) throw new Error("nothing was delivered");
    expect(await reportText(await sim.replay(delivery))).toContain("✓ acknowledged");
    expect(await reportText(await sim.load(event, { count: 1 }))).toContain("p99");
  });

  it.each([
    [{ widht: 3 }, 'widht is not a known name. Did you mean "width"?'],
    [80, "80 was given: expected an object"],
    [{ width: "80" }, "expected a number of columns"],
  ])("is refused with the options %j", async (options, message) => {
    await using run = await startSimulation({ serves, answer: refuses });
    const error = await usageErrorOf(reportText(await run.sim.guard(), options as never));
    expect(error.message).toContain(message);
  });

  it("has no limit of width by default, which can be said in words", async () => {
    await using run = await startSimulation({ serves, answer: refuses });
    const login = await run.sim.guard();
    expect(await reportText(login, { width: Number.POSITIVE_INFINITY })).toBe(await reportText(login));
  });

  it.each([
    [{ command: "gard" }, /"gard"\. Did you mean "guard"\?/],
    [{ command: "toString" }, /no text for a result/],
    [undefined, /is not a result/],
    [{}, /is not a result/],
  ])("is refused for %j", async (value, message) => {
    const error = await usageErrorOf(reportText(value as never));
    expect(error).toMatchObject({ code: "options-invalid", message: expect.stringMatching(message) });
  });
});
