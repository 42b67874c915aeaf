import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { unusedPort } from "../../rig/fake-app.ts";
import { issued } from "./platform.ts";

const server = resolve(import.meta.dirname, "../../../examples/sample-app/server.js");

it("is started by hand with what `app-sim env` prints, and ended by a signal", async () => {
  const port = await unusedPort();
  const env = {
    PLATFORM_CLIENT_ID: issued.clientId,
    PLATFORM_CLIENT_SECRET: issued.clientSecret,
    PLATFORM_APP_SECRET: issued.appSecret,
    PLATFORM_AUTH_URL: issued.authUrl,
    PORT: String(port),
  };
  const child = spawn(process.execPath, [server], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  try {
    const url = `http://127.0.0.1:${port}`;
    expect(String(await once(child.stdout, "data"))).toBe(`The sample app listens at ${url}\n`);
    expect((await fetch(`${url}/manifest.json`)).status).toBe(200);
  } finally {
    child.kill("SIGTERM");
  }
  expect(await ended).toEqual([0, null]);
});
