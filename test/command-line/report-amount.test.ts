import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "../../src/command-line/program.ts";
import { type FakeApp, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";

let app: FakeApp;
beforeAll(async () => {
  app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("events")] }) });
});
afterAll(() => app.close());

async function webhook(status: number, ...args: string[]) {
  app.answer((call) => call.send("", { status, headers: { "x-answered-by": "the app" } }));
  return runLine(["webhook", "project.translated", "--app", app.url, ...args]);
}

describe("how much is printed", () => {
  test("by default neither choices at their default, nor a seed, nor headers", async () => {
    const { stdout } = await webhook(204);
    expect(stdout).toContain("Acknowledged by 1 webhook module\n");
    expect(stdout).not.toMatch(/relied on|seed|x-answered-by/);
  });

  test("--quiet: nothing if all is as expected, and otherwise the report", async () => {
    expect(await webhook(204, "--quiet")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const { code, stdout } = await webhook(500, "--quiet");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Delivery .*\n(.*\n)*Failed: /);
    expect((await webhook(204, "--quiet", "--format", "json")).stdout).toContain('"acknowledged"');
  });

  test("--verbose: the choices and the seed", async () => {
    const { stdout } = await webhook(204, "--verbose", "--seed", "7");
    expect(stdout).toMatch(
      /\ndepends on the choices webhook\.signature\.encoding, .*\nOnly valid requests .*\nseed 7\n$/,
    );
  });

  test("--details: every exchange in full, before the report", async () => {
    const { stdout } = await webhook(204, "--details");
    expect(stdout).toMatch(/GET .*\/manifest\.json\n(.*\n)*.* webhook events .*\n(.*\n)* {2}x-answered-by: the app\n/);
    expect(stdout).toMatch(
      /Acknowledged by 1 webhook module\nOnly valid requests were sent. .*: app-sim webhook project\.translated --tamper all --app \S+\n$/,
    );
  });

  test("every command with a report has all three", () => {
    const withThem = buildProgram("0", async () => {})
      .commands.filter(({ options }) => options.some(({ long }) => long === "--quiet"))
      .map((command) => [command.name(), command.options.flatMap(({ long }) => long ?? [])] as const);
    const names = ["guard", "post-import", "webhook", "replay", "run", "load", "oauth", "install", "uninstall"];
    expect(withThem.map(([name]) => name)).toEqual(expect.arrayContaining([...names, "verify", "manifest", "doctor"]));
    for (const [, flags] of withThem) expect(flags).toEqual(expect.arrayContaining(["--verbose", "--details"]));
  });
});
