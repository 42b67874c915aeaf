import dns from "node:dns";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startSimulator } from "../../src/index.ts";
import { noChanges } from "../../src/post-import/run/imported-job.ts";
import { type AppCall, type FakeApp, startFakeApp } from "../rig/fake-app.ts";
import { exchangesOf } from "../rig/simulation.ts";
import { job, sound } from "./hostile-answer.ts";
import { expectEnd, hostileAnswersIn, hostileApp, manifest } from "./hostile-import.ts";

// The files that an answer names (interface 2.4): what their servers do wrong, and where they may be at all.

const fields = ["stringsUrl", "previewUrl"] as const;
type Field = (typeof fields)[number];

describe.each(fields)("a file at %s that", (field) => {
  it.each(hostileAnswersIn(field))("$name", (hostile) => expectEnd(hostile, field));
});

/** Imports into an app that names this URL, the other parts of its answer being in order. */
async function importNaming(app: FakeApp, field: Field, url: string, fileOrigins: readonly string[] = []) {
  const { strings } = JSON.parse(sound.answer).data;
  app.answer((call) => {
    if (call.path === "/import") call.reply({ data: { ...(field === "previewUrl" && { strings }), [field]: url } });
    else call.send(sound[field]);
  });
  await using sim = await startSimulator({ app: { url: app.url, fileOrigins: [...fileOrigins] } });
  const { jobs } = await sim.postImport({ name: "job", job });
  const files = exchangesOf(sim, "import-file");
  return { jobs, files, outcomes: files.map(({ outcome }) => outcome.kind), platform: sim.url };
}

/** An import that failed by one finding, and of which nothing is applied. */
const failedBy = (check: string, field: Field, message: RegExp) => [
  {
    outcome: "failed",
    failure: expect.any(String),
    error: expect.stringMatching(message),
    changes: noChanges,
    preview: null,
    findings: [{ check, result: "fail", path: `data.${field}`, message: expect.stringMatching(message) }],
  },
];

describe("the hint for a file, if it differs from the one for an answer", () => {
  it.each([
    ["stringsUrl", "too large", 'allow more with choices: { "postImport.fetch.size": "BYTES" }'],
    ["previewUrl", "too large", "a preview may be as large as an answer"],
    ["stringsUrl", "gone", "was the file deleted too early, or is the path misspelt?"],
    ["previewUrl", "gone", "was the file deleted too early, or is the path misspelt?"],
  ] as const)("%s is %s", async (field, what, hint) => {
    await using app = await startFakeApp({ manifest });
    const plays = {
      "too large": (call: AppCall) => call.send(Buffer.alloc(5_242_881)),
      gone: (call: AppCall) => call.send("", { status: 404 }),
    };
    app.answer(hostileApp(app.url, field, plays[what]));
    await using sim = await startSimulator({
      app: { url: app.url },
      choices: { "postImport.fetch.size": 5_242_880 },
    });
    const { jobs } = await sim.postImport({ name: "job", job });
    expect(jobs).toMatchObject([{ outcome: "failed", hint }]);
  });
});

/** One address in the ways in which it can be written, and others that no file belongs at. */
const forbidden = [
  "http://169.254.169.254/latest/meta-data/",
  "http://2852039166/",
  "http://0xa9fea9fe/",
  "http://0xA9.0xFE.0xA9.0xFE/",
  "http://0251.0376.0251.0376/",
  "http://169.254.43518/",
  "http://169.16689662/",
  "http://169.254.169.254./",
  "http://169。254。169。254/",
  "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/",
  "http://%31%36%39.254.169.254/",
  "http://169.254.169.254:80/",
  "https://169.254.169.254/",
  "http://[::ffff:169.254.169.254]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
  "http://[::169.254.169.254]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[2002:a9fe:a9fe::1]/",
  "http://[fd00:ec2::254]/",
  "http://[fe80::1]/",
  "http://100.100.100.200/",
  "http://0.0.0.0/",
  "http://[::]/",
  "http://255.255.255.255/",
  "http://224.0.0.1/",
];

describe.each(fields)("S21: %s", (field) => {
  it("names an address that is never fetched, in any spelling, even if its origin is allowed", async () => {
    await using app = await startFakeApp({ manifest });
    const origins = new Set(forbidden.map((url) => new URL(url).origin));
    for (const url of forbidden) {
      const { jobs, outcomes } = await importNaming(app, field, url, [...origins]);
      expect.soft(jobs, url).toMatchObject(failedBy("import.file.address", field, /is not fetched: \S+ is an? /));
      expect.soft(outcomes, url).toEqual([]);
    }
    expect(app.calls.every(({ path }) => path === "/import")).toBe(true);
  });

  it.each([
    ["file:///etc/passwd", /begins with file:, which app-sim never fetches/],
    ["ftp://127.0.0.1/strings", /begins with ftp:, which app-sim never fetches/],
    ["data:text/html,x", /begins with data:, which app-sim never fetches/],
    ["blob:http://127.0.0.1/x", /begins with blob:, which app-sim never fetches/],
    ["javascript:alert(1)", /begins with javascript:, which app-sim never fetches/],
    ["/strings.ndjson", /is not an absolute URL/],
    ["//127.0.0.1/strings", /is not an absolute URL/],
    ["http://", /is not an absolute URL/],
    ["http:169.254.169.254", /is not an absolute URL/],
    ["http:\\\\169.254.169.254\\", /is not an absolute URL/],
    ["http://127.0.0.1:99999/", /is not an absolute URL/],
    ["", /is not an absolute URL/],
  ])("is %s", async (url, message) => {
    await using app = await startFakeApp({ manifest });
    const { jobs, outcomes } = await importNaming(app, field, url);
    expect(jobs).toMatchObject(failedBy("import.file.address", field, message));
    expect(outcomes).toEqual([]);
  });

  it.each([
    ["holds credentials", (own: URL) => `http://user:pass@${own.host}/file`, /contains a user name or a password/],
    ["holds a user name", (own: URL) => `http://user@${own.host}/file`, /contains a user name or a password/],
    ["names another port", (own: URL) => `http://${own.hostname}:1/file`, /has the origin http:\/\/127\.0\.0\.1:1,/],
    ["names another scheme", (own: URL) => `https://${own.host}/file`, /begins with https:\/\/\S+, but the app's own/],
    ["names another host", (own: URL) => `http://localhost:${own.port}/file`, /has the origin http:\/\/localhost:/],
    ["begins like the app", (own: URL) => `${own.origin}.invalid/file`, /is not an absolute URL|has the origin/],
    ["hides another host", (own: URL) => `${own.origin}@127.0.0.1:1/file`, /contains a user name or a password/],
  ])("%s", async (_name, url, message) => {
    await using app = await startFakeApp({ manifest });
    const { jobs, outcomes } = await importNaming(app, field, url(new URL(app.url)));
    expect(jobs).toMatchObject(failedBy("import.file.address", field, message));
    expect(outcomes).toEqual([]);
    expect(app.calls).toHaveLength(1);
  });

  it("names the platform itself", async () => {
    await using app = await startFakeApp({ manifest });
    await using sim = await startSimulator({ app: { url: app.url } });
    app.answer((call) => {
      const { stringsUrl } = call.json() as { stringsUrl: string };
      const { strings } = JSON.parse(sound.answer).data;
      call.reply({ data: field === "stringsUrl" ? { stringsUrl } : { strings, previewUrl: `${sim.url}/login` } });
    });
    const { jobs } = await sim.postImport([{ name: "job", job }], { via: "url" });
    expect(jobs).toMatchObject(failedBy("import.file.address", field, /has the origin http/));
    expect(exchangesOf(sim, "file")).toEqual([]);
  });

  it("names an origin that is allowed, and is fetched without credentials", async () => {
    await using app = await startFakeApp({ manifest });
    await using storage = await startFakeApp();
    storage.answer((call) => call.send(sound[field]));
    const { jobs, outcomes } = await importNaming(app, field, `${storage.url}/file?signature=1`, [storage.url]);
    expect(jobs).toMatchObject([{ outcome: "imported", findings: [] }]);
    expect(outcomes).toEqual(["answered"]);
    expect(storage.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /file?signature=1"]);
    const names = storage.calls[0]?.headers.map(([name]) => name.toLowerCase());
    expect(names).toEqual(expect.not.arrayContaining(["authorization", "cookie", "proxy-authorization"]));
  });

  it.each([301, 302, 303, 307, 308])("S18: names an allowed origin that answers %d to a canary", async (status) => {
    await using app = await startFakeApp({ manifest });
    await using storage = await startFakeApp();
    await using canary = await startFakeApp();
    canary.answer((call) => call.send(sound[field]));
    storage.answer((call) => call.send(sound[field], { status, headers: { location: `${canary.url}/file` } }));
    const allowed = [storage.url, canary.url];
    const { jobs, outcomes } = await importNaming(app, field, `${storage.url}/file`, allowed);
    const message = new RegExp(`it redirects \\(${status} to ${canary.url}/file\\), which app-sim does not follow$`);
    expect(jobs).toMatchObject(failedBy("import.file.fetched", field, message));
    expect(outcomes).toEqual(["answered"]);
    expect([storage.calls.length, canary.calls.length]).toEqual([1, 0]);
  });
});

describe("S21: a name that leads to another address", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** From now on files.invalid leads to the first address, and each time it is asked for to the next. */
  function resolveTo(...addresses: string[]): void {
    const { lookup } = dns;
    const resolve = (name: string, ...rest: unknown[]) => {
      if (name !== "files.invalid") return lookup(name, ...(rest as [never, never]));
      (rest.at(-1) as (error: null, found: unknown) => void)(null, [{ address: addresses.shift(), family: 4 }]);
    };
    vi.spyOn(dns, "lookup").mockImplementation(resolve as never);
  }

  it.each(fields)("at %s is not called", async (field) => {
    await using app = await startFakeApp({ manifest });
    resolveTo("169.254.169.254");
    const { jobs, files } = await importNaming(app, field, "http://files.invalid/file", ["http://files.invalid"]);
    const message = /files\.invalid: 169\.254\.169\.254 is an address where clouds keep their credentials$/;
    expect(jobs).toMatchObject(failedBy("import.file.fetched", field, message));
    expect(files).toMatchObject([{ outcome: { kind: "unreachable", code: "FORBIDDEN_ADDRESS" }, response: null }]);
  });

  it("is not called after it was rebound, although it was called a moment before", async () => {
    await using app = await startFakeApp({ manifest });
    const origin = `http://files.invalid:${app.port}`;
    app.answer((call) => {
      if (call.path !== "/import") return call.send(sound.stringsUrl);
      call.reply({ data: { stringsUrl: `${origin}/stringsUrl`, previewUrl: `${origin}/previewUrl` } });
    });
    resolveTo("127.0.0.1", "169.254.169.254");
    await using sim = await startSimulator({ app: { url: app.url, fileOrigins: [origin] } });
    const { jobs } = await sim.postImport({ name: "job", job });
    const message = /files\.invalid: 169\.254\.169\.254 is an address where clouds/;
    expect(jobs).toMatchObject(failedBy("import.file.fetched", "previewUrl", message));
    expect(exchangesOf(sim, "import-file").map(({ outcome }) => outcome.kind)).toEqual(["answered", "unreachable"]);
    expect(app.calls.map(({ path }) => path)).toEqual(["/import", "/stringsUrl"]);
  });
});
