import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { startSampleApp } from "../../examples/sample-app/app.js";
import { guardResultSchema, importResultSchema, webhookResultSchema } from "../../src/index.ts";

import {
  type CallHandler,
  guardEntry,
  importEntry,
  manifestOf,
  startFakeApp,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { runLine, startLine } from "../rig/line.ts";
import { exchangesIn, fixturePath, onlyObject } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// What an app does wrong, one word each; "down" is no app at all.
const faults = {
  down: null,
  reset: (call) => call.reset(),
  "no answer": (call) => call.hang(),
  "a byte at a time": (call) => call.drip('{"success":true}', 60),
  HTML: (call) => call.send("<!doctype html><h1>Oops</h1>", { headers: { "content-type": "text/html" } }),
  "an empty body": (call) => call.send(""),
  "invalid JSON": (call) => call.send('{"success":tru', { headers: { "content-type": "application/json" } }),
  "a redirect": (call) => call.send("", { status: 302, headers: { location: "https://elsewhere.example/login" } }),
  "a text for a boolean": (call) => call.reply({ success: "true" }),
  "a server error": (call) => call.reply({ success: true }, { status: 500 }),
} satisfies Record<string, CallHandler | null>;
type Fault = keyof typeof faults;

const manifest = manifestOf({
  guards: [guardEntry("office"), guardEntry("second")],
  imports: [importEntry("tidy")],
  webhooks: [webhookEntry("events")],
});

/** What a run against a failing app must come to. */
type Expected = readonly [fault: Fault, code: number, reason: RegExp];

/** Runs a command against an app with that fault, and holds what is the same for every command and fault. */
async function run(fault: Fault, code: number, args: readonly string[]) {
  const handler = faults[fault];
  await using app = await startFakeApp({ manifest });
  app.answer(handler ?? (() => {}));
  using directory = makeTempDir();
  const url = handler === null ? `http://127.0.0.1:${await unusedPort()}` : app.url;
  // The manifest is read from a file where there is no app to serve it, so that it is the module's call that fails.
  const source = handler === null ? ["--manifest", directory.write("manifest.json", manifest)] : [];
  const result = await runLine([...args, "--app", url, ...source], { cwd: directory.path });
  expect(result.code).toBe(code);
  expect(result.stderr).toBe("");
  expect(result.stdout).not.toMatch(/\bat .*:\d+:\d+\)?$|node:|undici|UND_ERR/m);
  expect(exchangesIn(directory.path).filter(({ purpose }) => purpose !== "manifest")).toHaveLength(1);
  return { stdout: result.stdout, paths: app.calls.map(({ path }) => path) };
}

const json = ["--format", "json"];

describe.concurrent("R40: a guard that fails: access is denied, with the reason in one line", () => {
  const expected: Expected[] = [
    // The two that take ten seconds first, so that the others run beside them.
    ["no answer", 4, /^the app took longer than 10 s: connected, but no answer came$/],
    ["a byte at a time", 4, /^the app took longer than 10 s: its answer began, but did not end$/],
    ["down", 3, /^nothing listens at http:\/\/127\.0\.0\.1:\d+$/],
    ["reset", 1, /^the app closed the connection without an answer$/],
    ["HTML", 1, /^the app answered 200 with an HTML page, expected .*success/],
    ["an empty body", 1, /^the app answered 200 with an empty body, expected .*success/],
    ["invalid JSON", 1, /^the app answered 200, but .* not valid JSON/],
    [
      "a redirect",
      1,
      /^the app answered 302, a redirect to https:\/\/elsewhere\.example\/login, which app-sim never follows$/,
    ],
    ["a text for a boolean", 1, /success is "true": expected true or false$/],
    ["a server error", 1, /^the app answered 500$/],
  ];

  test.each(expected)("%s: exit %i", async (fault, code, reason) => {
    const [asText, asJson] = await Promise.all([run(fault, code, ["guard"]), run(fault, code, ["guard", ...json])]);
    const result = guardResultSchema.parse(onlyObject(asJson.stdout));
    expect(result).toMatchObject({ outcome: "failed", deniedBy: null, reason: expect.stringMatching(reason) });
    expect(result.stages.at(-1)).toMatchObject({ module: "office", result: "failed", reason: result.reason });
    const [, shown] = /^Login failed at office: (.+)$/m.exec(asText.stdout) ?? [];
    expect(shown).toMatch(reason);
    expect(asText.stdout).not.toMatch(/granted/i);
    expect(asText.paths).not.toContain("/second");
  });
});

describe.concurrent("R40: a post-import that fails: nothing is imported, with the reason in one line", () => {
  const expected: Expected[] = [
    ["down", 3, /^nothing listens at /],
    ["reset", 1, /^the app closed the connection without an answer$/],
    ["HTML", 1, /^the app answered 200 with an HTML page, expected .*strings/],
    ["an empty body", 1, /^the app answered 200 with an empty body, expected .*strings/],
    ["invalid JSON", 1, /^the app answered 200, but .* not valid JSON/],
    [
      "a redirect",
      1,
      /^the app answered 302, a redirect to https:\/\/elsewhere\.example\/login, which app-sim never follows$/,
    ],
    ["a text for a boolean", 1, /^the app's answer breaks the contract: response: has neither data\.strings nor /],
  ];

  const args = ["post-import", fixturePath("jobs/greetings.json")];

  test.each(expected)("%s: exit %i", async (fault, code, reason) => {
    const { stdout } = await run(fault, code, [...args, ...json]);
    const { jobs } = importResultSchema.parse(onlyObject(stdout));
    const changes = { changed: 0, added: 0, removed: 0 };
    expect(jobs).toMatchObject([{ outcome: "failed", error: expect.stringMatching(reason), changes }]);
  });

  test("as text", async () => {
    const { stdout } = await run("an empty body", 1, args);
    expect(stdout).toMatch(/^ {2}✗ failed: the app answered 200 with an empty body, expected .+$/m);
    // An empty list would remove every string.
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      '{"data":{"strings":[…]}} with every string of the file, or status 304',
    );
  });
});

describe.concurrent("R40: a webhook that fails: not acknowledged, with the reason in one line", () => {
  const expected: Expected[] = [
    ["down", 3, /^nothing listens at /],
    ["reset", 1, /^the app closed the connection without an answer$/],
    ["no answer", 4, /^the app took longer than 0\.3 s: connected, but no answer came$/],
    // On a busy machine even its head may come too late.
    ["a byte at a time", 4, /^the app took longer than 0\.3 s: /],
    [
      "a redirect",
      1,
      /^the app answered 302, a redirect to https:\/\/elsewhere\.example\/login, which app-sim never follows$/,
    ],
  ];
  const args = ["webhook", "project.approved"];
  // An app that answers may take longer than this on a busy machine.
  const impatient = ["--choose", "webhook.timeout=300"];

  test.each(expected)("%s: exit %i", async (fault, code, reason) => {
    const { stdout } = await run(fault, code, [...args, ...(code === 4 ? impatient : []), ...json]);
    const result = webhookResultSchema.parse(onlyObject(stdout));
    expect(result).toMatchObject({
      outcome: "failed",
      reason: expect.stringMatching(reason),
      deliveries: [{ acknowledged: false, attempts: [{ reason: result.reason }] }],
    });
  });

  test("as text", async () => {
    const { stdout } = await run("a server error", 1, args);
    expect(stdout).toMatch(/✗ not acknowledged\n\nFailed: the app answered 500\n/);
  });

  test("whatever the body: any 2XX acknowledges (interface 2.6)", async () => {
    const { stdout } = await run("HTML", 0, [...args, ...json]);
    expect(onlyObject(stdout)).toMatchObject({ outcome: "acknowledged" });
  });
});

describe("R2: --wait", () => {
  test("waits for an app that is not yet running", async () => {
    using directory = makeTempDir();
    const port = await unusedPort();
    // Two apps are installed: at the first it can be seen that only the connection is tried.
    const first = createServer().listen(0, "127.0.0.1");
    await once(first, "listening");
    const { port: firstPort } = first.address() as AddressInfo;
    const none = directory.write("none.json", manifestOf({}));
    const apps = [{ url: `http://127.0.0.1:${firstPort}`, manifest: none }, { url: `http://127.0.0.1:${port}` }];
    directory.write("app-sim.config.json", { apps });
    await using cli = startLine(["guard", "--wait", "20"], { cwd: directory.path });
    const [tried] = (await once(first, "connection")) as [Socket];
    first.close();
    const secrets = {
      clientSecret: "app-sim-client-secret-long-enough-for-HS256",
      appSecret: "app-sim-app-secret",
    };
    const app = await startSampleApp({
      clientId: "app-sim-client",
      ...secrets,
      authUrl: "http://127.0.0.1:7410",
      port,
    });
    const { code, stdout } = await cli.done;
    await app.close();
    expect([code, stdout]).toEqual([0, expect.stringContaining("Access granted")]);
    expect(tried.bytesRead).toBe(0);
  });

  test("gives up in time, with the same result as without waiting; stderr reports the wait and its failure", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const { code, stdout, stderr } = await runLine(["guard", "--app", url, "--wait", "1.3s"]);
    expect([code, stdout]).toEqual([3, expect.stringContaining(`nothing listens at ${url}`)]);
    expect(stderr).toBe("waiting for the app to listen, at most 1.3 s\nwarning: the app did not listen within 1.3 s\n");
  });
});
