import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SampleApp, startSampleApp } from "../../examples/sample-app/app.js";
import { defaultConfig } from "../../src/config/default-world.ts";
import { loginTable } from "../../src/guard/rules/login-table.ts";
import { exploreResultSchema } from "../../src/index.ts";
import { guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";

describe("guard --explore on the sample app", () => {
  let app: SampleApp;
  beforeAll(async () => {
    const [installation] = defaultConfig.apps;
    if (installation === undefined) throw new Error("the default world has an app");
    app = await startSampleApp({ ...installation, authUrl: "http://127.0.0.1:7410" });
  });
  afterAll(() => app.close());

  test("3.1 every row of the table is seen in one run", async () => {
    const { code, stdout, stderr } = await runLine(["guard", "--explore", "--app", app.url, "--format", "json"]);
    expect([code, stderr]).toEqual([0, ""]);
    const { outcome, rows } = exploreResultSchema.parse(onlyObject(stdout));
    expect(outcome).toBe("complete");
    expect(rows.map(({ row, status }) => [row, status])).toEqual(loginTable.map(({ row }) => [row, "seen"]));
  });

  test("as text: one line for each row, then how many were seen", async () => {
    const { code, stdout } = await runLine(["guard", "--explore", "--app", app.url]);
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}✓ [ \d]\d {2}(direct|redirect|frame|either) /gm)).toHaveLength(11);
    expect(stdout).toMatch(/^11 of 11 rows seen, in \d+ logins$/m);
  });
});

test("an app that always says yes: not everything was seen, exit 1", async () => {
  await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
  app.answer((call) => call.reply({ success: true }));
  const { code, stdout } = await runLine(["guard", "--explore", "--app", app.url]);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^1 of 11 rows seen, 9 not possible/m)]);
});

test("an app that is down: exit 3", async () => {
  const url = `http://127.0.0.1:${await unusedPort()}`;
  const { code, stdout } = await runLine(["guard", "--explore", "--app", url]);
  expect([code, stdout]).toEqual([3, expect.stringContaining(`nothing listens at ${url}`)]);
});

test.each([
  ["--expect", "granted"],
  ["--error", "no"],
  ["--fail", "mfa"],
])("not with %s %s: exit 2", async (...flags) => {
  const { code, stdout, stderr } = await runLine(["guard", "--explore", ...flags]);
  expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(`--explore and ${flags[0]} exclude`)]);
});
