import { execFileSync } from "node:child_process";
import { chownSync, lchownSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { journalPath, openJournalFile } from "../../src/journal/journal-file.ts";
import { findPlatform, runningPlatformPath } from "../../src/serve/running-platform.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// S31: what another user, or a folder from elsewhere, has put where app-sim looks.

const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;

describe.skipIf(!isRoot)("S31 a config file of another user", () => {
  it.each(["json", "js", "mjs", "cjs"])("is not used from a folder above (.%s)", async (ending) => {
    using directory = makeTempDir();
    const text = ending === "json" ? "{}" : "throw new Error('it was run')";
    const file = directory.write(`app-sim.config.${ending}`, text);
    chownSync(file, STRANGER, STRANGER);
    const cwd = path.dirname(directory.write("own/deep/x", ""));
    const error = await usageErrorOf(loadConfig({}, {}, cwd));
    expect(error).toMatchObject({ code: "config-untrusted", hint: expect.stringContaining(`--config ${file}`) });
    expect(error.message).toContain(String(STRANGER));
  });

  it("is not run, even from the working directory or by a link of theirs", async () => {
    using directory = makeTempDir();
    const own = directory.write("own.mjs", "export default {}");
    const link = path.join(directory.path, "app-sim.config.mjs");
    symlinkSync(own, link);
    lchownSync(link, STRANGER, STRANGER);
    expect(await usageErrorOf(loadConfig({}, {}, directory.path))).toMatchObject({ code: "config-untrusted" });
  });

  it("is used if it is named, or belongs to the user who called sudo", async () => {
    using directory = makeTempDir();
    const file = directory.write("app-sim.config.mjs", "export default { port: 7 }");
    chownSync(file, STRANGER, STRANGER);
    expect((await loadConfig({ config: file }, {}, directory.path)).config.port).toBe(7);
    const env = { SUDO_UID: String(STRANGER) };
    expect((await loadConfig({}, env, directory.path)).config.port).toBe(7);
  });
});

it("S31 the search for a config file ends at the top of the repository", async () => {
  using directory = makeTempDir();
  directory.write("app-sim.config.mjs", "throw new Error('it was run')");
  directory.write("repository/.git/HEAD", "");
  const cwd = path.dirname(directory.write("repository/deep/x", ""));
  expect((await loadConfig({}, {}, cwd)).config.port).toBe(7410);
  directory.write("repository/app-sim.config.json", { port: 8 });
  expect((await loadConfig({}, {}, cwd)).config.port).toBe(8);
});

describe("S31 the journal", () => {
  function troublesWith(directory: string): string[] {
    const troubles: string[] = [];
    const file = openJournalFile(directory, (message) => troubles.push(message));
    file.append({ type: "foreign", id: "a", at: "", count: 1, method: "GET", path: "/", origin: null });
    file.close();
    return troubles;
  }

  it("is never written through a link", () => {
    using directory = makeTempDir();
    const target = directory.write("profile", "");
    directory.write("journal/x", "");
    symlinkSync(target, journalPath(path.join(directory.path, "journal")));
    expect(troublesWith(path.join(directory.path, "journal"))).toEqual([
      expect.stringMatching(/it is a symbolic link/),
    ]);
    expect(readFileSync(target, "utf8")).toBe("");
  });

  it.each(["#!/bin/sh\necho mine\n", "{}\n", '{"type":"other","version":1}\n', '{"type":"journal"'])(
    "is not appended to a file that is something else: %j",
    (text) => {
      using directory = makeTempDir();
      const file = directory.write("journal.ndjson", text);
      const isTorn = text === '{"type":"journal"';
      expect(troublesWith(directory.path)).toEqual(isTorn ? [] : [expect.stringMatching(/not an app-sim journal/)]);
      if (!isTorn) expect(readFileSync(file, "utf8")).toBe(text);
    },
  );

  it("cannot be a pipe or device, which might block", () => {
    using directory = makeTempDir();
    execFileSync("mkfifo", [journalPath(directory.path)]);
    expect(troublesWith(directory.path)).toEqual([expect.stringMatching(/not a regular file/)]);
    expect(lstatSync(journalPath(directory.path)).isFIFO()).toBe(true);
  });
});

it("S31 an announcement of a platform cannot be a pipe", () => {
  using directory = makeTempDir();
  execFileSync("mkfifo", [runningPlatformPath(directory.path, 1)]);
  expect(findPlatform(directory.path, 1)).toBeNull();
});
