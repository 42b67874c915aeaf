import { expect, test } from "vitest";
import { startSampleApp } from "../../examples/sample-app/app.js";
import type { VerifyResult } from "../../src/checking/verify-result.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { serveCommand } from "../../src/serve/command.ts";
import { startCommand, withCall } from "../rig/command.ts";
import { runLine } from "../rig/line.ts";
import { portForLater } from "../rig/port-for-later.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

/** They rest on the records and the tokens of the platform. */
const SELECTED = "oauth.refresh.rotation,oauth.exchange.own-code";

test("verdicts on a running platform are the same as without one, even the second time", async () => {
  using directory = makeTempDir();
  const [issued] = defaultConfig.apps;
  if (issued === undefined) throw new RangeError("no app");
  const [port, appPort] = [await portForLater(), await portForLater()];
  const app = await startSampleApp({ ...issued, authUrl: `http://127.0.0.1:${port}`, port: appPort });
  directory.write("app-sim.config.json", {
    port,
    app: { url: app.url, redirectUris: [`${app.url}/oauth/callback`] },
    verify: { oauth: { start: "/login", use: "/projects" } },
  });
  const verdicts = async () => {
    const args = ["verify", "--only", SELECTED, "--seed", "1", "--format", "json"];
    const { stdout, stderr } = await runLine(args, { cwd: directory.path });
    expect(stderr).not.toContain("error");
    const { outcome, checks } = JSON.parse(stdout) as VerifyResult;
    return { outcome, checks: checks.map(({ id, subject, result, reason }) => ({ id, subject, result, reason })) };
  };
  const serve = startCommand(withCall(serveCommand), { cwd: directory.path, settings: {} });
  await serve.printed(/manifest/);
  const first = await verdicts();
  const second = await verdicts();
  await serve[Symbol.asyncDispose]();
  const alone = await verdicts();
  await app.close();
  expect(alone.outcome).toBe("passed");
  expect([first, second]).toEqual([alone, alone]);
});
