import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Invocation } from "../../src/action/invocation.ts";
import type { ServeFlags } from "../../src/serve/action.ts";
import { serveCommand } from "../../src/serve/command.ts";
import { clockCommand, faultCommand } from "../../src/serve/steer-command.ts";
import { startCli } from "../rig/cli.ts";
import { type RunningCommand, startCommand, withCall } from "../rig/command.ts";
import { guardEntry, manifestOf, startFakeApp, startSilentPort, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { isListening, journalIn, onlyObject, rawControls } from "../rig/output.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

let directory: TempDir;

beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

/** `app-sim serve` on a free port, in this process. */
function startServe(invocation: Partial<Invocation> = {}, flags: ServeFlags = {}): RunningCommand {
  const settings = { port: "0", ...invocation.settings };
  return startCommand(withCall(serveCommand, { flags }), { cwd: directory.path, ...invocation, settings });
}

const urlIn = (text: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? "";
const linesOf = (ndjson: string) =>
  ndjson
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const announcedIn = (path: string) => readdirSync(`${path}/.app-sim`).filter((name) => name.startsWith("serve-"));

/** A request that the authorization server refuses. */
const askForToken = (url: string, body: Record<string, string>) =>
  fetch(`${url}/oauth/token`, { method: "POST", body: new URLSearchParams(body) });

const authorizeUrl = (url: string, redirectUri: string) => {
  const query = { client_id: "app-sim-client", redirect_uri: redirectUri, response_type: "code", scope: "project" };
  return `${url}/oauth/authorize?${new URLSearchParams(query)}`;
};

/** Why the last request was refused. */
const oauthReason = () => {
  const last = journalIn(directory.path).records.findLast((record) => record.type === "oauth");
  return last?.type === "oauth" ? last.reason : undefined;
};

describe("the output when it is ready", () => {
  test("as text: every address, the app's credentials, how to register a redirect address; in 80 columns", async () => {
    await using cli = startServe();
    await cli.printed(/redirect URI .*\n\n/);
    const text = cli.stdout();
    const url = urlIn(text);
    expect(text).toMatch(/^The platform is ready at http:\S+ \(Ctrl-C ends it\)\n/);
    for (const path of [
      "/oauth/authorize",
      "/oauth/token",
      "/api/v2/projects",
      "/acme/guard/callback",
      "/acme/login",
      "/.well-known/oauth-authorization-server",
    ]) {
      expect(text).toContain(` ${url}${path}`);
    }
    for (const secret of ["app-sim-client", "app-sim-client-secret-long-enough-for-HS256", "app-sim-app-secret"])
      expect(text).toMatch(new RegExp(` ${secret}$`, "m"));
    expect(text).toMatch(/^ {2}redirect URI +none: register one with --redirect-uri URL$/m);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const found = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
    expect(found).toMatchObject({ authorization_endpoint: `${url}/oauth/authorize` });
  });

  test("it includes the registered redirect addresses, scopes, consent and faults", async () => {
    directory.write("app-sim.config.json", { app: { name: "Word\u001bbook", scopes: ["project", "tm"] } });
    const uris = ["http://127.0.0.1:3000/callback", "my.app:/back"];
    const settings = { redirectUri: uris, consent: "deny" };
    await using cli = startServe({ settings }, { fault: ["token=500x2", "api=429@25%"] });
    await cli.printed(/scopes .*\n\n/);
    const text = cli.stdout();
    for (const uri of uris) expect(text).toMatch(new RegExp(`^ {2}redirect URI +${uri}$`, "m"));
    expect(text).toMatch(/^App Word␛book at http:/m);
    expect(text).toMatch(/^ {2}scopes +project tm$/m);
    expect(text).toMatch(/^ {2}consent +deny\b/m);
    expect(text.match(/(?<=^ {2}fault +)\S+$/gm)).toEqual(["token=500x2", "api=429@25%"]);
    expect(rawControls(text)).toEqual([]);
  });

  test("as JSON: one object on the first line, which says what app-sim env says", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({}) });
    const args = ["--format", "json", "--app", app.url, "--redirect-uri", "http://127.0.0.1:3000/cb"];
    const more = ["--redirect-uri", "my.app:/back", "--consent", "approve", "--fault", "token=500x1", "--seed", "7"];
    const port = String(await unusedPort());
    const options = { cwd: directory.path };
    await using cli = startCli(["serve", "--port", port, ...args, ...more], options);
    const [first] = await cli.printed(/^.*\n/);
    const ready = onlyObject(first);
    const redirectUris = ["http://127.0.0.1:3000/cb", "my.app:/back"];
    expect(ready).toMatchObject({
      command: "serve",
      url: `http://127.0.0.1:${port}`,
      addresses: { token: `http://127.0.0.1:${port}/oauth/token` },
      consent: "approve",
      faults: ["token=500x1"],
      apps: [
        {
          url: app.url,
          clientId: "app-sim-client",
          clientSecret: "app-sim-client-secret-long-enough-for-HS256",
          redirectUris,
        },
      ],
    });
    const env = await runLine(["env", "--port", port, "--format", "json"], {
      ...options,
      env: { APP_SIM_REDIRECT_URI: redirectUris[0] },
    });
    expect(ready.environment).toEqual(onlyObject(env.stdout));

    // The flags are not only shown.
    const consented = await fetch(authorizeUrl(ready.url, redirectUris[1] ?? ""), { redirect: "manual" });
    expect(consented.headers.get("location")).toMatch(/^my\.app:\/back\?code=/);
    expect((await askForToken(ready.url, {})).status).toBe(500);

    await cli.printed(/^manifest of /m);
    cli.child.kill("SIGINT");
    const { code, stdout, stderr } = await cli.done;
    expect([code, stderr]).toEqual([0, `manifest of ${app.url}: no modules\nThe platform has ended.\n`]);
    const [, ...records] = linesOf(stdout);
    expect(records.map(({ type, id }) => ({ type, id }))).toEqual(
      journalIn(directory.path).records.map(({ type, id }) => ({ type, id })),
    );
    expect(await isListening(Number(port))).toBe(false);
  });
});

describe("the output while it runs", () => {
  test("as text: event, result and module on one line, in columns; the reason below it; the id is the exchange's", async () => {
    await using cli = startServe();
    await cli.printed(/ready at/);
    const client = {
      client_id: "app-sim-client",
      client_secret: "app-sim-client-secret-long-enough-for-HS256",
    };
    await askForToken(urlIn(cli.stdout()), {
      ...client,
      grant_type: "refresh_token",
      refresh_token: "nobody-knows-it",
    });
    const [lines, id] = await cli.printed(
      /^([a-z2-9]{8}) {2}\d\d:\d\d:\d\d {2}refresh {9} {2}invalid_grant {2} {2}app-sim-client\n( {20}\S.*\n)+/m,
    );
    expect(lines.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(journalIn(directory.path).records.find((record) => record.id === id)).toMatchObject({ purpose: "token" });
    expect(lines.replace(/\s+/g, " ")).toContain(` ${oauthReason()}`);
  });

  test("warnings are shown with the consent", async () => {
    await using cli = startServe({ settings: { redirectUri: ["http://127.0.0.1:3000/cb"] } });
    await cli.printed(/ready at/);
    await fetch(authorizeUrl(urlIn(cli.stdout()), "http://127.0.0.1:3000/cb"));
    await cli.printed(/ {2}authorize {9}asked {12}app-sim-client\n {20}warning: no state was sent: /);
    await cli.printed(/^ {20}warning: no code_challenge was sent: /m);
  });

  test("S8: changes of the clock and of faults are shown with the new state; failed ones are not", async () => {
    await using cli = startServe();
    await cli.printed(/ready at/);
    const port = new URL(urlIn(cli.stdout())).port;
    const steer = (run: (invocation: Invocation) => Promise<number>) =>
      startCommand(run, { cwd: directory.path, settings: { port } }).done;
    await steer(withCall(clockCommand, { args: ["set", "2031-05-06T07:08:09Z"] }));
    await cli.printed(/^clock: 2031-05-06T07:08:\S+Z {2}running, \S+ ahead of real time$/m);
    await usageErrorOf(steer(withCall(clockCommand, { args: ["set", "soon"] })));
    await steer(withCall(clockCommand));
    await steer(withCall(faultCommand, { args: ["token=500x2", "api=429@25%"] }));
    await cli.printed(/^faults: token=500x2 \(2 more\), api=429@25%$/m);
    await steer(withCall(faultCommand, { args: ["clear"] }));
    await cli.printed(/^faults: none$/m);
    expect(cli.stderr().match(/^(clock|faults): /gm)).toHaveLength(3);
  });

  test("S27: it has no secret in either form, and never the control token", async () => {
    const canaries = { clientSecret: "canary-client-secret", code: "canary-code", refresh: "canary-refresh" };
    directory.write("app-sim.config.json", { app: { clientSecret: canaries.clientSecret } });
    for (const format of ["text", "json"]) {
      await using cli = startServe({ format });
      await cli.printed(/\n/);
      const url = urlIn(cli.stdout());
      const before = cli.stdout().length;
      const [file = ""] = announcedIn(directory.path);
      const { controlToken } = JSON.parse(readFileSync(`${directory.path}/.app-sim/${file}`, "utf8"));
      const client = { client_id: "app-sim-client", client_secret: canaries.clientSecret };
      await askForToken(url, {
        ...client,
        grant_type: "authorization_code",
        code: canaries.code,
        redirect_uri: "x:/y",
      });
      await askForToken(url, { ...client, grant_type: "refresh_token", refresh_token: canaries.refresh });
      await fetch(`${url}/-/clock`, { headers: { authorization: `Bearer ${controlToken}` } });
      await cli.printed(/ refresh |"step":"refresh"/);
      const told = cli.stdout().slice(before) + cli.stderr();
      for (const canary of Object.values(canaries)) expect(told).not.toContain(canary);
      expect(cli.stdout() + cli.stderr()).not.toContain(controlToken);
    }
  });

  test("R33: stdout has only JSON lines, whatever the app does", async () => {
    await using app = await startFakeApp();
    app.answer((call) => call.raw("no HTTP\u001b[2J\r\n\r\n"));
    await using cli = startServe({ format: "json", settings: { app: app.url } });
    await cli.printed(/^no manifest: .*not HTTP/m);
    await cli.printed(/"type":"exchange"/);
    expect(linesOf(cli.stdout())).toMatchObject([{ command: "serve" }, { type: "exchange", purpose: "manifest" }]);
    expect(rawControls(cli.stdout() + cli.stderr())).toEqual([]);
  });
});

describe("the file by which other commands find it", () => {
  test("is only for its owner, in the journal's directory, while it runs", async () => {
    await using cli = startServe();
    await cli.printed(/ready at/);
    const url = urlIn(cli.stdout());
    const file = `${directory.path}/.app-sim/serve-${new URL(url).port}.json`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { controlToken, ...rest } = JSON.parse(readFileSync(file, "utf8"));
    expect(rest).toEqual({
      command: "serve",
      url,
      pid: process.pid,
      version: expect.stringMatching(/^\d/),
      configFile: null,
    });
    // S8: at least 128 bits.
    expect(Buffer.from(controlToken, "base64url").length).toBeGreaterThanOrEqual(16);
    cli.signal("SIGTERM");
    expect(await cli.done).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(`${directory.path}/.app-sim/.gitignore`, "utf8")).toBe("*\n");
  });

  test("is corrected if another run left it behind", async () => {
    const port = await unusedPort();
    const stale = directory.write(`.app-sim/serve-${port}.json`, {
      url: "http://127.0.0.1:1",
      pid: 1,
      controlToken: "x",
    });
    await using cli = startServe({ settings: { port: String(port) } });
    await cli.printed(/ready at/);
    expect(JSON.parse(readFileSync(stale, "utf8"))).toMatchObject({
      url: `http://127.0.0.1:${port}`,
      pid: process.pid,
    });
    expect(statSync(stale).mode & 0o777).toBe(0o600);
  });

  test("R24: if the journal's directory cannot be created it still runs, and says what does not work", async () => {
    const journal = directory.write("a-file", "");
    await using cli = startServe({ settings: { journal } });
    await cli.printed(/ready at/);
    expect(cli.stderr()).toMatch(/^warning: other commands will not find this platform: /m);
  });
});

/** Linux tells by whom: by these tests. */
function isTaken(port: number): unknown {
  const by = process.platform === "linux" ? ` by .* \\(process ${process.pid}, in .*\\)` : "";
  return expect.stringMatching(new RegExp(`^port ${port} of 127\\.0\\.0\\.1 is taken${by}$`));
}

describe("R1: the port", () => {
  test("is named if it is taken, and no other is used: exit 2", async () => {
    await using taken = await startSilentPort();
    const args = ["serve", "--port", String(taken.port), "--format", "json"];
    const { code, stdout, stderr } = await runLine(args, { cwd: directory.path });
    expect([code, stdout]).toEqual([2, ""]);
    const { error } = onlyObject(stderr);
    expect(error).toMatchObject({ code: "port-taken", message: isTaken(taken.port) });
    expect(error.hint).toContain(`--port ${taken.port + 1}`);
    expect(announcedIn(directory.path)).toEqual([]);
  });
});

describe("R1: the port that another app-sim has", () => {
  test("is named, with what to do", async () => {
    const settings = { app: `http://127.0.0.1:${await unusedPort()}` };
    await using cli = startServe({ settings });
    await cli.printed(/ready at/);
    const { port } = new URL(urlIn(cli.stdout()));
    const { code, stderr } = await runLine(["serve", "--app", settings.app, "--port", port], {
      cwd: directory.path,
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      new RegExp(
        `^error: app-sim serve \\(process ${process.pid}\\) uses port ${port}\nhint: this command starts its own platform: .*--port`,
      ),
    );
  });

  test("is not attributed to a killed one", async () => {
    await using taken = await startSilentPort();
    const gone = { command: "serve", url: `http://127.0.0.1:${taken.port}`, pid: 2 ** 22 + 1, controlToken: "t" };
    directory.write(`.app-sim/serve-${taken.port}.json`, gone);
    const error = await usageErrorOf(startServe({ settings: { port: String(taken.port) } }).done);
    expect(error).toMatchObject({ message: isTaken(taken.port) });
  });
});

describe("R32: nobody reads stdout any more", () => {
  test("it ends at the next line, cleanly: exit 0", async () => {
    const port = String(await unusedPort());
    const app = `http://127.0.0.1:${await unusedPort()}`;
    await using cli = startCli(["serve", "--port", port, "--format", "json", "--app", app], { cwd: directory.path });
    await cli.printed(/^\{"command".*\n\{"type":"exchange".*\n/);
    cli.child.stdout.destroy();
    await askForToken(`http://127.0.0.1:${port}`, {});
    expect(await cli.done).toMatchObject({ code: 0, signal: null });
    expect([await isListening(Number(port)), announcedIn(directory.path)]).toEqual([false, []]);
    expect(journalIn(directory.path)).toMatchObject({ unreadable: 0, torn: false });
  });
});

describe("R21: it stops on a signal", () => {
  test.each([
    ["in a terminal, which shows ^C, on a line of its own", true, /[^\n]\n\nThe platform has ended\.\n$/],
    ["elsewhere", false, /[^\n]\nThe platform has ended\.\n$/],
  ])("and reports it %s", async (_, isInteractive, says) => {
    await using cli = startServe({ isInteractive, settings: { app: `http://127.0.0.1:${await unusedPort()}` } });
    await cli.printed(/^no manifest: .*\n/m);
    cli.signal("SIGINT");
    expect(await cli.done).toBe(0);
    expect(cli.stderr()).toMatch(says);
  });

  test("SIGTERM is 143: the port is free, current requests are cut off, the journal is complete", async () => {
    const port = await unusedPort();
    await using cli = startCli(["serve", "--port", String(port)], { cwd: directory.path });
    await cli.printed(/ready at/);
    await cli.printed(/ manifest /);
    const idle = createConnection(port, "127.0.0.1");
    idle.write("POST /oauth/token HTTP/1.1\r\nhost: x\r\n");
    await new Promise((resolve) => idle.once("connect", resolve));
    const cut = new Promise((resolve) => idle.once("close", resolve).once("error", () => {}));
    cli.child.kill("SIGTERM");
    expect(await cli.done).toMatchObject({ code: 143, signal: null });
    await cut;
    expect(await isListening(port)).toBe(false);
    expect(journalIn(directory.path)).toMatchObject({ unreadable: 0, torn: false });
    expect(announcedIn(directory.path)).toEqual([]);
  });

  test("even while it waits for the app; then it never reports that it is ready", async () => {
    const settings = { app: `http://127.0.0.1:${await unusedPort()}` };
    await using cli = startServe({ waitMs: 60_000, settings });
    await cli.printed(/waiting for the app to listen, at most 60 s/);
    expect(cli.stdout()).toBe("");
    cli.signal("SIGINT");
    await cli.done;
    expect([cli.stdout(), announcedIn(directory.path)]).toEqual(["", []]);
  });
});

test("R2: --wait waits for the app before it reports that it is ready", async () => {
  const port = await unusedPort();
  await using cli = startServe({ waitMs: 60_000, settings: { app: `http://127.0.0.1:${port}` } });
  await cli.printed(/waiting for the app to listen/);
  expect(cli.stdout()).toBe("");
  await using app = await startFakeApp({ port, manifest: manifestOf({ guards: [guardEntry("office")] }) });
  await cli.printed(/ready at/);
  await cli.printed(/manifest of .*: guard office \(direct\)\n/);
  expect(app.calls).toEqual([]);
});

describe("the manifest", () => {
  const good = manifestOf({ guards: [guardEntry("office")] });

  test("of an app that does not yet answer is a warning", async () => {
    await using cli = startServe({ settings: { app: `http://127.0.0.1:${await unusedPort()}` } });
    await cli.printed(/^no manifest: nothing listens at \S+ \(OAuth needs none\)\n/m);
    expect(cli.stdout()).toContain("ready at");
    expect(cli.stderr()).not.toContain("warning");
  });

  test("of another address that does not answer is a warning, on a terminal broken between words", async () => {
    const manifest = `http://127.0.0.1:${await unusedPort()}/there.json`;
    await using cli = startServe({ settings: { manifest }, errWidth: () => 60 });
    const [told] = await cli.printed(/^warning: no manifest from\s(.*\n)?( {2}.*\n)+/m);
    expect(told.replace(/\s+/g, " ")).toMatch(/nothing listens at .*; app-sim reads it again when needed $/);
    expect(told.split("\n").filter((line) => line.length > 60)).toEqual([]);
  });

  test("R38: in a file is read again when it is edited, each time with one line about changes or faults", async () => {
    const manifest = directory.write("manifest.json", good);
    await using cli = startServe({ settings: { manifest } });
    await cli.printed(/^manifest of .*: guard office \(direct\)$/m);
    directory.write("manifest.json", "{");
    await cli.printed(/^warning: .*; the last good one stays in use$/m);
    // As an editor does that never leaves half a file.
    const entrance = { ...guardEntry("office"), url: "/other" };
    const next = directory.write("manifest.json~", manifestOf({ guards: [entrance, guardEntry("roof")] }));
    renameSync(next, manifest);
    await cli.printed(/^manifest of .*: added guard roof \(direct\), changed guard office \(direct\)$/m);
    directory.write("manifest.json", manifestOf({ guards: [guardEntry("roof")] }));
    await cli.printed(/^manifest of .*: removed guard office \(direct\)$/m);
    expect(cli.stderr().split("\n")).toHaveLength(5);
  });

  test("that does not exist yet is noticed when it appears", async () => {
    const manifest = `${directory.path}/manifest.json`;
    await using cli = startServe({ settings: { manifest } });
    await cli.printed(/^warning: .*there is no such file/m);
    directory.write("manifest.json", good);
    await cli.printed(/^manifest of .*: guard office/m);
  });

  test("in a directory that is missing, or is replaced, is noticed, too", async () => {
    const folder = `${directory.path}/built`;
    await using cli = startServe({ settings: { manifest: `${folder}/manifest.json` } });
    await cli.printed(/^warning: .*there is no such file/m);
    mkdirSync(folder);
    writeFileSync(`${folder}/manifest.json`, JSON.stringify(good));
    await cli.printed(/^manifest of .*: guard office/m);
    renameSync(folder, `${folder}-old`);
    mkdirSync(folder);
    writeFileSync(`${folder}/manifest.json`, JSON.stringify(manifestOf({ guards: [guardEntry("roof")] })));
    await cli.printed(/^manifest of .*: added guard roof \(direct\), removed guard office/m);
  });
});

test("an invalid fault ends it immediately: exit 2", async () => {
  const error = await usageErrorOf(startServe({}, { fault: ["token=500x2", "tokn=500"] }).done);
  expect(error.code).toBe("fault-invalid");
  expect(error.message).toContain('Did you mean "token"?');
});
