import { describe, expect, test } from "vitest";
import { runCli } from "../rig/cli.ts";
import { rawControls } from "../rig/output.ts";

describe.concurrent("R31: colours", () => {
  const colourful: [args: string[], env: NodeJS.ProcessEnv][] = [
    [["--color", "always"], {}],
    [["--color=always"], { NO_COLOR: "1", TERM: "dumb" }],
    [["--color", "auto"], { FORCE_COLOR: "1" }],
    [[], { FORCE_COLOR: "1", NO_COLOR: "1" }],
  ];
  const plain: [args: string[], env: NodeJS.ProcessEnv][] = [
    [["--color", "auto"], { TERM: "xterm-256color", COLORTERM: "truecolor" }],
    [["--color", "never"], { FORCE_COLOR: "1" }],
    [[], { NO_COLOR: "1" }],
    [[], { TERM: "dumb", COLORTERM: "truecolor" }],
    [[], { FORCE_COLOR: "0" }],
    [["--format", "json", "--color", "always"], { FORCE_COLOR: "1" }],
  ];
  const choices = (args: readonly string[], env: NodeJS.ProcessEnv) => runCli(["choices", ...args], { env });

  test.each(colourful)("%j %j: colours, even in a pipe", async (args, env) => {
    const { code, stdout } = await choices(args, env);
    expect(code).toBe(0);
    expect(stdout).toContain("\u001b[1mguard.jwt.algorithm\u001b[22m = ");
  });

  test.each(plain)("%j %j: no ANSI byte", async (args, env) => {
    const { code, stdout, stderr } = await choices(args, env);
    expect(code).toBe(0);
    expect(stdout).toContain("guard.jwt.algorithm");
    expect(rawControls(stdout + stderr)).toEqual([]);
  });
});
