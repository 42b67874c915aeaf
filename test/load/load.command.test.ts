import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadResultSchema } from "../../src/index.ts";
import { manifestOf, startFakeApp, unusedPort, webhookEntry } from "../rig/fake-app.ts";
import { runLine, startLine } from "../rig/line.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const manifest = manifestOf({ webhooks: [webhookEntry("webhook")] });

describe("app-sim load", () => {
  it("sends project.translated by default, and its JSON is only the result", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send(""));
    const run = await runLine(["load", "--app", app.url, "--count", "50", "--batch", "2", "--format", "json"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const result = loadResultSchema.parse(JSON.parse(run.stdout));
    expect(result).toMatchObject({ outcome: "ok", acknowledged: 50, events: 100 });
    expect(app.calls[0]?.body.toString()).toContain('"event":"project.translated"');
  });

  it("exits with 1 if an expectation is not met, although every delivery was acknowledged", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send(""));
    const rate = ["--rate", "100", "--duration", "200ms"];
    const run = await runLine(["load", "--app", app.url, ...rate, "--expect", "rate>=1000", "--expect", "errors<1%"]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/✗ rate>=1000: it was .*\/s\n✓ errors<1%: it was 0%/);
  });

  it("keeps the first of each kind of failure for `app-sim log`", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send("", { status: 500 }));
    const run = await runLine(["load", "--app", app.url, "--count", "5", "--format", "json"]);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout).errors).toMatchObject([{ kind: "server-error", status: 500, count: 5 }]);
  });

  it.each([
    [["--rate", "1", "--concurrency", "1"], "cannot be used with"],
    [["--duration", "1s", "--count", "1"], "cannot be used with"],
    [["--duration", "10 s"], "error: --duration cannot be '10 s'. Did you mean 10s?\n"],
    [["project.translated", "10s", "--count", "1"], "10s is not an event name\nhint: use --duration 10s for how long"],
    [["--duration", "0"], "expected 100ms to 1d, such as 30s; --count sends"],
    [["--rate", "0"], "expected deliveries a second"],
    [["--expect", "p99<250"], '"p99<250" is not a valid expectation: p99 needs a unit: p99<250ms or p99<250s'],
    [["--expect", "p98<2s"], "a valid expectation: there is no measure p98\n"],
    [["--expect", "p99=2s"], "a valid expectation: = is not a comparison; use <, <=, > or >=, as in p99<2s\n"],
    [["--expect", "rate=>5"], "a valid expectation: => is not a comparison; use <, <=, > or >=, as in rate>5\n"],
    [
      ["--expect", "rate>=5%"],
      '"rate>=5%" is not a valid expectation: rate is compared with a number of deliveries per second',
    ],
    [["--app", "http://8.8.8.8:9"], "is a public address"],
  ])("%j is a mistake", async (args, message) => {
    const run = await runLine(["load", ...args]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(message);
    expect(run.stderr.includes("10 senders")).toBe(args[0] === "--app");
  });

  it("says how much it sends if that is not given, and otherwise nothing", async () => {
    const args = ["load", "--app", `http://127.0.0.1:${await unusedPort()}`];
    expect((await runLine(args)).stderr).toMatch(
      /^10 senders for 10 s, as fast as the app answers; change that with --rate, /,
    );
    expect((await runLine([...args, "--count", "1"])).stderr).toBe("");
  });

  it("sends to a module at another origin, and ends", async () => {
    await using other = await startFakeApp({ manifest });
    const webhooks = [webhookEntry("own"), { ...webhookEntry("other"), url: `${other.url}/hook` }];
    await using app = await startFakeApp({ manifest: manifestOf({ webhooks }) });
    for (const each of [app, other]) each.answer((call) => call.send(""));
    const run = await runLine(["load", "--app", app.url, "--allow-origin", other.url, "--count", "10"]);
    expect(run.code).toBe(0);
    expect(other.calls).toHaveLength(5);
  });

  it("ends with 3 if nothing is sent because nothing listens", async () => {
    using directory = makeTempDir();
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const file = directory.write("manifest.json", manifest);
    const run = await runLine(["load", "--app", url, "--manifest", file, "--rate", "5", "--duration", "1h"]);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain(`Failed: nothing listens at ${url}`);
  });

  it("--export artillery writes a test and sends nothing", async () => {
    await using app = await startFakeApp({ manifest });
    using directory = makeTempDir();
    const out = path.join(directory.path, "out");
    const run = await runLine(["load", "--app", app.url, "--rate", "5", "--export", "artillery", "--out", out]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("webhooks.yml");
    expect(readdirSync(out)).toContain("webhooks.yml");
    for (const name of readdirSync(out)) expect(statSync(path.join(out, name)).mode & 0o077, name).toBe(0);
    expect(app.calls).toEqual([]);
  });

  it("Ctrl-C ends it with the results so far", async () => {
    await using app = await startFakeApp({ manifest });
    let first = () => {};
    const begun = new Promise<void>((resolve) => {
      first = resolve;
    });
    app.answer((call) => {
      call.send("");
      first();
    });
    await using cli = startLine(["load", "--app", app.url, "--concurrency", "1", "--duration", "1m"]);
    await begun;
    cli.signal("SIGINT");
    const { stdout } = await cli.done;
    expect(stdout).toContain("Interrupted");
  });
});
