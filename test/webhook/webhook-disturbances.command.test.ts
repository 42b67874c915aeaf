import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signatureResultSchema, webhookResultSchema } from "../../src/index.ts";
import { type AppCall, type FakeApp, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { runLine, startLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";

// What goes wrong on the way, as it is asked for on the command line and told.

let app: FakeApp;
beforeAll(async () => {
  app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("events")] }) });
});
afterAll(() => app.close());

const acknowledges = (call: AppCall) => call.send("", { status: 204 });
const verifies = (call: AppCall) => {
  const digest = createHmac("sha256", "app-sim-app-secret").update(call.body).digest("hex");
  call.send("", { status: call.header("x-platform-signature") === digest ? 204 : 401 });
};

async function webhook(answer: (call: AppCall) => void, ...args: string[]) {
  app.answer(answer);
  return runLine(["webhook", "project.translated", "--app", app.url, ...args]);
}

async function webhookJson(answer: (call: AppCall) => void, ...args: string[]) {
  const { code, stdout } = await webhook(answer, ...args, "--format", "json");
  return { code, result: webhookResultSchema.parse(onlyObject(stdout)) };
}

describe("--tamper", () => {
  test("an app that verifies: exit 0, each kind on a separate line", async () => {
    const { code, stdout } = await webhook(verifies, "--tamper", "all");
    expect(code).toBe(0);
    for (const kind of ["changed body", "wrong signature", "another secret", "no signature"]) {
      expect(stdout).toMatch(new RegExp(`✓ \\w{8}  1 event  refused 401 .* ${kind}\n`));
    }
    expect(stdout).toMatch(/✓ \w{8} {2}1 event {2}acknowledged 204 .* {2}non-ASCII\n/);
    expect(stdout).toMatch(/\n4 acknowledged, 4 refused; 8 attempts\n/);
    expect(stdout).toMatch(/\nEvery delivery that was tampered with was refused, every correct one acknowledged\n/);
    expect(stdout).toMatch(/\nTo try more forgeries, such as half a signature: app-sim verify --only webhook /);
  });

  test("an app that refuses such names: letters count as not tried", async () => {
    const isStrict = (call: AppCall) =>
      call.body.includes('"name"') ? call.send("", { status: 400 }) : verifies(call);
    const { code, stdout } = await webhook(isStrict, "--tamper", "all");
    expect(code).toBe(0);
    expect(stdout).toMatch(/- \w{8} {2}1 event {2}refused 400 .* {2}non-ASCII, in ASCII\s+refused 400\n/);
    expect(stdout).toMatch(/\nEvery delivery that was tampered with was refused, every correct one acknowledged\n/);
  });

  test("an app that hashes text: the results with non-ASCII and with ASCII letters", async () => {
    const digestOf = (body: string) => createHmac("sha256", "app-sim-app-secret").update(body).digest("hex");
    const signsAscii = (call: AppCall) =>
      call.send("", {
        status: call.header("x-platform-signature") === digestOf(call.body.toString("ascii")) ? 204 : 401,
      });
    const { code, stdout } = await webhook(signsAscii, "--tamper", "all");
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ \w{8} {2}1 event {2}refused 401 .* {2}non-ASCII, in ASCII\s+acknowledged 204\n/);
  });

  test("an app that does not: exit 1, with reason, hint and seed", async () => {
    const { code, stdout } = await webhook(acknowledges, "--tamper", "secret", "--seed", "7");
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ \w{8} .* acknowledged 204 .* another secret\n/);
    expect(stdout).toMatch(/\nFailed: the app acknowledged a delivery signed with another secret: it does not check/);
    expect(stdout).toMatch(/\nhint: app-sim webhook --explain .*\nseed 7: --seed 7 repeats this run\n/);
  });

  test("an app that refuses everything: inconclusive, exit 1", async () => {
    const refuses = (call: AppCall) => call.send("", { status: 403 });
    const { code, result } = await webhookJson(refuses, "--tamper", "body", "header");
    expect([code, result.outcome]).toEqual([1, "inconclusive"]);
    expect(result.deliveries.map(({ tampered }) => tampered)).toEqual([null, "body", "header", null, null]);
  });
});

describe("by chance", () => {
  test("the same seed sends the same, byte for byte, and its number is in the result", async () => {
    const args = ["--count", "30", "--batch", "4", "--duplicate", "1", "--shuffle", "--drop", "20%", "--seed", "11"];
    const sent = async () => {
      const before = app.calls.length;
      const { result } = await webhookJson(acknowledges, ...args);
      const bodies = app.calls.slice(before).map(({ body }) => body.toString());
      return { seed: result.seed, dropped: result.summary.dropped, bodies };
    };
    const first = await sent();
    expect(first).toMatchObject({ seed: 11, bodies: expect.arrayContaining([expect.any(String)]) });
    expect(first.dropped).toBeGreaterThan(0);
    expect(await sent()).toEqual(first);
  });

  test("without --seed every run has a random seed, which is shown if something fails", async () => {
    const fails = (call: AppCall) => call.send("", { status: 500 });
    const seeds = await Promise.all(
      [1, 2].map(async () => (await webhook(fails, "--shuffle")).stdout.match(/--seed (\d+)/)?.[1]),
    );
    expect(new Set(seeds).size).toBe(2);
    expect(seeds).not.toContain(undefined);
    expect((await webhook(fails)).stdout).not.toContain("--seed");
  });
});

test("several deliveries: one line each, each reason once, and a summary", async () => {
  const limits = (call: AppCall) => call.send("", { status: 429, headers: { "retry-after": "30" } });
  const { code, stdout } = await webhook(limits, "--count", "3", "--batch", "1");
  expect(code).toBe(1);
  expect(stdout.match(/ {2}✗ \w{8} {2}1 event {2}refused 429 /g)).toHaveLength(3);
  expect(stdout.match(/ {6}the app answered 429\n {6}Retry-After: 30\n {6}hint: /g)).toHaveLength(1);
  expect(stdout).toMatch(/\n3 events in 3 deliveries to 1 webhook module, at most 1 event and \d+ bytes each\n/);
  expect(stdout).toMatch(/\n3 refused; 3 attempts\nanswered within [\d.]+ ms\n/);
});

test("a refusal shows how the delivery was signed, but not the whole signature", async () => {
  const { stdout } = await webhook((call) => call.send("", { status: 401 }));
  const sent = app.calls.at(-1)?.header("x-platform-signature") ?? "";
  expect(stdout).toMatch(/\nsigned: the \d+ bytes of the body\nkey: apps\[0\]\.appSecret, .* PLATFORM_APP_SECRET\n/);
  expect(stdout).toContain(`X-Platform-Signature: ${sent.slice(0, 12)}…`);
  expect(stdout).not.toContain(sent);
});

test("--explain without an event explains how any delivery is signed, without a running app", async () => {
  const { code, stdout } = await runLine(["webhook", "--explain", "--app", "http://127.0.0.1:9", "--format", "json"]);
  expect(code).toBe(0);
  const { verifiers, digest, signed } = signatureResultSchema.parse(onlyObject(stdout));
  expect(verifiers).toHaveLength(7);
  const bytes = Buffer.from(signed.base64, "base64");
  expect(digest).toBe(createHmac("sha256", "app-sim-app-secret").update(bytes).digest("hex"));
});

test("Ctrl-C: the deliveries so far are shown, and that the run is incomplete", async () => {
  let calls = 0;
  app.answer((call) => (calls++ === 0 ? acknowledges(call) : call.hang()));
  await using cli = startLine(["webhook", "project.translated", "--count", "5", "--batch", "1", "--app", app.url]);
  await cli.printed(/in progress|waiting/);
  cli.signal("SIGINT");
  const { stdout } = await cli.done;
  expect(stdout).toMatch(/✓ \w{8} {2}1 event {2}acknowledged 204 .*\n {2}✗ \w{8} {2}1 event {2}interrupted /);
  expect(stdout).toMatch(/\nInterrupted before the end\n$/);
  expect(calls).toBe(2);
});

describe("wrong usage: exit 2, what is allowed, and nothing is sent", () => {
  test.each([
    [["--delay", "2"], "a duration such as 200ms"],
    [["--delay", "1s..2s..3s"], "two: 0ms..2s"],
    [["--delay", "2s..1s"], "put the shorter one first"],
    [["--drop", "2"], "a share such as 0.1 or 10%"],
    [["--drop", "25"], "Did you mean 25%?"],
    [["--drop", "101%"], "a share such as 0.1 or 10%"],
    [["--tamper", "everything"], "body, signature, secret, header, all; put events before --tamper"],
    [["--duplicate", "0"], "a whole number from 1"],
    [["--duplicate", "101"], "100"],
    [["--seed", "-1"], "from 0 to 2147483647"],
    [["--batch", "0"], "a whole number from 1"],
    [["--tamper", "body", "--drop", "10%"], "cannot be combined"],
  ])("%j", async (args, says) => {
    const before = app.calls.length;
    const { code, stdout, stderr } = await webhook(acknowledges, ...args);
    expect([code, stdout, app.calls.length]).toEqual([2, "", before]);
    expect(stderr).toContain(says);
  });
});
