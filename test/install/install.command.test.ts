import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installResultSchema } from "../../src/index.ts";
import { journalPath } from "../../src/journal/journal-file.ts";
import { type AppCall, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const serves = { ...manifestOf({}), events: { installed: "/installed", uninstall: "/uninstall" } };
const SECRET = "the-secret-of-the-app";

/** Asks for a token as the profile `installation` has it, and for the projects with it. Resolves with both statuses. */
async function askMeanwhile(call: AppCall): Promise<number[]> {
  const { base_url: url, client_id, app_id, app_secret, domain, user_id } = call.json() as Record<string, unknown>;
  const asked = await fetch(`${url}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      grant_type: "app_installation",
      client_id,
      client_secret: "app-sim-client-secret-long-enough-for-HS256",
      app_id,
      app_secret,
      domain,
      user_id,
    }),
  });
  const { access_token } = (await asked.json()) as { access_token: string };
  const listed = await fetch(`${url}/api/v2/projects`, { headers: { authorization: `Bearer ${access_token}` } });
  return [asked.status, listed.status];
}

test("install lets the app ask for a token meanwhile; no secret is shown, in the result or by log", async () => {
  using directory = makeTempDir();
  await using app = await startFakeApp({ manifest: serves });
  const statuses: number[][] = [];
  app.answer(async (call) => {
    statuses.push(await askMeanwhile(call));
    call.reply({ ok: SECRET });
  });
  const surroundings = { cwd: directory.path, env: { APP_SIM_APP_SECRET: SECRET } };
  const args = ["--app", app.url, "--profile", "installation", "--port", "0"];
  const { code, stdout, stderr } = await runLine(["install", "--user", "admin", ...args], surroundings);
  expect([code, stderr, statuses]).toEqual([0, "", [[200, 200]]]);
  expect(stdout).toMatch(/^Installing http:\/\/127\.0\.0\.1:\d+\n +→ POST .*\/installed\n/);
  expect(stdout).toMatch(/\n {4}meanwhile the app requested a token by app_installation: granted\n/);
  expect(stdout).toMatch(/\n {2}✓ installed\n\nInstalled: 1 app\ndepends on the choices .*install\.event.*\n$/);
  expect(app.calls[0]?.json()).toMatchObject({ app_secret: SECRET, user_id: 102 });
  const log = await runLine(["log", "--format", "json"], surroundings);
  expect(log.stdout).toContain('"purpose": "install"');
  const kept = readFileSync(journalPath(join(directory.path, ".app-sim")), "utf8");
  expect(kept).toContain('"purpose":"token"');
  for (const output of [stdout, log.stdout]) {
    expect(output).not.toContain(SECRET);
    expect(output).not.toContain("app-sim-client-secret-long-enough-for-HS256");
  }
});

test("uninstall reports its result as JSON; an app that cannot be reached is exit 3, a missing address exit 1", async () => {
  await using app = await startFakeApp({ manifest: serves });
  app.answer((call) => call.send("", { status: 503 }));
  const args = ["uninstall", "--app", app.url, "--choose", "install.event=on", "--port", "0", "--format", "json"];
  const run = async () => {
    const { code, stdout } = await runLine(args);
    return { code, result: installResultSchema.parse(onlyObject(stdout)) };
  };
  expect(await run()).toMatchObject({
    code: 1,
    result: {
      command: "uninstall",
      outcome: "failed",
      reason: "the app answered 503",
      apps: [{ url: `${app.url}/uninstall`, status: 503, state: "not-installed", grant: { outcome: "not-asked" } }],
    },
  });
  app.manifest = manifestOf({});
  expect(await run()).toMatchObject({ code: 1, result: { outcome: "no-event", apps: [] } });
  await app.close();
  expect(await run()).toMatchObject({ code: 3, result: { outcome: "failed", failure: "unreachable", apps: [] } });
});

test("both do nothing by default: exit 2, and the hint says how to enable them", async () => {
  await using app = await startFakeApp({ manifest: serves });
  const { code, stdout, stderr } = await runLine(["install", "--app", app.url, "--port", "0", "--format", "json"]);
  expect([code, stdout, app.calls.length]).toEqual([2, "", 0]);
  expect(onlyObject(stderr).error).toMatchObject({
    code: "install-off",
    hint: expect.stringContaining("--choose install.event=on"),
  });
});

test.each([
  [500, "failed", 0],
  [500, "accepted", 1],
  [204, "failed", 1],
  [204, "accepted", 0],
])("an app that answers %i, --expect %s: exit %i", async (status, expected, code) => {
  using directory = makeTempDir();
  await using app = await startFakeApp({ manifest: serves });
  app.answer((call) => call.send("", { status }));
  const args = ["install", "--app", app.url, "--choose", "install.event=on", "--port", "0", "--expect", expected];
  expect((await runLine(args, { cwd: directory.path })).code).toBe(code);
});
