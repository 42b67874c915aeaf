import { describe, expect, test } from "vitest";
import { runCli } from "./cli.ts";
import { withoutChance } from "./docs.ts";
import { manifestOf, startFakeApp, webhookEntry } from "./fake-app.ts";
import { runLine } from "./line.ts";
import { makeTempDir } from "./temp-dir.ts";

describe("a command line in this process prints what the program prints", () => {
  test.each([
    [["choices"]],
    [["config", "--format", "json", "--choose", "webhook.retries=2"]],
    [["env", "--port", "7555"]],
    [["log"]],
    [["webhook", "project.approved", "--data", "-", "--seed", "1"]],
    [["webhook", "project.aproved", "--seed", "1"]],
    // What is refused.
    [["guard", "--user", "adnin"]],
    [["log", "--format", "yaml"]],
    [["log", "nope", "--format", "json"]],
    [["gaurd"]],
    [["gaurd", "--format", "json"]],
    // What commander answers by itself.
    [[]],
    [["--help"]],
    [["help", "guard"]],
  ])("%j", async (args) => {
    await using app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("events")] }) });
    app.answer((call) => call.send(""));
    using directory = makeTempDir();
    const options = { cwd: directory.path, env: { APP_SIM_APP: app.url }, input: '{"project":{"id":"7"}}' };
    const [here, program] = [await runLine(args, options), await runCli(args, options)];
    const bodies = app.calls.map(({ body }) => body.toString());
    const plain = ({ stdout, ...rest }: typeof here) => ({
      ...rest,
      stdout: withoutChance(stdout).replace(/^Delivery \w{8}/, "Delivery ID"),
    });
    expect(plain(here)).toEqual(plain(program));
    expect(bodies.slice(bodies.length / 2)).toEqual(bodies.slice(0, bodies.length / 2));
  });
});
