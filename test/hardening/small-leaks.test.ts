import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Command } from "commander";
import { expect, it } from "vitest";
import { refusalOf } from "../../src/command-line/refusal.ts";
import { configure } from "../../src/config/load.ts";
import { LinesFile } from "../../src/post-import/files/lines-file.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";
import { signCommand } from "../../src/webhook/rules/signature.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// What was found beside the large rows: little of it, but in everybody's sight.

it("S27 the command that signs has its secret in the environment, not among the arguments, which all users may list", () => {
  for (const encoding of ["hex", "base64", "base64url"] as const) {
    const [assignment, ...words] = signCommand(encoding, "APP_SECRET").split(" ");
    expect(assignment).toBe('APP_SECRET="$APP_SECRET"');
    expect(words.join(" ")).not.toContain("$APP_SECRET");
  }
});

it("R24 a temporary directory whose file cannot be opened is removed", () => {
  using directory = makeTempDir();
  const { TMPDIR } = process.env;
  const { openSync } = fs;
  process.env.TMPDIR = directory.path;
  fs.openSync = () => {
    throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE", syscall: "open" });
  };
  syncBuiltinESMExports();
  try {
    expect(() => new LinesFile()).toThrow(UsageError);
  } finally {
    fs.openSync = openSync;
    syncBuiltinESMExports();
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  expect(fs.readdirSync(directory.path)).toEqual([]);
});

it.each(["olena\u202E.owner", "a\u2066b", "a\u200Bb", "a\nb"])("S15 %j is not a login name", async (login) => {
  const users = [{ id: 1, role: "owner" as const, login }];
  expect(await usageErrorOf(configure({ users }, process.cwd()))).toMatchObject({ code: "config-invalid" });
});

it("S15 a list of problems is limited on the terminal, and complete in JSON", () => {
  const problems = Array.from({ length: 10_000 }, (_, index) => ({ path: `[${index}]`, message: "is wrong" }));
  const error = new UsageError("manifest-invalid", "it is not valid", "fix it", problems);
  const facts = (inJson: boolean) => refusalOf(error, new Command(), { inJson, width: 80 }).text;
  expect(facts(false).split("\n").length).toBeLessThan(60);
  expect(facts(false)).toContain("and 9,950 more");
  expect(JSON.parse(facts(true)).error.problems).toHaveLength(10_000);
});

it("R41 a lack of the machine's resources has its own exit code", () => {
  const codeOf = (error: unknown) => refusalOf(error, new Command(), { inJson: true, width: 80 });
  const memory = [
    new RangeError("WebAssembly.Memory(): could not allocate: out of memory"),
    new RangeError("Array buffer allocation failed"),
  ];
  for (const error of memory)
    expect(codeOf(error)).toMatchObject({ exitCode: 71, text: expect.stringContaining("out-of-memory") });
  expect(codeOf(Object.assign(new Error("x"), { code: "EMFILE" })).exitCode).toBe(71);
  expect(codeOf(new RangeError("Maximum call stack size exceeded")).exitCode).toBe(70);
});
