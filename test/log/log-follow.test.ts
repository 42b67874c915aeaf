import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordBody } from "../../src/journal/journal.ts";
import { clearJournal, openJournalFile } from "../../src/journal/journal-file.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";
import { startLine } from "../rig/line.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

let directory: TempDir;
beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

const journal = () => join(directory.path, ".app-sim");
const follow = (...args: string[]) => startLine(["log", "--follow", ...args], { cwd: directory.path });
const writer = (largest?: number) => openJournalFile(journal(), () => {}, largest);

describe("app-sim log --follow", () => {
  test("shows existing records, then each new one once, until it is interrupted", async () => {
    directory.write(".app-sim/journal.ndjson", journalText([exchangeRecord("first111"), loginRecord("second22")]));
    await using line = follow();
    await line.printed(/second22/);
    const file = writer();
    file.append(exchangeRecord("third333"));
    await line.printed(/third333/);
    file.append(loginRecord("fourth44", { outcome: "denied", reason: "No\u001b[2J way" }));
    await line.printed(/fourth44.*No␛\[2J way/);
    file.close();
    line.signal("SIGINT");
    expect(await line.done).toMatchObject({ code: 0, stderr: "" });
    const ids = line.stdout().match(/^\w{8}(?= )/gm);
    expect(ids).toEqual(["first111", "second22", "third333", "fourth44"]);
  });

  test("starts before there is a journal, and continues after --clear and after a rotation", async () => {
    await using line = follow("--format", "json");
    const file = writer(1000);
    file.append(exchangeRecord("first111"));
    await line.printed(/first111/);
    clearJournal(journal());
    file.append(exchangeRecord("cleared1"));
    await line.printed(/cleared1/);
    // Each of these makes room for the next one.
    for (const id of ["full1111", "full2222", "full3333"]) {
      const request = { ...exchangeRecord(id).request, body: recordBody(Buffer.alloc(1200)) };
      file.append(exchangeRecord(id, { request }));
      await line.printed(new RegExp(id));
    }
    file.close();
    line.signal("SIGINT");
    await line.done;
    const ids = line
      .stdout()
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text).id);
    expect(ids).toEqual(["first111", "cleared1", "full1111", "full2222", "full3333"]);
  });

  test("shows only what matches, and hides secrets issued meanwhile", async () => {
    await using line = follow("--kind", "token", "--kind", "visit", "--format", "json");
    const file = writer();
    const issued = recordBody(Buffer.from('{"access_token":"canary-issued-token"}'));
    const headers = [["Content-Type", "application/json"]] as const;
    file.append(exchangeRecord("guard111"));
    file.append(exchangeRecord("token111", { purpose: "token", response: { status: 200, headers, body: issued } }));
    const echo = recordBody(Buffer.from("you have canary-issued-token"));
    file.append(exchangeRecord("visit111", { purpose: "visit", response: { status: 200, headers, body: echo } }));
    await line.printed(/visit111/);
    file.close();
    expect(line.stdout()).not.toMatch(/guard111|canary/);
    expect(line.stdout()).toContain("you have ‹redacted›");
  });
});
