import { execFileSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { filesNamed } from "../../src/output/files-named.ts";
import { runCli, startCli } from "../rig/cli.ts";
import { exchangeRecord, journalText } from "../rig/journal-lines.ts";
import { runShell } from "../rig/shell.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// R21, R23, R41: what a command waits for, and how it ends where the machine does not give what it needs.

const waits: readonly (readonly [what: string, args: readonly string[]])[] = [
  ["a pipe as a manifest", ["manifest", "--manifest", "pipe"]],
  ["a pipe as a fixture", ["post-import", "pipe"]],
  ["a pipe as a scenario", ["run", "pipe"]],
  ["a pipe as a payload", ["webhook", "a.b", "--data", "pipe"]],
  ["a pipe as a config file", ["config", "--config", "pipe.json"]],
  ["stdin as a payload", ["webhook", "a.b", "--data", "-"]],
];

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

describe.concurrent.each(waits)("R21 while it waits for %s", (_, args) => {
  const [signal, code] = signals[waits.findIndex(([, each]) => each === args) % signals.length] ?? signals[0];

  it(`the first ${signal} ends it with ${code}`, async () => {
    using directory = makeTempDir();
    for (const name of ["pipe", "pipe.json"]) execFileSync("mkfifo", [path.join(directory.path, name)]);
    // It says when its signals are its own.
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(announce)}` };
    await using cli = startCli(args, { cwd: directory.path, env });
    await cli.printed(/signals taken/);
    cli.child.kill(signal);
    expect((await cli.done).code).toBe(code);
  });
});

const announce = `
const { on } = process;
process.on = (name, listener) => {
  on.call(process, name, listener);
  if (name === "SIGHUP") process.stderr.write("signals taken");
  return process;
};`;

it.each([
  ["log", "--har"],
  ["log", "--grep", "success"],
  ["report", "--out", "report.html"],
  ["verify", "--again"],
  ["replay", "last"],
])("R21 a signal ends %s %s before a whole journal was searched", async (...args) => {
  using directory = makeTempDir();
  const records = Array.from({ length: 200 }, (_, index) => exchangeRecord(`id${index}`));
  directory.write(".app-sim/journal.ndjson", journalText(records));
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(endAtOnce)}` };
  expect(await runCli(args, { cwd: directory.path, env })).toEqual({ code: 143, signal: null, stdout: "", stderr: "" });
  expect(existsSync(path.join(directory.path, "report.html"))).toBe(false);
});

/** A signal that comes as soon as the program hears of signals. */
const endAtOnce = `
const { on } = process;
process.on = (name, listener) => {
  on.call(process, name, listener);
  if (name === "SIGHUP") setImmediate(() => process.emit("SIGTERM", "SIGTERM"));
  return process;
};`;

it("R23 a pipe with a writer is read like a file", async () => {
  using directory = makeTempDir();
  const script = `mkfifo pipe; (echo '{"modules":{}}' > pipe) & app_sim manifest --manifest pipe`;
  const { code, stdout } = await runShell(script, directory.path);
  expect([code, stdout]).toEqual([0, expect.stringContaining("no modules")]);
});

it.each([
  ["manifest", ["manifest", "--manifest", "large.json"], "1 MiB"],
  ["config file", ["config", "--config", "large.json"], "1 MiB"],
  ["fixture", ["post-import", "larger.json"], "32 MiB"],
])("R23 a %s of any size is refused in clear words", async (what, args, limit) => {
  using directory = makeTempDir();
  directory.write("large.json", " ".repeat(1_048_577));
  directory.write("larger.json", " ".repeat(33_554_433));
  const { code, stderr } = await runCli(args, { cwd: directory.path });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(new RegExp(`${what} .* is larger than the limit of ${limit}`)),
  ]);
});

describe("R23 a walk", () => {
  it("follows no links", async () => {
    using directory = makeTempDir();
    directory.write("folder/a.json", "{}");
    directory.write("elsewhere/b.json", "{}");
    symlinkSync(path.join(directory.path, "elsewhere"), path.join(directory.path, "folder/link"));
    symlinkSync(path.join(directory.path, "folder"), path.join(directory.path, "folder/again"));
    for (const name of ["folder", "folder/**/*.json"]) {
      expect(await filesNamed(directory.path, name, ["**/*.json"])).toEqual(["folder/a.json"]);
    }
  });

  it("has an end", async () => {
    using directory = makeTempDir();
    for (const file of ["a/1.json", "a/2.json", "b/3.json"]) directory.write(file, "{}");
    const walked = (entryLimit: number) => filesNamed(directory.path, "**/*.json", [], entryLimit);
    // Two directories and three files.
    expect(await walked(5)).toHaveLength(3);
    expect(await usageErrorOf(walked(4))).toMatchObject({
      code: "walk-too-long",
      message: expect.stringContaining("more than 4 files and folders"),
      hint: expect.stringContaining("name the files"),
    });
  });
});

describe("R41 a lack of the machine's resources ends with a clear message and a separate exit code", () => {
  it("open files: 71", async () => {
    using directory = makeTempDir();
    const { code, stderr } = await runShell("ulimit -n 19; app_sim manifest", directory.path);
    expect([code, stderr]).toEqual([
      71,
      expect.stringMatching(/^error: this process may not open more files\nhint: .*ulimit/),
    ]);
  });

  it("code from text: 2", async () => {
    const env = { NODE_OPTIONS: "--disallow-code-generation-from-strings" };
    const { code, stderr } = await runCli(["serve", "--port", "0"], { env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: Node is not allowed to generate code from strings here/),
    ]);
  });
});
