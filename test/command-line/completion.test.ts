import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { hasTools } from "../rig/has-tools.ts";
import { runLine } from "../rig/line.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

/** What may stand for the last word: the values, and whether files may as well. */
async function complete(...words: string[]): Promise<{ values: string[]; files: boolean }> {
  const { stdout } = await runLine(["complete", "--", ...words]);
  const lines = stdout.trimEnd().split("\n");
  return { values: lines.slice(0, -1).map((line) => line.split("\t", 1)[0] ?? ""), files: lines.at(-1) === ":0" };
}

describe("app-sim complete", () => {
  test.each<[words: string[], values: string[], files?: boolean]>([
    [["gu"], ["guard"]],
    [["--format", "json", "mani"], ["manifest"]],
    [["help", "gu"], ["guard"]],
    [["help", "guard", ""], []],
    [["guard", "--expect-"], ["--expect-denied-by"]],
    [
      ["guard", "--expect", ""],
      ["granted", "denied", "refused"],
    ],
    [["guard", "--expect=de"], ["denied"]],
    [["guard", "--mfa", "--col"], ["--color"]],
    [["guard", "--hel"], ["--help"]],
    [["config", "login.u"], ["login.user"]],
    [["config", "apps[0].clientS"], ["apps[0].clientSecret"]],
    [["verify", "--explain", "guard.token.exp-m"], ["guard.token.exp-missing"]],
    [["guard", ""], []],
    [
      ["guard", "--user", "m"],
      ["manager", "member"],
    ],
    [["oauth", "--user=a"], ["admin"]],
    [["install", "--user", "ou"], ["outsider"]],
    [
      ["webhook", "project.approved", ""],
      ["project.translated", "project.approved"],
    ],
    [["load", "project.t"], ["project.translated"]],
    [["replay", ""], ["last"]],
    [["log", "l"], ["last"]],
    [
      ["fault", "c"],
      ["clear", "consent=denied", "consent=server_error", "consent=temporarily_unavailable"],
    ],
    [
      ["guard", "--explain", "p"],
      ["python", "php"],
    ],
    [["webhook", "--explain=g"], ["go"]],
    [
      ["verify", "--format", "j"],
      ["json", "junit"],
    ],
    [
      ["guard", "--format", ""],
      ["text", "json"],
    ],
    [["choices", "guard.jwt.c"], ["guard.jwt.claims"]],
    [["post-import", ""], [], true],
    [["guard", "--config", ""], [], true],
    [["completion", "z"], ["zsh"]],
    [["dev", "--", "np"], [], true],
    [["gaurd", "x"], []],
  ])("%j", async (words, values, files = false) => {
    expect(await complete(...words)).toEqual({ values, files });
  });

  test("shows help only where there is some: zsh would show an empty text", async () => {
    const { stdout } = await runLine(["complete", "--", "guard", "--expect", "d"]);
    expect(stdout).toBe("denied\n:4\n");
  });

  test("offers every command that help lists, and not itself", async () => {
    const { values } = await complete("");
    expect(values).toEqual(expect.arrayContaining(["demo", "serve", "completion", "help"]));
    expect(values).not.toContain("complete");
  });
});

const inBash = `eval "$(app-sim completion bash)"; eval "$(app-sim completion bash)" 2>&1
COMP_WORDS=(app-sim guard --expect de) COMP_CWORD=3 COMP_LINE="app-sim guard --expect de" COMP_POINT=26
__app_sim_complete 2>/dev/null; echo "$COMPREPLY"`;

/** How a shell that is not interactive is asked for its completions of `app-sim guard --expect de`. */
const asked: readonly [shell: string, script: string, having?: string][] = [
  ["bash", inBash, " without the package bash-completion"],
  ["bash", `source /usr/share/bash-completion/bash_completion 2>/dev/null\n${inBash}`],
  ["zsh", 'autoload -U compinit; compinit -u -d ./dump; eval "$(app-sim completion zsh)"; whence _app-sim'],
  ["fish", "app-sim completion fish | source; complete -C'app-sim guard --expect de'"],
];

describe("app-sim completion", () => {
  for (const [shell, script, having = ""] of asked) {
    test.skipIf(!hasTools(shell))(`a real ${shell}${having} accepts its script`, () => {
      using directory = makeTempDir();
      symlinkSync(path.resolve(import.meta.dirname, "../../bin/app-sim.js"), path.join(directory.path, "app-sim"));
      const env = { PATH: `${directory.path}:${process.env.PATH}`, HOME: directory.path, TERM: "dumb" };
      const stdout = execFileSync(shell, ["-c", script], { cwd: directory.path, env, encoding: "utf8" });
      expect(stdout.trim()).toBe(shell === "zsh" ? "_app-sim" : "denied");
    });
  }

  test("PowerShell's script asks app-sim, and another shell is refused", async () => {
    expect((await runLine(["completion", "tcsh"])).stderr).toContain("bash, zsh, fish, powershell");
    const program = path.resolve(import.meta.dirname, "../../bin/app-sim.js");
    const script = execFileSync(process.execPath, [program, "completion", "powershell"], { encoding: "utf8" });
    expect(script).toMatch(/Register-ArgumentCompleter -CommandName 'app-sim'/);
  });
});
