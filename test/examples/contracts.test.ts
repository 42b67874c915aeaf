import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createApp } from "../../examples/express-contract/app.js";
import { startSimulator } from "../../src/index.ts";
import { ROOT } from "../rig/docs.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { hasTools } from "../rig/has-tools.ts";

const installation = {
  clientId: "example-app",
  clientSecret: "canary-client-secret-0123456789abcdef",
  appSecret: "canary-app-secret-0123456789abcdef",
};

/** What is wrong with an app, one line for each finding. */
async function findingsOf(url: string): Promise<string[]> {
  await using sim = await startSimulator({ app: { ...installation, url } });
  const { checks, outcome, summary } = await sim.verify();
  expect(summary.passed).toBeGreaterThan(15);
  const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
  return [
    ...found.map(({ id, result, reason }) => `${result} ${id}: ${reason}`),
    ...(outcome === "passed" ? [] : [outcome]),
  ];
}

describe("the apps with contract tests pass them", () => {
  test("in Express", async () => {
    const server = createApp(installation).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      expect(await findingsOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test.skipIf(!hasTools("python3")).each([
    ["in Python", "ThreadingHTTPServer"],
    ["in Python, with a server that answers one request after another", "HTTPServer"],
  ])(
    "%s",
    async (_, server) => {
      const port = await unusedPort();
      const source = readFileSync(join(ROOT, "examples/python-contract/app.py"), "utf8");
      const app = spawn("python3", ["-c", source.replaceAll("ThreadingHTTPServer", server)], {
        stdio: "ignore",
        env: {
          PATH: process.env.PATH,
          PORT: String(port),
          PLATFORM_CLIENT_ID: installation.clientId,
          PLATFORM_CLIENT_SECRET: installation.clientSecret,
          PLATFORM_APP_SECRET: installation.appSecret,
        },
      });
      const ended = once(app, "exit");
      try {
        const url = `http://127.0.0.1:${port}`;
        await using sim = await startSimulator({ app: { ...installation, url } });
        expect(await sim.waitForApp(10_000)).toBe(true);
        expect(await findingsOf(url)).toEqual([]);
      } finally {
        app.kill();
        await ended;
      }
    },
    120_000,
  );
});
