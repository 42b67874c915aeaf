import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AppCall, manifestOf, startFakeApp, unusedPort, webhookEntry } from "../rig/fake-app.ts";
import { runLine, startLine } from "../rig/line.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const manifest = {
  ...manifestOf({ webhooks: [webhookEntry("events", ["project.translated"])] }),
  events: { installed: "/installed", uninstall: "/uninstall" },
};

/** An app that asks for its token when it is installed, and uses it, or asks again, when it gets a webhook. */
async function startInstalledApp(port: string) {
  const url = `http://127.0.0.1:${port}`;
  const app = await startFakeApp({ manifest });
  let event: Record<string, unknown> = {};
  let token = "";
  const statuses = { grant: 0, api: 0 };
  const ask = async () => {
    const { client_id, app_id, app_secret, domain, user_id } = event;
    const body = {
      grant_type: "app_installation",
      client_id,
      client_secret: "app-sim-client-secret-long-enough-for-HS256",
    };
    const asked = await fetch(`${url}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, app_id, app_secret, domain, user_id }),
    });
    return { status: asked.status, token: ((await asked.json()) as { access_token?: string }).access_token ?? "" };
  };
  app.answer(async (call: AppCall) => {
    if (call.path === "/installed") {
      event = call.json() as typeof event;
      ({ token } = await ask());
    } else if (call.path === "/events") {
      const listed = await fetch(`${url}/api/v2/projects`, { headers: { authorization: `Bearer ${token}` } });
      statuses.api = listed.status;
      statuses.grant = (await ask()).status;
    }
    call.send("", { status: 204 });
  });
  return Object.assign(app, { statuses });
}

test("an installation lasts with its tokens from command to command, until it is uninstalled or reset", async () => {
  using directory = makeTempDir();
  const port = String(await unusedPort());
  await using app = await startInstalledApp(port);
  const env = { APP_SIM_PORT: port, APP_SIM_APP: app.url, APP_SIM_PROFILE: "installation" };
  const surroundings = { cwd: directory.path, env };
  const run = async (...args: string[]) => {
    const { code, stderr } = await runLine(args, surroundings);
    expect([args, code, stderr]).toEqual([args, 0, ""]);
    return { ...app.statuses };
  };
  await run("install");
  expect(await run("webhook", "project.translated")).toEqual({ api: 200, grant: 200 });
  expect(statSync(join(directory.path, ".app-sim", `state-${port}.json`)).mode & 0o777).toBe(0o600);
  await run("uninstall");
  expect(await run("webhook", "project.translated")).toEqual({ api: 401, grant: 400 });
  await run("reset");
  expect(existsSync(join(directory.path, ".app-sim", `state-${port}.json`))).toBe(false);
  expect(await run("webhook", "project.translated")).toEqual({ api: 401, grant: 200 });

  // The same state, with a platform that runs.
  await run("install");
  await using serve = startLine(["serve"], surroundings);
  await serve.printed(/ready at/);
  expect(await run("webhook", "project.translated")).toEqual({ api: 200, grant: 200 });
  await run("uninstall");
  expect(await run("webhook", "project.translated")).toEqual({ api: 401, grant: 400 });
  serve.signal("SIGTERM");
  await serve.done;
  expect(await run("webhook", "project.translated")).toEqual({ api: 401, grant: 400 });
  expect(readdirSync(join(directory.path, ".app-sim")).filter((name) => /^state-\d+\.json\./.test(name))).toEqual([]);
});

test("an unreadable state is reported and started anew; a platform at a random port keeps none", async () => {
  using directory = makeTempDir();
  const port = String(await unusedPort());
  await using app = await startInstalledApp(port);
  const env = { APP_SIM_APP: app.url, APP_SIM_PROFILE: "installation" };
  directory.write(`.app-sim/state-${port}.json`, "{");
  const told = await runLine(["install", "--port", port], { cwd: directory.path, env });
  expect([told.code, told.stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: .*state-\d+\.json cannot be read, so a new one is started/),
  ]);
  const free = await runLine(["uninstall", "--port", "0"], { cwd: directory.path, env });
  expect(free.code).toBe(0);
  expect(readdirSync(join(directory.path, ".app-sim")).filter((name) => name.startsWith("state-"))).toEqual([
    `state-${port}.json`,
  ]);
});
