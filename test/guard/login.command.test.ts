import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { guardResultSchema } from "../../src/index.ts";
import { type CallHandler, guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { runLine, startLine } from "../rig/line.ts";
import { isListening, onlyObject } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const manifest = manifestOf({ guards: [guardEntry("terms", { type: "redirect", url: "/page" })] });

/** Asks for the user, and lets in who comes back with this code. */
const wantsCode =
  (code: string): CallHandler =>
  (call) =>
    call.reply({ success: (call.json() as { code?: string }).code === code });

const stagesOf = (stdout: string) =>
  guardResultSchema.parse(onlyObject(stdout)).stages.map(({ stage, result, attempts }) => [stage, result, attempts]);

describe("the stages around the guards", () => {
  test("all enabled, some failed on purpose and passed at the next try", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const flags = ["--mfa", "--device-trust", "--remember-me", "--fail", "mfa:2", "--fail", "device-trust:1"];
    const args = ["guard", "--app", app.url, ...flags, "--code", "c-1", "--format", "json"];
    const { code, stdout } = await runLine(args);
    expect(code).toBe(0);
    expect(stagesOf(stdout)).toEqual([
      ["password", "passed", undefined],
      ["mfa", "passed", 3],
      ["device-trust", "passed", 2],
      ["guard", "passed", undefined],
      ["remember-me", "passed", undefined],
    ]);
  });

  test("failed finally: denied, and the app is never called", async () => {
    await using app = await startFakeApp({ manifest });
    const { code, stdout } = await runLine(["guard", "--app", app.url, "--fail", "password"]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining("✗ password denied on try 3\n\nAccess denied: wrong password"),
    ]);
    expect(app.calls).toEqual([]);
  });

  test("one that should fail is asked", async () => {
    await using app = await startFakeApp({ manifest });
    const { code, stdout } = await runLine(["guard", "--app", app.url, "--fail", "mfa"]);
    expect([code, stdout]).toEqual([1, expect.stringContaining("Access denied: wrong code")]);
  });

  test("enabled by the environment as well", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const args = ["guard", "--app", app.url, "--code", "c-1", "--format", "json"];
    const { stdout } = await runLine(args, { env: { APP_SIM_MFA: "true" } });
    expect(stagesOf(stdout)[1]).toEqual(["mfa", "passed", undefined]);
  });
});

describe("the app's page, played", () => {
  test.each([
    [["--code", "c-1"], 0, "Access granted"],
    [["--code", "another"], 1, "Access denied by terms: the app denied access without a message"],
    [["--error", "no\u202e thanks"], 1, "Access denied by terms: no"],
    [["--error", "no thanks", "--expect-denied-by", "terms"], 0, "as expected: denied by terms"],
    [
      ["--code", "c-1", "--expect-denied-by", "terms"],
      1,
      "denied by terms was expected; terms accepted the code: does",
    ],
    [["--code", "c-1", "--expect", "denied"], 1, "denied was expected; terms accepted the code: does it"],
  ])("%j: exit %i", async (flags, code, says) => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const result = await runLine(["guard", "--app", app.url, ...flags]);
    expect([result.code, result.stdout]).toEqual([code, expect.stringContaining(says)]);
  });

  test("what comes back is hidden: a code is a credential", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("canary-code"));
    const { stdout, stderr } = await runLine(["guard", "--app", app.url, "--code", "canary-code"]);
    expect(stdout + stderr).not.toContain("canary-code");
  });
});

test("S27: a code that the app repeats is hidden everywhere", async () => {
  await using app = await startFakeApp({ manifest });
  app.answer((call) => {
    const { code } = call.json() as { code?: string };
    call.reply({ success: false, message: code === undefined ? "come back" : `the code ${code} is wrong` });
  });
  using directory = makeTempDir();
  const options = { cwd: directory.path };
  const args = ["guard", "--app", app.url, "--code", "canary-code"];
  for (const run of [args, [...args, "--format", "json"], ["log"], ["log", "--format", "json"]]) {
    const { stdout, stderr } = await runLine(run, options);
    expect(stdout + stderr, run.join(" ")).not.toContain("canary-code");
    expect(stdout).toContain("is wrong");
  }
});

test("without a terminal nobody waits: the hint says at once what would walk the page", async () => {
  await using app = await startFakeApp({ manifest });
  app.answer(wantsCode("c-1"));
  using directory = makeTempDir();
  const { code, stdout, stderr } = await runLine(["guard", "--app", app.url], { cwd: directory.path });
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toMatch(/nobody is there[\s\S]*--press accept[\s\S]*--wait-for-user/);
});

describe.concurrent("without a terminal a person may still log in, with --wait-for-user", () => {
  test("the link is printed on stderr; the login continues when they return, and nothing listens afterwards", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const port = await unusedPort();
    await using cli = startLine([
      "guard",
      "--wait-for-user",
      "--app",
      app.url,
      "--port",
      String(port),
      "--format",
      "json",
    ]);
    const [, link = ""] = await cli.printed(/terms asks for the user, at most 600 s: open (\S+)\n/);
    const sent = await fetch(link, { redirect: "manual" });
    const page = new URL(sent.headers.get("location") ?? "");
    expect([sent.status, page.origin + page.pathname]).toEqual([302, `${app.url}/page`]);
    expect([...page.searchParams.keys()]).toEqual(["jwtToken", "state"]);
    const state = page.searchParams.get("state") ?? "";
    const callback = `http://127.0.0.1:${port}/acme/guard/callback?${new URLSearchParams({ state, code: "c-1" })}`;
    const back = await fetch(callback, { redirect: "manual" });
    expect([back.status, back.headers.get("location")]).toEqual([303, new URL(link).pathname]);
    await back.body?.cancel();
    const { code, stdout } = await cli.done;
    expect([code, guardResultSchema.parse(onlyObject(stdout)).outcome]).toEqual([0, "granted"]);
    expect(await isListening(port)).toBe(false);
  });

  test("the person who followed the link sees how the login ended before the pages are gone", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const port = await unusedPort();
    await using cli = startLine(["guard", "--wait-for-user", "--app", app.url, "--port", String(port)]);
    const [, link = ""] = await cli.printed(/open (\S+)\n/);
    const sent = await fetch(link, { redirect: "manual" });
    const state = new URL(sent.headers.get("location") ?? "").searchParams.get("state") ?? "";
    // The stream of changes, which the page follows, ends with the login.
    const events = await fetch(`${link}/events`);
    const query = new URLSearchParams({ state, code: "c-1" });
    await (await fetch(`http://127.0.0.1:${port}/acme/guard/callback?${query}`, { redirect: "manual" })).text();
    await events.text();
    const end = await fetch(link);
    expect([end.status, await end.text()]).toEqual([200, expect.stringContaining("Access granted")]);
    expect((await cli.done).code).toBe(0);
  });

  test("R35: a refused callback is reported during the wait, and is the reason if nobody returns", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const port = await unusedPort();
    const flags = ["--port", String(port), "--interaction-timeout", "3"];
    await using cli = startLine(["guard", "--wait-for-user", "--app", app.url, ...flags]);
    await cli.printed(/open http/);
    const refused = await fetch(`http://127.0.0.1:${port}/acme/guard/callback?code=c-1`);
    expect(refused.status).toBe(400);
    await cli.printed(/^warning: terms: a callback was not accepted: The callback has no state\. \(.*\)$/m);
    const { code, stdout } = await cli.done;
    expect([code, stdout]).toEqual([1, expect.stringContaining("Not granted: a callback was not accepted")]);
  });

  test("Ctrl-C during the wait: nothing granted, nothing listens", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const port = await unusedPort();
    await using cli = startLine(["guard", "--wait-for-user", "--app", app.url, "--port", String(port)]);
    await cli.printed(/open http/);
    cli.signal("SIGINT");
    expect((await cli.done).stdout).toContain("Interrupted: access was not granted");
    expect(await isListening(port)).toBe(false);
  });

  test("there is no wait in CI: exit 1, and the hint says how to continue", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const { code, stdout } = await runLine(["guard", "--app", app.url], { env: { CI: "true" } });
    expect([code, stdout]).toEqual([1, expect.stringContaining("Not granted: terms is a redirect guard")]);
    expect(stdout).toMatch(/hint: .*--fill .*--browser/);
  });

  test("nobody comes: the login ends when the time is over", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const args = ["guard", "--wait-for-user", "--app", app.url, "--port", "0", "--interaction-timeout", "1"];
    const { code, stdout } = await runLine(args);
    expect([code, stdout]).toEqual([1, expect.stringContaining("the user did not come back within 1 s")]);
  });

  test("R1: the platform's port is taken: exit 2, and the message names it", async () => {
    await using app = await startFakeApp({ manifest });
    app.answer(wantsCode("c-1"));
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await runLine(["guard", "--wait-for-user", "--app", app.url, "--port", String(port)]);
    other.close();
    expect([code, stderr]).toEqual([2, expect.stringContaining(`port ${port} of 127.0.0.1 is taken`)]);
  });
});

describe("flags that cannot be", () => {
  test.each([
    [["--code", "a", "--error", "b"], "--code and --error exclude each other"],
    [["--code", "a", "--fill", "pin=1"], "--code and --fill or --press exclude each other"],
    [["--error", "a", "--browser"], "--error and --browser exclude each other"],
    [["--press", "a", "--wait-for-user"], "--fill or --press and --wait-for-user exclude each other"],
    [["--fail", "mfaa"], "password, mfa, device-trust, remember-me"],
    [["--fail", "passwrd"], 'Did you mean "password"?'],
    [["--fail", "mfa:0"], "such as mfa:1"],
    [["--fill", "pin"], "name=value"],
    [["--interaction-timeout", "soon"], "interaction-timeout"],
  ])("%j: exit 2 before anything is sent", async (flags, says) => {
    await using app = await startFakeApp({ manifest });
    const { code, stdout, stderr } = await runLine(["guard", "--app", app.url, ...flags]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
    expect(app.calls).toEqual([]);
  });
});
