import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordBody } from "../../src/journal/journal.ts";
import { harProblems } from "../rig/har.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const answer = (text: string, status = 200) => ({ status, headers: [], body: recordBody(Buffer.from(text)) });
const records = [
  exchangeRecord("old11111", { startedAt: "2020-01-01T00:00:00.000Z" }),
  exchangeRecord("bad22222", { module: "events", purpose: "webhook", response: answer("\u001b[31mno", 500) }),
  exchangeRecord("none3333", { response: null, outcome: { kind: "timed-out", phase: "headers", limitMs: 1000 } }),
  loginRecord("login444", { outcome: "denied", deniedBy: "office", reason: "Not now." }),
];

let directory: TempDir;
beforeEach(() => {
  directory = makeTempDir();
  directory.write(".app-sim/journal.ndjson", journalText(records));
});
afterEach(() => directory[Symbol.dispose]());

const log = (...args: string[]) => runLine(["log", ...args], { cwd: directory.path });
const ids = async (...args: string[]) =>
  onlyObject((await log(...args, "--format", "json")).stdout).records.map(({ id }: { id: string }) => id);

describe("the flags that filter", () => {
  test.each([
    [["--failed"], ["bad22222", "none3333", "login444"]],
    [["--since", "2025-01-01", "--kind", "guard"], ["none3333"]],
    [["--module", "events"], ["bad22222"]],
    [["--status", "5xx"], ["bad22222"]],
    [["--grep", "not now"], ["login444"]],
    [["--failed", "--last", "1"], ["login444"]],
    [["--status", "404"], []],
  ])("%j", async (args, expected) => {
    expect(await ids(...args)).toEqual(expected);
  });

  test("say how many there are, and that none matches", async () => {
    expect((await log("--failed", "--last", "1")).stdout).toMatch(/^2 older; --last 3 shows all\n/);
    expect((await log("--status", "404")).stdout).toBe("None of the 4 records matches.\n");
  });

  test("--har is an archive of those that match", async () => {
    const all = onlyObject((await log("--har")).stdout);
    expect(harProblems(all)).toEqual([]);
    expect(all.log.entries).toHaveLength(3);
    const failed = onlyObject((await log("--har", "--status", "5xx")).stdout);
    expect(failed.log.entries).toMatchObject([{ _exchange: "bad22222" }]);
    expect(onlyObject((await log("none3333", "--har")).stdout).log.entries).toHaveLength(1);
  });

  test.each([
    [["last", "--failed"]],
    [["last", "--follow"]],
    [["--follow", "--har"]],
    [["--follow", "--clear"]],
    [["--body", "request"]],
    [["last", "--curl", "--body", "request"]],
  ])("%j cannot be combined", async (args) => {
    const { code, stderr } = await log(...args, "--format", "json");
    expect([code, onlyObject(stderr).error.code]).toEqual([2, "log-flags"]);
  });
});

describe("app-sim log ID --body", () => {
  test("only the bytes, for a pipe", async () => {
    expect(await log("bad22222", "--body", "request")).toMatchObject({ code: 0, stdout: '{"userId":104}', stderr: "" });
    expect((await log("bad22222", "--body", "response")).stdout).toBe("\u001b[31mno");
    const { body } = onlyObject((await log("bad22222", "--body", "response", "--format", "json")).stdout);
    expect(body).toEqual({ base64: "G1szMW1ubw==", size: 7, text: "\u001b[31mno" });
  });

  test("S27 a note says what is hidden in it, and what was not kept", async () => {
    const request = { ...exchangeRecord("x").request, body: recordBody(Buffer.from('{"code":"canary-code"}'), 100) };
    directory.write(".app-sim/journal.ndjson", journalText([exchangeRecord("cut11111", { request })]));
    const { stdout, stderr } = await log("last", "--body", "request");
    expect(stdout).toBe('{"code":"‹redacted›"}');
    expect(stderr).toMatch(/^warning: the journal kept 22 of its 100 bytes\nwarning: secrets in it are hidden\n$/);
  });

  test.each([
    ["none3333", "response", "none3333 has no answer"],
    ["login444", "request", "login444 is not an exchange"],
  ])("%s has no %s body", async (id, which, message) => {
    const { code, stderr } = await log(id, "--body", which, "--format", "json");
    expect([code, onlyObject(stderr).error]).toEqual([
      2,
      expect.objectContaining({ code: "body-missing", message: expect.stringContaining(message) }),
    ]);
  });
});
