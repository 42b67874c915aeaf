import { createHmac } from "node:crypto";
import { readdirSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { webhookResultSchema } from "../../src/index.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { type CliResult, runCli, startCli } from "../rig/cli.ts";
import { type AppCall, type FakeApp, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const JOURNAL = ".app-sim/journal.ndjson";
const body = '{"events":[{"event":"project.approved","project":{"id":"501"}}]}';
const laidOut = JSON.stringify(JSON.parse(body), null, 2);

let app: FakeApp;
let directory: TempDir;

beforeAll(async () => {
  app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("events")] }) });
  app.answer((call) => call.send("", { status: isSigned(call) ? 204 : 401 }));
});
afterAll(() => app.close());
beforeEach(() => {
  directory = makeTempDir();
  return () => directory[Symbol.dispose]();
});

const hmac = (bytes: Uint8Array) => createHmac("sha256", "app-sim-app-secret").update(bytes).digest("hex");
const isSigned = (call: AppCall) => call.header("x-platform-signature") === hmac(call.body);

/** A delivery as the journal keeps it. */
function delivered(
  id: string,
  bytes: Uint8Array = Buffer.from(body),
  changes: { url?: string; encoding?: string } = {},
) {
  const { url = `${app.url}/events`, encoding } = changes;
  const headers = [
    ["host", "127.0.0.1"],
    ["Content-Type", "application/json"],
    ...(encoding === undefined ? [] : [["Content-Encoding", encoding] as const]),
    ["X-Platform-Signature", hmac(bytes)],
    ["content-length", String(bytes.length)],
  ] as const;
  const request = { method: "POST", url, headers, body: recordBody(bytes) };
  return exchangeRecord(id, {
    purpose: "webhook",
    module: "events",
    delivery: { id: `of-${id}`, attempt: 1 },
    request,
  });
}

interface Replayed extends CliResult {
  readonly calls: readonly AppCall[];
  /** Directories of temporary files that it left. */
  readonly left: readonly string[];
}

async function replay(
  args: readonly string[],
  {
    env = {},
    input = "",
    records = [delivered("7h2kaaaa")],
    run = runLine,
  }: { env?: object; input?: string; records?: unknown[]; run?: typeof runLine } = {},
): Promise<Replayed> {
  directory.write(JOURNAL, journalText(records));
  const before = app.calls.length;
  const result = await run(["replay", ...args, "--app", app.url], {
    cwd: directory.path,
    env: { TMPDIR: directory.path, ...env },
    input,
  });
  return { ...result, calls: app.calls.slice(before), left: temporary() };
}

const temporary = () => readdirSync(directory.path).filter((name) => name.startsWith("app-sim-edit-"));

function onlyCall({ calls }: Replayed): AppCall {
  const [call, ...others] = calls;
  if (call === undefined || others.length > 0) throw new Error(`the app got ${calls.length} calls, not one`);
  return call;
}

/** What `--format json` says of a mistake. */
async function refusal(...args: Parameters<typeof replay>) {
  const result = await replay([...args[0], "--format", "json"], args[1]);
  expect(result).toMatchObject({ code: 2, stdout: "", calls: [], left: [] });
  return onlyObject(result.stderr).error;
}

describe("app-sim replay", () => {
  test.each(["7h2kaaaa", "7h", "of-7h2kaaaa", "last"])("%s: the same bytes, the same header lines", async (id) => {
    const result = await replay([id, "--format", "json"]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const shown = webhookResultSchema.parse(onlyObject(result.stdout));
    expect(shown).toMatchObject({ command: "replay", outcome: "acknowledged", deliveries: [{ id: "of-7h2kaaaa" }] });
    const call = onlyCall(result);
    expect(call.body.toString()).toBe(body);
    expect(isSigned(call)).toBe(true);
  });

  test("as text: the delivery, its exchange and the verdict", async () => {
    const { stdout } = await replay(["last"]);
    expect(stdout).toMatch(/^Delivery of-7h2kaaaa of 1 event to webhook events\n {2}attempt 2\n {4}→ POST /);
    expect(stdout).toMatch(/\nAcknowledged by 1 webhook module\n/);
  });

  test("with the next attempt number in the journal, from which the next replay continues", async () => {
    await replay(["last"]);
    const again = await runLine(["replay", "7h2kaaaa", "--app", app.url], { cwd: directory.path });
    expect(again.code).toBe(0);
    const { stdout } = await runLine(["log", "last", "--format", "json"], { cwd: directory.path });
    expect(onlyObject(stdout).records).toMatchObject([{ delivery: { id: "of-7h2kaaaa", attempt: 3 } }]);
  });

  test("an app that refuses it: exit 1", async () => {
    const env = { APP_SIM_APP_SECRET: "another-secret" };
    expect(await replay(["last"], { env })).toMatchObject({ code: 0 });
    expect(await replay(["last", "--resign"], { env })).toMatchObject({ code: 1, calls: [{}] });
  });

  test("S28: refuses what was sent to another address, with both addresses", async () => {
    const error = await refusal(["last"], {
      records: [delivered("x", undefined, { url: "http://evil.example/events" })],
    });
    expect(error.code).toBe("replay-elsewhere");
    expect(error.message).toBe(
      `exchange x went to http://evil.example, but the app is at ${app.url}: nothing was sent`,
    );
  });

  test.each([
    ["x", () => [exchangeRecord("x")], "replay-no-delivery", "app-sim guard"],
    ["x", () => [loginRecord("x")], "replay-no-delivery", "app-sim guard"],
    ["last", () => [exchangeRecord("x")], "unknown-id", "app-sim webhook"],
    ["nope", () => [delivered("x")], "unknown-id", "app-sim log"],
    ["x", () => [delivered("xa"), delivered("xb")], "ambiguous-id", "xa, xb"],
  ])("%s of anything but a delivery is refused: $2", async (id, records, code, hint) => {
    expect(await refusal([id], { records: records() })).toMatchObject({ code, hint: expect.stringContaining(hint) });
  });
});

describe("--data", () => {
  test.each([
    ["JSON", '{"events":[]}', ""],
    ["stdin", "-", ' {"events": []}\n'],
  ])("sends another body, signed: %s", async (_, data, input) => {
    const result = await replay(["last", "--data", data], { input });
    expect(result.code).toBe(0);
    expect(onlyCall(result).body.toString()).toBe('{"events":[]}');
  });
});

describe("--edit", () => {
  const edited = (command: string, args: readonly string[] = [], more: Parameters<typeof replay>[1] = {}) =>
    replay(["last", "--edit", ...args], { ...more, env: { EDITOR: command } });

  test("sends the saved body, byte for byte, signed again, and leaves no file behind", async () => {
    const result = await edited("sed -i s/501/777/");
    expect(result).toMatchObject({ code: 0, stderr: "", left: [] });
    expect(onlyCall(result).body.toString()).toBe(laidOut.replace("501", "777"));
    expect(isSigned(onlyCall(result))).toBe(true);
  });

  test("without a change sends the original bytes, and says so", async () => {
    const result = await edited("true");
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("the body was not changed") });
    expect(onlyCall(result).body.toString()).toBe(body);
  });

  test("$VISUAL takes precedence over $EDITOR", async () => {
    const result = await replay(["last", "--edit"], { env: { VISUAL: "sed -i s/501/1/", EDITOR: "sed -i s/501/2/" } });
    expect(onlyCall(result).json()).toMatchObject({ events: [{ project: { id: "1" } }] });
    const blank = await replay(["last", "--edit"], { env: { VISUAL: " ", EDITOR: "sed -i s/501/2/" } });
    expect(onlyCall(blank).json()).toMatchObject({ events: [{ project: { id: "2" } }] });
  });

  test("a body.json of mode 0600 in a directory of mode 0700", async () => {
    const script = directory.write("editor.sh", 'stat -c "%a %n" "$1" "$(dirname "$1")" >&2\n');
    const { stderr } = await edited(`sh ${script}`, [], { run: runCli });
    expect(stderr).toMatch(/^600 \S+\/body\.json\n700 \S+\n/);
  });

  test("the name of the temporary directory is quoted for the shell", async () => {
    directory.write("it's $(touch hit)/x", "");
    const env = { EDITOR: "sed -i s/501/777/", TMPDIR: `${directory.path}/it's $(touch hit)` };
    const result = await replay(["last", "--edit"], { env });
    expect(onlyCall(result).json()).toMatchObject({ events: [{ project: { id: "777" } }] });
    expect(readdirSync(directory.path)).not.toContain("hit");
  });

  test.each([
    [
      "keeps white space and a big integer",
      '{"a":  1e400,"id":9007199254740993}',
      '{"a":  1e400,"id":9007199254740994}',
    ],
    ["keeps an escape", '{"a":"\\u00e9 501"}', '{"a":"\\u00e9 501"}'],
    ["keeps a final line end", '{"id":9007199254740993}\n\n', '{"id":9007199254740994}\n\n'],
    ["what is no JSON", "9007199254740993 {", "9007199254740994 {"],
  ])("shows a body unchanged if formatting would change it: %s", async (_, before, after) => {
    const records = [delivered("x", Buffer.from(before))];
    expect(onlyCall(await edited("sed -i s/740993/740994/", [], { records })).body.toString()).toBe(after);
  });

  test("a body that is no longer JSON is sent anyway, with a warning", async () => {
    const result = await edited("sed -i 1d");
    expect(result.stderr).toMatch(/^warning: the edited body is not valid JSON: .*; it is sent anyway\n/s);
    expect(onlyCall(result).body.toString()).toBe(laidOut.slice(2));
  });

  test("decompresses gzip, and compresses it again", async () => {
    const records = [delivered("x", gzipSync(body), { encoding: "gzip" })];
    const result = await edited("sed -i s/501/777/", [], { records });
    const call = onlyCall(result);
    expect(gunzipSync(call.body).toString()).toBe(laidOut.replace("501", "777"));
    expect([call.header("content-encoding"), isSigned(call)]).toEqual(["gzip", true]);
    const same = await edited("true", [], { records });
    expect(gunzipSync(onlyCall(same).body).toString()).toBe(body);
  });

  test("R33: what the editor prints does not get into the JSON", async () => {
    const result = await edited("echo hello; true", ["--format", "json"], { run: runCli });
    expect(webhookResultSchema.parse(onlyObject(result.stdout)).outcome).toBe("acknowledged");
    expect(result.stderr).toMatch(/^hello\n/);
  });

  test.each([
    ["false", "editor-failed", "the editor false failed: it ended with exit code 1"],
    ["no-such-editor", "editor-failed", "the editor no-such-editor failed: it ended with exit code 127"],
    ["rm", "editor-failed", "the editor rm failed: ENOENT"],
    ["", "no-editor", "--edit: neither $VISUAL nor $EDITOR is set"],
  ])("nothing is sent if the editor fails: %s", async (command, code, message) => {
    directory.write(JOURNAL, journalText([delivered("x")]));
    const before = app.calls.length;
    const result = await runLine(["replay", "last", "--edit", "--format", "json", "--app", app.url], {
      cwd: directory.path,
      env: { EDITOR: command, TMPDIR: directory.path },
    });
    expect(result).toMatchObject({ code: 2, stdout: "" });
    const { error } = JSON.parse(result.stderr.slice(result.stderr.indexOf("{")));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect([app.calls.length, temporary()]).toEqual([before, []]);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends the editor: exit %d, nothing is sent, no file is left", async (signal, code) => {
    directory.write(JOURNAL, journalText([delivered("x")]));
    const before = app.calls.length;
    const script = directory.write("editor.sh", "echo ready >&2\nexec sleep 600\n");
    await using cli = startCli(["replay", "last", "--edit", "--app", app.url], {
      cwd: directory.path,
      env: { EDITOR: `exec sh ${script}`, TMPDIR: directory.path },
    });
    await cli.printed(/ready/);
    expect(temporary()).toHaveLength(1);
    cli.child.kill(signal);
    expect(await cli.done).toMatchObject({
      code,
      stderr: expect.stringContaining(`the editor was ended by ${signal}`),
    });
    expect([app.calls.length, temporary()]).toEqual([before, []]);
  });

  test("cannot be combined with --data", async () => {
    expect(await refusal(["last", "--edit", "--data", "{}"])).toMatchObject({ code: "usage" });
  });

  test("is not started for something that cannot be sent", async () => {
    const records = [delivered("x", undefined, { url: "http://evil.example/events" })];
    expect(await refusal(["last", "--edit"], { records, env: { EDITOR: "touch began;" } })).toMatchObject({
      code: "replay-elsewhere",
    });
    expect(readdirSync(directory.path)).not.toContain("began");
  });
});
