import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeApp, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const journal = ".app-sim/journal.ndjson";
const records = [
  exchangeRecord("7h2kaaaa"),
  exchangeRecord("7h2kbbbb", {
    purpose: "webhook",
    module: "events",
    response: null,
    outcome: { kind: "timed-out", phase: "headers", limitMs: 30_000 },
  }),
  loginRecord("9zzzzzzz", { outcome: "denied", deniedBy: "office", reason: "Not now.", exchanges: ["7h2kaaaa"] }),
];

let directory: TempDir;

beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

const log = (...args: string[]) => runLine(["log", ...args], { cwd: directory.path });

async function logJson(...args: string[]) {
  const result = await log(...args, "--format", "json");
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const { command, records: shown } = onlyObject(result.stdout);
  expect(command).toBe("log");
  return shown;
}

async function refusal(...args: string[]) {
  const { code, stdout, stderr } = await log(...args, "--format", "json");
  expect([code, stdout]).toEqual([2, ""]);
  return onlyObject(stderr).error;
}

describe("what a command did", () => {
  let app: FakeApp;
  beforeAll(async () => {
    app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")] }) });
    app.answer((call) => call.reply({ success: true, note: "é/" }));
  });
  afterAll(() => app.close());

  test("is in the log: every exchange and the login, then one of them in full", async () => {
    await runLine(["guard", "--app", app.url], { cwd: directory.path });
    const [manifest, guard, login] = await logJson();
    expect([manifest, guard, login]).toMatchObject([
      { type: "exchange", purpose: "manifest", request: { method: "GET" }, response: { status: 200 } },
      { type: "exchange", purpose: "guard", module: "office", outcome: { kind: "answered" } },
      { type: "login", outcome: "granted", exchanges: [guard.id] },
    ]);
    expect(guard.response.body.text).toBe('{"success":true,"note":"é/"}');
    const { code, stdout } = await log(guard.id);
    expect(code).toBe(0);
    expect(stdout).toContain(`→ POST ${app.url}/office\n`);
    expect(stdout).toMatch(/^ {2}Authorization: Bearer eyJ\S+\.…$/m);
    expect(stdout).toMatch(/^ {4}"module": "office",$/m);
    expect(stdout).toMatch(/← 200\n/);
    expect(stdout).toContain('"note": "é/"');
  });
});

describe("the list", () => {
  test("as text: a table, oldest first", async () => {
    directory.write(journal, journalText(records));
    const { code, stdout, stderr } = await log();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["ID", "WHEN (UTC)", "WHAT", "RESULT", "MS", "WHERE"],
      ["7h2kaaaa", expect.any(String), "guard office", "200", "4.5", "POST /office"],
      [
        "7h2kbbbb",
        expect.any(String),
        "webhook events",
        "timed out after 30 s while waiting for the answer",
        "4.5",
        expect.any(String),
      ],
      ["9zzzzzzz", expect.any(String), "login as member", "denied", "Not now."],
      [""],
    ]);
  });

  test("--last shows that many, and the total", async () => {
    directory.write(journal, journalText(Array.from({ length: 30 }, (_, index) => loginRecord(`login-${index}`))));
    expect((await logJson("--last", "2")).map(({ id }: { id: string }) => id)).toEqual(["login-28", "login-29"]);
    const { stdout } = await log();
    expect(stdout).toMatch(/^10 older; --last 30 shows all\n/);
    expect(stdout.match(/^login-/gm)).toHaveLength(20);
  });

  test("of an empty journal, and without a journal", async () => {
    expect(await logJson()).toEqual([]);
    expect((await log()).stdout).toMatch(/^There is no journal yet: no folder \S+\.app-sim\. .*\n$/);
    directory.write(journal, journalText([]));
    expect(await log()).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^The journal in \S+\.app-sim is empty\. .*\n$/),
    });
  });

  test.each([
    [
      "ofice",
      /^None of the 3 records matches: none is of module ofice; there are records of office, events\. Did you mean "office"\?\n$/,
    ],
    ["office", /^None of the 3 records matches\.\n$/],
  ])("of a module %s without matches: says whether it is known", async (module, says) => {
    directory.write(journal, journalText(records));
    const { stdout } = await log("--module", module, "--status", "999");
    expect(stdout).toMatch(says);
  });
});

describe("one record", () => {
  beforeEach(() => void directory.write(journal, journalText(records)));

  test.each([
    ["its id", "7h2kbbbb", "7h2kbbbb"],
    ["a prefix that fits only one", "7h2ka", "7h2kaaaa"],
    ["last: the newest exchange, not the login after it", "last", "7h2kbbbb"],
    ["its id, also where it is no exchange", "9zzzzzzz", "9zzzzzzz"],
  ])("by %s", async (_, asked, id) => {
    expect(await logJson(asked)).toMatchObject([{ id }]);
  });

  test("a login as text", async () => {
    const { stdout } = await log("9z");
    expect(stdout).toMatch(
      /^9zzzzzzz {2}login as member \(user 104\) .*\ndenied by office: Not now\.\nexchanges: 7h2kaaaa\n$/,
    );
  });

  test("a prefix of several ids is refused, with these ids", async () => {
    expect(await refusal("7h2k")).toMatchObject({
      code: "ambiguous-id",
      message: "2 records begin with 7h2k",
      hint: expect.stringMatching(/7h2kaaaa, 7h2kbbbb$/),
    });
  });

  test("last is refused if there is no exchange", async () => {
    directory.write(journal, journalText([loginRecord("9zzzzzzz")]));
    expect(await refusal("last")).toMatchObject({ code: "unknown-id", message: "the journal has no exchange" });
  });

  test("an unknown id is refused", async () => {
    expect(await refusal("nope")).toMatchObject({
      code: "unknown-id",
      message: expect.stringContaining("nope"),
      hint: "`app-sim log` lists the ids; --module KEY shows the records of a module",
    });
  });

  test("a kind, or an id in upper case, gets a suggestion", async () => {
    directory.write(journal, journalText([loginRecord("9zzzzzzz")]));
    expect(await refusal("guard")).toMatchObject({ hint: "app-sim log --kind guard" });
    expect(await refusal("9ZZZZZZZ")).toMatchObject({ hint: "ids are in lower case: app-sim log 9zzzzzzz" });
  });
});

describe("a journal that was damaged", () => {
  test("R27: what can be read is shown, a warning counts the rest, in JSON too", async () => {
    const [first, ...others] = records;
    directory.write(journal, journalText([first, "{not json", { type: "exchange" }, ...others, '{"torn":']).trimEnd());
    const { code, stdout, stderr } = await log("--format", "json");
    expect([code, stderr]).toEqual([0, "warning: 2 lines of the journal cannot be read; the rest is shown\n"]);
    expect(onlyObject(stdout).records).toHaveLength(3);
  });

  test("R27: one of a newer version is refused by every command, and left unchanged", async () => {
    const text = journalText(records, 2);
    const file = directory.write(journal, text);
    expect(await refusal()).toMatchObject({ code: "journal-version", message: expect.stringContaining("version 2") });
    for (const args of [["guard", "--app", "http://127.0.0.1:9"], ["demo"]]) {
      const result = await runLine(args, { cwd: directory.path });
      expect(result).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(/^error: .*version 2.*\nhint: .*\n$/),
      });
    }
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("one that is not a file is refused", async () => {
    directory.write(`${journal}/x`, "");
    expect(await refusal()).toMatchObject({ code: "journal-unreadable", hint: expect.stringContaining("--journal") });
  });
});

test("--journal names another directory", async () => {
  directory.write("elsewhere/journal.ndjson", journalText(records));
  expect(await logJson("--journal", "elsewhere")).toHaveLength(3);
});

describe("--clear", () => {
  test("removes every record, even of the older file, and a later command starts a new journal", async () => {
    directory.write(journal, journalText(records));
    directory.write(".app-sim/journal.1.ndjson", journalText([exchangeRecord("older111")]));
    expect((await logJson()).map(({ id }: { id: string }) => id)).toEqual(["older111", ...records.map(({ id }) => id)]);
    const { code, stdout } = await log("--clear", "--format", "json");
    expect([code, onlyObject(stdout)]).toEqual([0, { command: "log", cleared: 4 }]);
    expect(await logJson()).toEqual([]);
    expect((await log("--clear")).stdout).toContain("0 records removed from ");
  });

  test.each([["last"], ["--curl"], ["--failed"], ["--kind=guard"], ["--last=1"]])(
    "with %s is a mistake, and removes nothing",
    async (other) => {
      directory.write(journal, journalText(records));
      expect(await refusal("--clear", other)).toMatchObject({ code: "clear-with-id" });
      expect(await logJson()).toHaveLength(records.length);
    },
  );
});
