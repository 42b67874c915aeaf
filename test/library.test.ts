import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import {
  type JournalRecord,
  type RunningSimulator,
  type SimulatorOptions,
  startSimulator,
  UsageError,
} from "../src/index.ts";
import { journalPath } from "../src/journal/journal-file.ts";
import { parseJournal } from "../src/journal/journal-lines.ts";
import { evidenceOfResult } from "../src/platform/result-evidence.ts";
import { type RunningPlatform, startPlatform } from "../src/start-platform.ts";
import {
  guardEntry,
  importEntry,
  manifestOf,
  startFakeApp,
  startSilentPort,
  unusedPort,
  webhookEntry,
} from "./rig/fake-app.ts";
import { always, exchangesOf, jobWith, startSimulation, usageErrorOf } from "./rig/simulation.ts";
import { makeTempDir } from "./rig/temp-dir.ts";

const serves = manifestOf({
  guards: [guardEntry("office")],
  imports: [importEntry("tidy")],
  webhooks: [webhookEntry("events")],
});
const passes = always({ success: true });

/** What a connection to the address ends with: null when it is accepted. */
function connectionError(url: string): Promise<string | null> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise((done) => {
    socket.once("connect", () => done(null)).once("error", (error: NodeJS.ErrnoException) => done(error.code ?? ""));
  }).finally(() => socket.destroy()) as Promise<string | null>;
}

describe("a simulator", () => {
  it("can be one of many in a process at the same time, each with its own app and journal", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const runs = await Promise.all(
      names.map((name) =>
        startSimulation({
          serves: manifestOf({ guards: [guardEntry(name)] }),
          answer: always({ success: false, message: `denied by ${name}` }),
          organization: { domain: name },
        }),
      ),
    );
    const results = await Promise.all(runs.map(({ sim }) => sim.guard()));
    expect(results.map(({ reason }) => reason)).toEqual(names.map((name) => `denied by ${name}`));
    expect(new Set(runs.map(({ sim }) => sim.url)).size).toBe(names.length);
    for (const [index, { sim, app }] of runs.entries()) {
      expect(app.calls).toHaveLength(1);
      expect(exchangesOf(sim, "guard").map(({ module }) => module)).toEqual([names[index]]);
    }
    await Promise.all(runs.map((run) => run[Symbol.asyncDispose]()));
  });

  it("does several things at the same time", async () => {
    await using run = await startSimulation({ serves, answer: always({ success: true, data: { strings: [] } }) });
    const [login, imported, delivered] = await Promise.all([
      run.sim.guard(),
      run.sim.postImport({ name: "job", job: jobWith([]) }),
      run.sim.webhook("project.approved"),
    ]);
    expect([login.outcome, imported.jobs[0]?.outcome, delivered.outcome]).toEqual([
      "granted",
      "imported",
      "acknowledged",
    ]);
  });

  it("leaves nothing listening when it is closed, even repeatedly, and with an open connection", async () => {
    const sim = await startPlatform();
    expect((await fetch(sim.url)).status).toBe(200);
    await sim.close();
    expect(await connectionError(sim.url)).toBe("ECONNREFUSED");
    await sim.close();
  });

  it("is closed at the end of its scope", async () => {
    let url: string;
    {
      await using sim = await startPlatform();
      url = sim.url;
      expect(await connectionError(url)).toBeNull();
    }
    expect(await connectionError(url)).toBe("ECONNREFUSED");
  });

  it("opens no port with listen: false", async () => {
    const port = await unusedPort();
    await using run = await startSimulation({ serves, answer: passes, listen: false, port });
    expect((await run.sim.guard()).outcome).toBe("granted");
    expect(await connectionError(`http://127.0.0.1:${port}`)).toBe("ECONNREFUSED");
  });

  it("S2: answers only under its own names", async () => {
    await using sim = await startPlatform();
    const { port } = new URL(sim.url);
    expect((await fetch(`http://localhost:${port}/`)).status).toBe(200);
    const evil = await raw(Number(port), "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    expect(evil).toMatch(/^HTTP\/1\.1 403 /);
  });
});

/** The whole answer to these bytes. */
function raw(port: number, request: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port }).setEncoding("latin1");
  socket.write(request);
  let answer = "";
  socket.on("data", (chunk: string) => {
    answer += chunk;
  });
  return new Promise((done) => socket.once("close", () => done(answer)));
}

describe("a wrong option is the user's mistake", () => {
  it.each<[string, object, string]>([
    ["app.ulr", { app: { ulr: "http://localhost" } }, 'Did you mean "url"?'],
    ["app.url", { app: { url: "localhost:3000" } }, "expected an http:// or https:// URL"],
    ["apps", { apps: [] }, "at least 1"],
    ["login.ipAddress", { login: { ipAddress: "home" } }, "IPv4 or IPv6"],
    ["login.user", { login: { user: "guest" } }, '"member"'],
    ["port", { port: 70_000 }, "at most 65535"],
    ["organization.edition", { organization: { edition: "enterprize" } }, 'Did you mean "enterprise"?'],
    ["projects[0].targetLanguages[0]", { projects: [{ targetLanguages: ["xx"] }] }, "not a known language id"],
    ["choices.guard.jwt.algoritm", { choices: { "guard.jwt.algoritm": "HS512" } }, "guard.jwt.algorithm"],
    ["aps", { aps: [] }, 'Did you mean "app'],
  ])("%s", async (path, options, message) => {
    const error = await usageErrorOf(startPlatform(options as SimulatorOptions));
    expect(error.problems).toContainEqual({ path, message: expect.stringContaining(message) });
  });

  it("such as an invalid value of a choice", async () => {
    const choices = { "guard.jwt.algorithm": "HS265" as "HS256" };
    const error = await usageErrorOf(startPlatform({ choices }));
    expect(error).toMatchObject({ code: "choice-invalid", message: expect.stringContaining('Did you mean "HS256"?') });
  });

  it("such as a port that is taken", async () => {
    await using other = await startSilentPort();
    const error = await usageErrorOf(startPlatform({ port: other.port }));
    expect(error).toMatchObject({ code: "port-taken", message: `port ${other.port} of 127.0.0.1 is taken` });
    const inLibrary = await usageErrorOf(startSimulator({ port: other.port }));
    expect([inLibrary.message, inLibrary.hint]).toEqual([
      `${error.message}${process.platform === "linux" ? " by this process" : ""}\nhint: ${inLibrary.hint}`,
      expect.stringContaining("without the option port"),
    ]);
    expect(inLibrary.hint).not.toContain("--");
  });

  it("also of an action", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const { sim } = run;
    const codeOf = async (action: Promise<unknown>) => (await usageErrorOf(action)).code;
    const job = { ...jobWith([]), file: {} as never };
    const error = await usageErrorOf(sim.postImport({ name: "my job", job }));
    expect(error).toMatchObject({ code: "fixture-invalid", summary: "my job is not a valid job" });
    expect(error).toBeInstanceOf(UsageError);
    expect(await codeOf(sim.postImport([5] as never))).toBe("source-invalid");
    expect(await codeOf(sim.postImport({ job } as never))).toBe("source-invalid");
    expect(await codeOf(sim.postImport(["nowhere/a.json"]))).toBe("file-unreadable");
    const options = { via: "post" } as never;
    expect((await usageErrorOf(sim.postImport({ name: "my job", job: jobWith([]) }, options))).message).toContain(
      "postImport(",
    );
    expect(run.app.calls).toEqual([]);
  });

  it.each<[what: string, act: (sim: RunningPlatform) => Promise<unknown>, path: string, says: string, hint: string]>([
    ["guard({ ip })", (sim) => sim.guard({ ip: "::1" } as object), "ip", "is not a known name", "ipAddress"],
    [
      "guard({ module })",
      (sim) => sim.guard({ module: "a" } as object),
      "module",
      'is not a known name. Did you mean "modules"?',
      "modules",
    ],
    [
      "guard({ page: { pres } })",
      (sim) => sim.guard({ page: { pres: "accept" } } as object),
      "page.pres",
      'is not a known name. Did you mean "press"?',
      "browser",
    ],
    ["a bad ipAddress", (sim) => sim.guard({ ipAddress: "300.1.1.1" }), "ipAddress", "IPv4 or IPv6", "ipAddress"],
    ["a bad user", (sim) => sim.guard({ user: "guest" as "member" }), "user", 'allowed: "owner"', "user"],
    ["guard([])", (sim) => sim.guard([] as object), "", "expected an object", "ipAddress"],
    ["count 0", (sim) => sim.webhook("project.approved", { count: 0 }), "count", "is 0", "count"],
    ["count 1.5", (sim) => sim.webhook("project.approved", { count: 1.5 }), "count", "is 1.5", "count"],
    [
      "{ sets }",
      (sim) => sim.webhook("project.approved", { sets: [] } as object),
      "sets",
      'Did you mean "set"?',
      "set",
    ],
  ])("of an action: %s names the existing options, and nothing is sent", async (_, act, path, says, hint) => {
    await using run = await startSimulation({ serves, answer: passes, listen: false });
    const error = await usageErrorOf(act(run.sim));
    expect(error.code).toBe("options-invalid");
    expect(error.problems).toEqual([{ path, message: expect.stringContaining(says) }]);
    const lists = `${error.message}; ${error.hint}`.match(
      new RegExp(`(?:options|Allowed here): [^;]*\\b${hint}\\b`, "g"),
    );
    expect(lists).toHaveLength(1);
    expect([run.app.calls, exchangesOf(run.sim, "manifest")]).toEqual([[], []]);
  });

  it.each<[code: string, act: (sim: RunningSimulator) => Promise<unknown>, says: string]>([
    ["set-syntax", (sim) => sim.webhook("project.approved", { set: ["=1"] }), "the option set =1: expected path=value"],
    ["set-syntax", (sim) => sim.webhook("project.approved", { set: ["=1"] }), 'for example set: { "project.id": 42 }'],
    ["install-off", (sim) => sim.install(), 'choices: { "install.event": "on" }, or the same'],
    [
      "baseline-invalid",
      (sim) => sim.verify({ updateBaseline: true }),
      "the option updateBaseline has no file to write",
    ],
    ["baseline-invalid", (sim) => sim.verify({ updateBaseline: true }), "add the option baseline"],
    ["start-missing", (sim) => sim.oauthLogin(), 'such as start: "/login", or set it for every command'],
  ])("of a method, with the option's own name: %s", async (code, act, says) => {
    await using app = await startFakeApp({ manifest: serves });
    await using sim = await startSimulator({ app: { url: app.url }, listen: false });
    const error = await usageErrorOf(act(sim));
    expect(error.code).toBe(code);
    expect(`${error.message} (${error.hint})`).toContain(says);
    expect(`${error.message} (${error.hint})`).not.toContain("--");
  });

  it.each<[act: (sim: RunningSimulator) => unknown, says: string]>([
    [
      (sim) => sim.guard("network" as never),
      'guard(): the options are not valid: "network" was given: expected an object, such as guard({ modules: ["network"] })',
    ],
    [
      (sim) => sim.guard({ modules: "network" } as never),
      'modules is "network": expected an array, such as ["network"]; options: ',
    ],
    [
      (sim) => sim.guard({ page: { browser: true } } as never),
      "page.browser is true: expected an object, such as {}, which may have fill, press, executable",
    ],
    [(sim) => sim.guard({ press: "accept" } as never), "it belongs elsewhere, as page: { press: … }"],
    [(sim) => sim.guard({ browser: true } as never), "it belongs elsewhere, as page: { browser: … }"],
    [(sim) => sim.guard({ tamper: true } as never), 'it belongs elsewhere, as sim.verify({ only: ["guard"] })'],
    [(sim) => sim.guard({ expect: "denied" } as never), "elsewhere, as an assertion on the outcome of the result"],
    [(sim) => sim.verify({ strict: true } as never), 'it belongs elsewhere, as failOn: "warn"'],
    [
      (sim) => sim.postImport("a.json", { strict: true } as never),
      "elsewhere, as an assertion on jobs[].findings of the result",
    ],
    [(sim) => sim.guard({ fail: "mfa" } as never), 'expected an object, such as { "mfa": … }'],
    [(sim) => sim.guard({ interactionTimeout: "5s" } as never), 'is "5s": expected a number of seconds'],
    [(sim) => sim.verify({ timeout: "5s" } as never), 'is "5s": expected a number of milliseconds'],
    [(sim) => sim.guard({ user: 104 } as never), '"outsider". Did you mean "member", the role of user 104?'],
    [(sim) => sim.guard({ timeout: 5000 } as never), 'timeout is not a known name. Did you mean "interactionTimeout"?'],
    [(sim) => sim.guard("manager" as never), 'expected an object, such as guard({ user: "manager" })'],
    [(sim) => sim.guard(["network"] as never), 'such as guard({ modules: ["network"] })'],
    [(sim) => sim.postImport("a.json", "url" as never), 'such as postImport(…, { via: "url" })'],
    [(sim) => sim.load("project.translated", "10s" as never), '"10s" was given: expected an object; options: '],
    [(sim) => sim.guard(5 as never), "5 was given: expected an object"],
    [(sim) => sim.oauthLogin("/login" as never), 'such as oauthLogin({ start: "/login" })'],
    [(sim) => sim.verify("webhook" as never), 'such as verify({ only: ["webhook"] })'],
    [
      (sim) => sim.oauthLogin({ start: "/login", redirectURI: "http://a.example/cb" } as never),
      'redirectURI is not a known name here: it belongs elsewhere, as {"app": {"redirectUris": …}} in the options of startSimulator()',
    ],
    [
      (sim) => sim.webhook({ event: "project.translated" } as never),
      'webhook(): {"event":"project.translated"} is not an event name; the names come first, then the options: webhook("project.translated", { … })',
    ],
    [
      (sim) => (sim.reset as (options: unknown) => Promise<unknown>)({ all: true }),
      'reset(): {"all":true} is one argument too many; it takes none: reset()',
    ],
    [
      (sim) => (sim.guard as (...args: readonly unknown[]) => Promise<unknown>)({}, "member"),
      'guard(): "member" is one argument too many',
    ],
    [
      () => (startSimulator as (...args: readonly unknown[]) => Promise<unknown>)({ listen: false }, { port: 1 }),
      'startSimulator(): {"port":1} is one argument too many',
    ],
    [() => startSimulator({ journal: true } as never), "journal is true: expected the path of a directory"],
    [() => startSimulator({ configFile: true } as never), "configFile is true: expected the path of a file"],
    [(sim) => (sim.journal.list as (purpose: string) => unknown)("webhook"), 'list(): "webhook" is one argument'],
    [(sim) => sim.oauth.faults.add(), "oauth.faults.add(): no fault is given"],
    [(sim) => (sim.oauth.faults.clear as (place: string) => void)("token"), '"token" is one argument too many'],
    [(sim) => sim.env(5 as never), "env(5): not the beginning of a variable's name; letters, digits and _"],
    [
      (sim) => sim.once("delivry" as never, (value) => value),
      'once(): there is no "delivry" to change. Did you mean "delivery"?; allowed: events, delivery; for example once("events", (value) => value)',
    ],
    [(sim) => sim.once("delivery", {} as never), 'once(): the change of "delivery" is {}: expected a function'],
    [
      (sim) => sim.oauth.once("tokn" as never, (value) => value),
      'oauth.once(): there is no "tokn" to change. Did you mean "token"?',
    ],
  ])("with values of a wrong kind: %#", async (act, says) => {
    await using sim = await startSimulator({ listen: false });
    const error = await usageErrorOf((async () => act(sim))());
    expect(error.message.replace("\nhint: ", "; ")).toContain(says);
  });

  it("with the hint in the message, and the place of the call first in the stack, as test runners show them", async () => {
    const show = async (act: () => unknown) => {
      const { message, hint, stack = "" } = await usageErrorOf((async () => act())());
      expect(message.split("\n").slice(-1)).toEqual([`hint: ${hint}`]);
      expect(stack.startsWith(`UsageError: ${message}\n`)).toBe(true);
      expect(stack.slice(`UsageError: ${message}\n`.length).split("\n")[0]).toContain("library.test.ts");
    };
    await show(() => startSimulator({ app: { url: "localhost:3000" } }));
    await using sim = await startSimulator({ listen: false });
    await show(() => sim.verify({ only: ["nope"] }));
    await show(() => sim.env(5 as never));
    await show(() => sim.clock.advance(-1));
    await show(() => sim.oauth.faults.add());
  });

  it("of a start, and of a selection, with the library's names", async () => {
    const wrong = await usageErrorOf(startSimulator({ app: { url: "localhost:3000" }, listen: false }));
    expect(wrong.hint).toBe("the type `SimulatorOptions` says what is allowed");
    await using sim = await startSimulator({ listen: false });
    const unknown = await usageErrorOf(sim.verify({ only: ["nope"] }));
    expect(unknown.hint).toContain("docs/checks.md");
    expect(unknown.hint).not.toMatch(/--|app-sim /);
  });

  it("also in results, which still lead to their exchanges", async () => {
    const asks = manifestOf({ guards: [{ ...guardEntry("terms"), options: { type: "redirect", url: "/terms" } }] });
    const app = await startFakeApp({ manifest: asks });
    app.answer(always({ success: false }));
    await using sim = await startSimulator({ app: { url: app.url } });
    const result = await sim.guard();
    expect(result.hint).toContain('page: { press: "BUTTON" }, such as page: { press: "accept" }');
    expect(result.hint).toContain('page: "wait"');
    expect(JSON.stringify(result)).not.toContain(" --");
    const late = await sim.guard({ page: "wait", interactionTimeout: 0.01 });
    expect(late.hint).toBe("the option interactionTimeout gives more time");
    const query = "client_id=app-sim-client-id&response_type=code&state=abcdefgh&redirect_uri=http://127.0.0.1:9/back";
    app.answer((call) => call.send("", { status: 302, headers: { location: `${sim.url}/oauth/authorize?${query}` } }));
    const unregistered = await sim.oauthLogin({ start: "/login" });
    expect(unregistered.hint).toContain('or app: { redirectUris: ["http://127.0.0.1:9/back"] }');
    expect(evidenceOfResult(result)?.journal).toBe(sim.journal);
    await app.close();
    await using other = await startSimulator({ app: { url: `http://127.0.0.1:${await unusedPort()}` } });
    const dead = await other.guard();
    expect(dead.hint).toContain("the option app.url");
  });

  it.each<[what: string, act: (sim: RunningSimulator) => Promise<unknown>, says: string]>([
    ["webhook", (sim) => sim.webhook(undefined as never), "webhook(): no event is named"],
    ["webhook", (sim) => sim.webhook([""]), "webhook(): no event is named"],
    ["load", (sim) => sim.load([]), "load(): no event is named"],
    ["postImport", (sim) => sim.postImport(undefined as never), "postImport(): undefined is not a fixture"],
    ["postImport", (sim) => sim.postImport({ fixture: {} } as never), 'postImport(): {"fixture":{}} has no name'],
    ["run", (sim) => sim.run(undefined as never), "run(): undefined is not a file name"],
    ["replay", (sim) => sim.replay(undefined as never), "replay(): the journal has no delivery undefined"],
  ])("of %s without what it is about", async (_, act, says) => {
    await using sim = await startSimulator({ listen: false });
    expect((await usageErrorOf(act(sim))).message).toContain(says);
  });

  it("of a config file, over which the other settings are laid", async () => {
    using directory = makeTempDir();
    const file = join(directory.path, "team.config.json");
    const app = { url: "http://127.0.0.1:9", redirectUris: ["http://127.0.0.1:9/callback"] };
    directory.write("team.config.json", JSON.stringify({ app, choices: { "webhook.retries": 0 } }));
    await using sim = await startSimulator({ configFile: file, app: { url: "http://127.0.0.1:8" }, listen: false });
    expect(sim.config.apps).toMatchObject([{ ...app, url: "http://127.0.0.1:8" }]);
    expect([sim.config.port, sim.choices["webhook.retries"]]).toEqual([0, 0]);
    const missing = startSimulator({ configFile: join(directory.path, "other.json") });
    expect(await usageErrorOf(missing)).toMatchObject({
      code: "config-unreadable",
      hint: expect.stringMatching(/^configFile is a path/),
    });
  });

  it.each([[null], ["http://localhost:3000"]])("such as options that are %j", async (options) => {
    expect(await usageErrorOf(startPlatform(options as never))).toMatchObject({ code: "options-invalid" });
  });

  it("with a message that says everything, and a short summary", async () => {
    const error = await usageErrorOf(startPlatform({ port: -1, aps: [] } as SimulatorOptions));
    expect(error.problems.map(({ path }) => path)).toEqual(["port", "aps"]);
    expect(error.summary).toBe("the argument of startSimulator() is not a valid configuration");
    const problems = error.problems.map(({ path, message }) => `${path} ${message}`);
    expect(error.message).toBe(`${error.summary}: ${problems.join("; ")}`);
  });
});

describe("the journal", () => {
  it("sends its subscribers each record as it is made, until they unsubscribe", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const seen: JournalRecord[] = [];
    const leave = run.sim.journal.subscribe((record) => seen.push(record));
    await run.sim.guard();
    const what = seen.map((record) => (record.type === "exchange" ? record.purpose : record.type));
    expect(what).toEqual(["manifest", "guard", "login"]);
    expect(seen).toEqual(run.sim.journal.list());
    leave();
    await run.sim.guard();
    expect(seen).toHaveLength(3);
    expect(run.sim.journal.find(seen[1]?.id ?? "")).toEqual(seen[1]);
  });

  it("stays in memory, or is kept in a directory", async () => {
    using directory = makeTempDir();
    await using run = await startSimulation({ serves, answer: passes, journal: directory.path });
    await run.sim.webhook("project.approved");
    await run.sim.close();
    const kept = parseJournal(readFileSync(journalPath(directory.path)));
    expect(kept).toEqual({ records: run.sim.journal.list(), unreadable: 0, torn: false });
    expect(kept.records).toHaveLength(2);
  });
});

describe("a call under way", () => {
  it("is announced when it begins, with its time limit", async () => {
    const begun: string[] = [];
    await using run = await startSimulation({
      serves,
      answer: (call) => call.reply({ success: begun.length === 2 }),
      onCall: ({ method, url, timeoutMs }) => begun.push(`${method} ${new URL(url).pathname} ${timeoutMs}`),
    });
    expect((await run.sim.guard()).outcome).toBe("granted");
    expect(begun).toEqual(["GET /manifest.json 10000", "POST /office 10000"]);
  });

  it("ends with the signal: nobody is let in", async () => {
    const stop = new AbortController();
    await using run = await startSimulation({ serves, signal: stop.signal });
    const login = run.sim.guard();
    await run.app.nextCall();
    stop.abort();
    expect(await login).toMatchObject({ outcome: "failed", reason: "interrupted", failure: "interrupted" });
    const { jobs } = await run.sim.postImport({ name: "job", job: jobWith([]) });
    expect(jobs).toMatchObject([{ outcome: "failed", failure: "interrupted" }]);
    expect(run.app.calls).toHaveLength(1);
  });
});

describe("close() while a guard does not answer", () => {
  it("ends the call: nobody is let in, and the journal's file holds what the memory holds", async () => {
    using directory = makeTempDir();
    await using run = await startSimulation({ serves, journal: directory.path });
    const login = run.sim.guard();
    const call = await run.app.nextCall();
    // Twice, as `await using` does after a close() of the test's own.
    await Promise.all([run.sim.close(), run.sim.close()]);
    expect(await login).toMatchObject({ outcome: "failed", reason: "interrupted", failure: "interrupted" });
    await call.closed;
    const { journal } = run.sim;
    const what = journal
      .list()
      .map((record) => (record.type === "exchange" ? record.outcome.kind : "outcome" in record && record.outcome));
    expect(what).toEqual(["answered", "interrupted", "failed"]);
    const kept = parseJournal(readFileSync(journalPath(directory.path)));
    expect(kept).toEqual({ records: journal.list(), unreadable: 0, torn: false });
  });

  it("waits until what was under way has ended", async () => {
    await using run = await startSimulation({ serves });
    const ended: string[] = [];
    const login = run.sim.guard().then(() => ended.push("guard"));
    await run.app.nextCall();
    await run.sim.close();
    ended.push("close");
    await login;
    expect(ended).toEqual(["guard", "close"]);
  });

  it.each<[name: string, act: (sim: RunningPlatform) => Promise<unknown>]>([
    ["guard", (sim) => sim.guard()],
    ["postImport", (sim) => sim.postImport({ name: "job", job: jobWith([]) })],
    ["webhook", (sim) => sim.webhook("project.approved")],
    ["manifest", (sim) => sim.manifest()],
    ["waitForApp", (sim) => sim.waitForApp(1)],
    ["once", async (sim) => sim.once("delivery", (value) => value)],
    ["oauth.once", async (sim) => sim.oauth.once("token", (value) => value)],
    ["oauth.faults.add", async (sim) => sim.oauth.faults.add("token=500")],
    ["clock.advance", async (sim) => sim.clock.advance("2h")],
    ["clock.freeze", async (sim) => sim.clock.freeze()],
    ["clock.set", async (sim) => sim.clock.set("2031-05-06")],
    ["clock.resume", async (sim) => sim.clock.resume()],
    ["clock.reset", async (sim) => sim.clock.reset()],
  ])("after close() %s is refused, and nothing is sent", async (_, act) => {
    await using run = await startSimulation({ serves, answer: passes, listen: false });
    await run.sim.close();
    expect(await usageErrorOf(act(run.sim))).toMatchObject({ code: "closed" });
    expect([run.app.calls, run.sim.journal.list()]).toEqual([[], []]);
  });

  it("after close() everything earlier can still be read", async () => {
    await using run = await startSimulation({ serves, answer: passes, listen: false });
    const before = [run.sim.url, run.sim.env()];
    await run.sim.close();
    expect([run.sim.url, run.sim.env()]).toEqual(before);
    expect([run.sim.oauth.faults.list(), run.sim.clock.state().frozen]).toEqual([[], false]);
  });
});

it("keeps the key of an asymmetric algorithm with the journal for the next run", async () => {
  using directory = makeTempDir();
  const keysOf = async (journal?: string) => {
    const choices = { "guard.jwt.algorithm": "ES256" } as const;
    await using sim = await startPlatform({ choices, listen: false, ...(journal === undefined ? {} : { journal }) });
    return await sim.jwks();
  };
  const first = await keysOf(directory.path);
  expect(await keysOf(directory.path)).toEqual(first);
  expect(await keysOf()).not.toEqual(first);
  const file = resolve(directory.path, "key-ES256.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { d } = JSON.parse(readFileSync(file, "utf8"));
  expect([typeof d, JSON.stringify(first).includes(d)]).toEqual(["string", false]);
});

it("waits for an app that starts late, and says whether it started", async () => {
  await using app = await startFakeApp({ manifest: serves });
  await using sim = await startPlatform({ app: { url: app.url } });
  expect(await sim.waitForApp(0)).toBe(true);
  await app.close();
  expect(await sim.waitForApp(0)).toBe(false);
  // @ts-expect-error a duration is a number here
  await expect(sim.waitForApp("30s")).rejects.toThrow('waitForApp(): "30s" is not a time in milliseconds');
});

it("loads no terminal code, no report and no command, and the server with its pages only if it listens", () => {
  const library = pathToFileURL(resolve(import.meta.dirname, "../dist/index.js")).href;
  const loadedBy = (options: SimulatorOptions) => {
    using directory = makeTempDir();
    const program = `
      const { startSimulator } = await import(${JSON.stringify(library)});
      const sim = await startSimulator(${JSON.stringify(options)});
      await sim.guard();
      await sim.close();`;
    // Node writes down there, as it ends, every script that ran.
    const env = { PATH: process.env.PATH, NODE_V8_COVERAGE: directory.path };
    execFileSync(process.execPath, ["--input-type=module", "--eval", program], { env, cwd: directory.path });
    const scripts = readdirSync(directory.path).flatMap(
      (name) => JSON.parse(readFileSync(resolve(directory.path, name), "utf8")).result as { url: string }[],
    );
    return scripts.flatMap(({ url }) => /(?<=\/dist\/)\w[\w-]*(?=\.js$)/.exec(url)?.[0] ?? []);
  };
  const app = { url: "http://127.0.0.1:1" };
  const loaded = loadedBy({ app });
  expect(loaded).toEqual(expect.arrayContaining(["simulator", "server", "fastify"]));
  // By the chunks of the bundle, see build/chunks.mjs: `start` holds commander and chalk, and the declared commands.
  const others = ["cli", "start", "ink", "guard", "guard-text", "guard-walk", "sample-app"];
  expect(loaded.filter((name) => others.includes(name))).toEqual([]);
  const silent = loadedBy({ app, listen: false });
  expect(silent.filter((name) => [...others, "server", "fastify"].includes(name))).toEqual([]);
});

describe("a login that has just started", () => {
  const asks = manifestOf({ guards: [guardEntry("terms", { type: "redirect", url: "/page" })] });

  it("has no page once the simulator is closed: nothing is left listening", async () => {
    await using run = await startSimulation({
      serves: asks,
      answer: always({ success: false }),
      listen: "when-needed",
    });
    const begun = await run.sim.login({ page: "wait" });
    if (!begun.ok) throw new Error("it did not begin");
    await run.sim.close();
    expect(await usageErrorOf(begun.login.link())).toMatchObject({ code: "closed" });
    expect(await begun.login.result).toMatchObject({ failure: "interrupted" });
  });

  it("accepts what a stage asks for, and nothing else", async () => {
    await using run = await startSimulation({ serves: asks, answer: always({ success: true }), listen: false });
    const begun = await run.sim.login({ deviceTrust: true, manual: true });
    if (!begun.ok) throw new Error("it did not begin");
    const { login } = begun;
    for (const input of [{}, null, { stage: "guard" }, { stage: "device-trust", trusted: "no" }]) {
      expect(() => login.enter(input as never)).toThrow(UsageError);
    }
    expect(login.view().current).toBe(0);
    login.enter({ stage: "password", password: "app-sim-password" });
    login.enter({ stage: "device-trust", trusted: true });
    expect((await login.result).outcome).toBe("granted");
  });
});
