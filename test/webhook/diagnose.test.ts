import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { startSimulator, type WebhookOptions } from "../../src/index.ts";
import { type AppCall, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { startLineInTerminal } from "../rig/line-terminal.ts";
import { startSimulation, usageErrorOf } from "../rig/simulation.ts";

const secrets = { appSecret: "the-app-secret-of-this-app", clientSecret: "the-client-secret-of-it", clientId: "app-1" };

interface Mistake {
  readonly header?: string;
  readonly prefix?: string;
  readonly hash?: string;
  readonly key?: string | Buffer;
  readonly encoding?: "hex" | "base64";
  readonly content?: (body: string) => string;
  readonly written?: (digest: string) => string;
}

/** An app that verifies signatures, with one mistake. */
function verifiesWith({ header = "X-Platform-Signature", prefix = "", hash = "sha256", ...mistake }: Mistake) {
  const { key = secrets.appSecret, encoding = "hex", content = (body: string) => body } = mistake;
  const { written = (digest: string) => digest } = mistake;
  return (call: AppCall) => {
    const digest = createHmac(hash, key).update(content(call.body.toString())).digest(encoding);
    call.send("", { status: call.header(header) === prefix + written(digest) ? 204 : 401 });
  };
}

const serves = manifestOf({ webhooks: [webhookEntry("events")] });

async function diagnosed(answer: (call: AppCall) => void, options: WebhookOptions = {}) {
  await using app = await startFakeApp({ manifest: serves });
  app.answer(answer);
  await using sim = await startSimulator({ app: { ...secrets, url: app.url } });
  const result = await sim.webhook("project.translated", { diagnose: true, ...options });
  return { result, calls: app.calls };
}

const pythonDumps = (body: string) => body.replaceAll('":', '": ').replaceAll(",", ", ");

describe("if there is nothing to diagnose", () => {
  it("an app that breaks: says so, because silence would look like a diagnosis without a result", async () => {
    const { result } = await diagnosed((call) => call.send("", { status: 500 }));
    expect(result.diagnosis).toEqual([]);
    expect(result.warnings).toEqual([expect.stringMatching(/^nothing was diagnosed: .*400, 401 or 403/)]);
  });

  it.each([
    ["an app that takes all", (call: AppCall) => call.send("", { status: 204 })],
    ["an app that refuses all", (call: AppCall) => call.send("", { status: 401 })],
  ])("%s: says nothing", async (_, answer) => {
    expect((await diagnosed(answer)).result.warnings).toEqual([]);
  });
});

describe("the likely cause of an app that refuses every delivery", () => {
  it.each<[string, Mistake, string]>([
    ["another secret", { key: secrets.clientSecret }, "signed with the client secret"],
    ["no secret", { key: "" }, "signed with an empty secret, as if a variable were not set"],
    ["a template", { key: "undefined" }, "signed with the text undefined, as if a variable were not set"],
    [
      "a file of Windows",
      { key: `${secrets.appSecret}\r\n` },
      "signed with the right secret followed by a Windows line ending (\\r\\n)",
    ],
    ["a blank", { key: ` ${secrets.appSecret}` }, "signed with the right secret preceded by a space"],
    ["the default", { key: "app-sim-app-secret" }, "signed with app-sim's default secret"],
    ["quotes", { key: `"${secrets.appSecret}"` }, "signed with the right secret in double quotes"],
    [
      "a secret's file",
      { key: `${secrets.appSecret}\n` },
      "signed with the right secret followed by a line feed (\\n)",
    ],
    [
      "a decoded secret",
      { key: Buffer.from(secrets.appSecret, "base64") },
      "signed with the right secret decoded from base64",
    ],
    ["a bare header", { header: "X-Hub-Signature-256" }, "with the bare signature in X-Hub-Signature-256"],
    ["base64", { encoding: "base64" }, "signed with the choice webhook.signature.encoding=base64"],
    ["a prefix", { prefix: "sha256=" }, "signed with the choice webhook.signature.prefix=sha256="],
    ["a header", { header: "X-Hub-Signature-256", prefix: "sha256=" }, "with the signature in X-Hub-Signature-256"],
    ["upper case", { written: (digest) => digest.toUpperCase() }, "with the signature in upper-case hex"],
    ["SHA-1", { hash: "sha1" }, "signed with HMAC-SHA-1"],
    ["a line", { content: (body) => `${body}\n` }, "with a signature over the body followed by a line feed (\\n)"],
    ["Python", { content: pythonDumps }, "with a signature over the body as Python's json.dumps writes it"],
    [
      "an object",
      { content: () => "[object Object]" },
      "with a signature over the text [object Object], which a parsed body becomes in JavaScript",
    ],
    ["nothing", { content: () => "" }, "with a signature over no bytes at all, as if the body had already been read"],
  ])("%s", async (_, mistake, cause) => {
    const { result, calls } = await diagnosed(verifiesWith(mistake));
    expect(result.outcome).toBe("failed");
    expect(result.diagnosis).toMatchObject([{ module: "events", cause, hint: expect.stringMatching(/./) }]);
    // Each was refused but the last, so the app has the events once.
    expect(result.diagnosis[0]?.tried.map(({ accepted }) => accepted).filter(Boolean)).toHaveLength(1);
    expect(calls).toHaveLength(1 + (result.diagnosis[0]?.tried.length ?? 0));
    expect(new Set(calls.map(({ body }) => body.toString())).size).toBe(1);
  });

  it.each<[cause: string, digestOf: (secret: string, body: Buffer) => Hmac | Hash]>([
    ["an HMAC of the secret, whose key is the body", (secret, body) => createHmac("sha256", body).update(secret)],
    ["a plain SHA-256 of the secret and the body", (secret, body) => createHash("sha256").update(secret).update(body)],
    ["a plain SHA-256 of the body and the secret", (secret, body) => createHash("sha256").update(body).update(secret)],
    ["a plain SHA-256 of the body, without the secret", (_, body) => createHash("sha256").update(body)],
  ])("is %s", async (cause, digestOf) => {
    const { result } = await diagnosed((call) => {
      const digest = digestOf(secrets.appSecret, call.body).digest("hex");
      call.send("", { status: call.header("x-platform-signature") === digest ? 204 : 401 });
    });
    expect(result.diagnosis).toMatchObject([
      { cause: `signed with ${cause}`, hint: expect.stringMatching(/^use HMAC-SHA256, keyed with the secret/) },
    ]);
  });

  it("may be an empty secret, if decoding as hex leaves nothing of the right one", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer(verifiesWith({ key: "" }));
    await using sim = await startSimulator({ app: { url: app.url, appSecret: "sign-in-text" } });
    const { diagnosis } = await sim.webhook("project.translated", { diagnose: true });
    expect(diagnosis[0]?.hint).toMatch(/; the secret is text: decoding it from hex leaves nothing$/);
  });

  it("may be several events in a body: only the first is tried, correctly signed", async () => {
    const single = (call: AppCall) => {
      const { events } = call.json() as { readonly events: readonly unknown[] };
      call.send("", { status: events.length === 1 ? 204 : 400 });
    };
    const { result, calls } = await diagnosed(single, { count: 3 });
    expect(result.deliveries[0]?.attempts[0]?.hint).toMatch(/^this body has 3 events: .*batch: 1 /);
    expect(result.diagnosis).toMatchObject([
      {
        cause: "of its first event alone, correctly signed",
        hint: expect.stringContaining("every element"),
        tried: [{}],
      },
    ]);
    const digest = createHmac("sha256", secrets.appSecret)
      .update(calls.at(-1)?.body ?? "")
      .digest("hex");
    expect(calls.at(-1)?.header("x-platform-signature")).toBe(digest);
  });

  it("is not several events if the app refuses one by its name", async () => {
    const others = (call: AppCall) => {
      const { events } = call.json() as { readonly events: readonly { readonly event: string }[] };
      call.send("", { status: events.some(({ event }) => event === "project.translated") ? 400 : 204 });
    };
    await using run = await startSimulation({ serves, answer: others });
    const { diagnosis } = await run.sim.webhook(["project.translated", "project.approved"], { diagnose: true });
    expect(diagnosis).toMatchObject([
      {
        cause: "of project.approved alone, correctly signed",
        hint: "it refuses project.translated even alone: acknowledge each event that the manifest names, or remove it from the manifest",
        tried: [{ accepted: false }, { accepted: true }],
      },
    ]);
  });

  it("is reported immediately if the app accepts unsigned deliveries", async () => {
    const unsigned = (call: AppCall) =>
      call.send("", { status: call.header("x-platform-signature") === undefined ? 204 : 403 });
    expect((await diagnosed(unsigned)).result.diagnosis).toMatchObject([
      { cause: "without a signature", tried: [{ accepted: true }] },
    ]);
  });

  it("is a different one if nothing is accepted", async () => {
    const { result } = await diagnosed((call) => call.send("", { status: 401 }));
    expect(result.diagnosis).toMatchObject([{ cause: null, hint: null }]);
    expect(result.diagnosis[0]?.tried.length).toBeGreaterThan(20);
  });

  it("is not searched if an app accepts something, or fails in another way", async () => {
    let first = true;
    const once = (call: AppCall) => {
      call.send("", { status: first ? 204 : 401 });
      first = false;
    };
    expect((await diagnosed(once, { count: 2, batch: 1 })).result.diagnosis).toEqual([]);
    const crashes = await diagnosed((call) => call.send("", { status: 500 }));
    expect([crashes.result.diagnosis, crashes.calls.length]).toEqual([[], 1]);
  });
});

it("S29: is not tried on an app at a public address", async () => {
  await using run = await startSimulation({ serves, app: { url: "http://203.0.113.5:1" } });
  expect(await usageErrorOf(run.sim.webhook("project.translated", { diagnose: true }))).toMatchObject({
    code: "verify-target",
  });
});

it("is offered by the command, which says what was sent and found", async () => {
  const answer = verifiesWith({ key: "another-secret-of-the-app" });
  await using run = await startSimulation({ serves, answer });
  const line = ["webhook", "project.translated", "--app", run.app.url];
  const plain = await runLine(line);
  expect(plain.stdout).toContain("--diagnose finds out what the app would accept");
  const none = await runLine([...line, "--diagnose"]);
  expect([none.code, none.stdout]).toEqual([
    1,
    expect.stringMatching(
      /\nNone was accepted:\n {2}the app's secret differs from app-sim's .*\n[\s\S]*\nTried:\n {2}without a signature\n {2}signed with the client secret\n/,
    ),
  ]);
  run.app.answer(verifiesWith({ encoding: "base64", key: "app-sim-app-secret" }));
  const found = await runLine([...line, "--diagnose"]);
  expect(found.stdout).toMatch(/\nDiagnosis of webhook events: \d+ deliveries sent, each signed differently\n/);
  expect(found.stdout).toMatch(
    /\nThe app accepts a delivery signed with the choice webhook.signature.encoding=base64 \(exchange \w+\)\n/,
  );
  expect(found.stdout).toMatch(/\nhint: let it verify HMAC-SHA256 of the body in lower-case hex, as sent here; or,/);
  expect(found.stdout).toContain("--choose webhook.signature.encoding=base64");
});

describe("in a terminal, if every delivery is refused,", () => {
  const answer = verifiesWith({ encoding: "base64", key: "app-sim-app-secret" });
  const QUESTION = /acknowledges\s+one\s+\(--diagnose\)\?\n\[y\]es, \[N\]o: *$/m;

  it("the diagnosis is offered, and done if the person agrees; the exit code stays the same", async () => {
    await using run = await startSimulation({ serves, answer });
    const line = ["webhook", "project.translated", "--count", "3", "--batch", "1", "--app", run.app.url];
    await using terminal = startLineInTerminal(line, { cols: 200, rows: 60 });
    await terminal.shows(QUESTION);
    const before = run.app.calls.length;
    terminal.type("y\n");
    expect((await terminal.ended).code).toBe(1);
    const found = /The app accepts a delivery signed with the choice webhook\.signature\.encoding=base64/;
    expect(terminal.screen().join("\n")).toMatch(found);
    const sent = run.app.calls.slice(before).map((call) => (call.json() as { events: unknown[] }).events.length);
    expect(new Set(sent)).toEqual(new Set([1]));
  });

  it("an app that accepts only one event at a time gets that hint", async () => {
    const single = (call: AppCall) =>
      call.send("", { status: (call.json() as { events: unknown[] }).events.length === 1 ? 204 : 400 });
    await using run = await startSimulation({ serves, answer: single });
    const line = ["webhook", "project.translated", "--count", "3", "--app", run.app.url];
    await using terminal = startLineInTerminal(line, { cols: 200, rows: 60 });
    await terminal.shows(QUESTION);
    terminal.type("y\n");
    await terminal.ended;
    expect(terminal.screen().join("\n")).toMatch(/A delivery with fewer events was acknowledged: does the app handle/);
  });

  it.each(["n", "", "what"])("nothing more is sent after %j", async (said) => {
    await using run = await startSimulation({ serves, answer });
    await using terminal = startLineInTerminal(["webhook", "project.translated", "--app", run.app.url], { cols: 80 });
    await terminal.shows(QUESTION);
    const before = run.app.calls.length;
    terminal.type(`${said}\n`);
    expect([(await terminal.ended).code, run.app.calls.length]).toEqual([1, before]);
  });

  it("the diagnosis is not offered in CI, as JSON, with --diagnose, or if something was acknowledged", async () => {
    await using run = await startSimulation({ serves, answer });
    const line = ["webhook", "project.translated", "--app", run.app.url];
    const ended = async (args: readonly string[], env = {}) => {
      await using terminal = startLineInTerminal([...line, ...args], { cols: 200, rows: 90, env });
      await terminal.ended;
      return terminal.screen().join("\n");
    };
    expect(await ended([], { CI: "true" })).not.toMatch(QUESTION);
    expect(await ended(["--format", "json"])).not.toMatch(QUESTION);
    expect(await ended(["--diagnose"])).not.toMatch(QUESTION);
    expect(await ended(["--choose", "webhook.signature.encoding=base64"])).not.toMatch(QUESTION);
  });
});
