import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../../src/command-line/program.ts";
import { columnsOf } from "../../src/output/layout.ts";
import { runCli } from "../rig/cli.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";

const built = buildProgram("0", async () => {});
/** All but `help`, which commander declares, and the hidden command that scripts of shells call. */
const commands = built
  .createHelp()
  .visibleCommands(built)
  .map((command) => command.name())
  .filter((name) => name !== "help");

const quiet = { code: 0, signal: null, stderr: "" };

/** A command without its comment; a line of JSON or of YAML; an address. */
function isToCopy(line: string): boolean {
  return /^ +(\$ [^#]+|[{"][^#]+|- [\w]+: [^#]+)$/.test(line) || /^\W*https?:\/\/\S+$/.test(line);
}

describe.concurrent("--help", () => {
  test.each([[], ...commands.map((name) => [name])])("of app-sim %s has examples of exactly that", async (...names) => {
    const result = await runLine([...names, "--help"]);
    expect(result).toMatchObject(quiet);
    expect(result.stdout).toMatch(/^Usage: app-sim /);
    const [, examples = ""] = result.stdout.split("\nExamples:\n");
    const lines = examples.split("\n").filter((line) => line.startsWith("  $ "));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toContain(["app-sim", ...names].join(" "));
  });

  test("lists the exit codes and every command", async () => {
    const { stdout } = await runLine(["--help"]);
    for (const code of [0, 1, 2, 3, 4, 70, 130, 143])
      expect(stdout).toMatch(new RegExp(`^.*Exit codes:.*\\b${code} `, "s"));
    for (const name of commands) expect(stdout).toContain(`\n  ${name} `);
    expect(commands).toEqual(
      expect.arrayContaining([
        "demo",
        "guard",
        "post-import",
        "webhook",
        "manifest",
        "choices",
        "config",
        "env",
        "log",
      ]),
    );
  });

  test("of a command names its formats", async () => {
    const [env, guard] = await Promise.all([runLine(["env", "--help"]), runLine(["guard", "--help"])]);
    expect(env.stdout.replaceAll(/\s+/g, " ")).toContain("on stdout: dotenv, json, shell or powershell --color");
    expect(guard.stdout.replaceAll(/\s+/g, " ")).toContain("on stdout: text or json --color");
  });

  test("is also what `app-sim help COMMAND` prints", async () => {
    const [byOption, byCommand] = await Promise.all([runLine(["guard", "--help"]), runLine(["help", "guard"])]);
    expect(byCommand).toEqual(byOption);
  });

  test("of app-sim itself is one screen: each command, and each option, on one line", async () => {
    const { stdout } = await runLine(["--help"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(58);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const program = buildProgram("0", async () => {});
    for (const { flags } of program.options) expect(stdout).toContain(`  ${flags}`);
    // A command's own help has what the overview leaves out.
    const { stdout: own } = await runLine(["reset", "--help"]);
    expect(own).toContain("forget the installations and tokens that are stored next to the journal");
    expect(own).toMatch(/^ {2}--wait <duration> +wait until the app listens/m);
  });

  test("rewraps prose, and moves explanations of code to the next line if they do not fit", async () => {
    const { stdout } = await runLine(["exec", "--help"], { width: 60 });
    expect(stdout).toContain(
      "\nThe command gets the variables of app-sim env. It also gets\nAPP_SIM_PORT and APP_SIM_JOURNAL, so",
    );
    const { stdout: steps } = await runLine(["run", "--help"], { width: 60 });
    expect(steps).toContain("\n    - advance: 2h  # the platform's clock\n");
    expect(steps).toContain("\n    # the grant type of a token request\n    - expect: { token: refresh_token }\n");
    const { stdout: faults } = await runLine(["fault", "--help"], { width: 40 });
    expect(faults).toContain("\n  consent  denied, server_error,\n           temporarily_unavailable\n");
    expect(faults).toMatch(/^ {2}--app <url>\n {6}address of your app \(default:\n {6}http:\S+\)$/m);
  });

  test.each([40, 60, 80, 120])("fits into %i columns, but for commands, code and addresses to copy", async (width) => {
    const wide: string[] = [];
    for (const name of ["", ...commands]) {
      const { stdout } = await runLine([...(name === "" ? [] : [name]), "--help"], { width });
      const lines = stdout.split("\n").filter((line) => columnsOf(line) > width);
      wide.push(...lines.filter((line) => !isToCopy(line)).map((line) => `${name}: ${line}`));
    }
    expect(wide).toEqual([]);
  });
});

test("--version prints the version and nothing else", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(await runCli(["--version"])).toEqual({ ...quiet, stdout: `${version}\n` });
});

describe.concurrent("wrong usage", () => {
  test("no arguments: the help on stderr, exit 2", async () => {
    const { stdout } = await runLine(["--help"]);
    expect(await runLine([])).toEqual({ code: 2, signal: null, stdout: "", stderr: stdout });
  });

  const mistakes: [args: string[], says: string | RegExp][] = [
    [["trigger"], /unknown command 'trigger'.*app-sim webhook EVENT/],
    [["sign"], /unknown command 'sign'.*app-sim webhook EVENT --explain/],
    [["login"], /unknown command 'login'.*app-sim guard/],
    [["guard", "network"], /too many arguments.*--module network/],
    [["exec", "node", "-e", "1"], /-e comes after node, .*app-sim exec -- node -e/],
    [["gaurd"], /unknown command 'gaurd'.*Did you mean guard\?/],
    [["help", "gaurd"], /unknown command 'gaurd'.*Did you mean "guard"\?/],
    [["status"], /unknown command 'status'.*app-sim doctor/],
    [["deploy"], /unknown command 'deploy'.*app-sim serve/],
    [["setup"], /unknown command 'setup'.*app-sim init/],
    [["verify", "guard"], /too many arguments.*--only guard/],
    [["verify", "network"], /too many arguments.*--module network/],
    [["oauth", "/signin"], /too many arguments.*--start \/signin/],
    [["oauth", "--redirect-uri", "http://localhost:3000/cb"], /--start.*such as --start \/login/],
    [["post-imprt", "x.json"], "Did you mean post-import?"],
    [["guard", "--modul", "x"], /unknown option '--modul'.*Did you mean --module\?/],
    [["--fromat", "json", "guard"], "Did you mean --format?"],
    [["guard", "--format", "jsno"], /no format jsno\. Did you mean "json"\?/],
    [["guard", "--format", "junit"], /no format junit.*allowed: text, json; junit is a format of: verify/],
    [["guard", "--color", "sometimes"], "auto, always, never"],
    [["guard", "one-too-many"], "too many arguments for 'guard'"],
    [["guard", "--format"], /--format needs a value: --format <format>.*allowed: text, json $/],
    [["verify", "--only", "guard", "--format"], /--format needs a value.*allowed: text, json, junit/],
    [["--wait"], /--wait needs a value: --wait <duration>/],
    [["webhook", "--tamper"], /--tamper needs a value: .* body, signature, secret, header or all $/],
    [["webhook", "project.translated", "--user", "member"], /unknown option '--user' hint: a delivery has no user/],
    [["guard", "--wait", "soon"], "expected a duration such as 30s, 500ms or 1m30s, or a number of seconds"],
    [["webhook"], "no event is named"],
    [["post-import"], "missing required argument 'file'"],
    [["webhook", "e", "--count", "0"], "expected a whole number from 1"],
    [["log", "--last", "some"], "expected a whole number from 1"],
  ];

  test.each(mistakes)("%j: one line with a hint below it, exit 2", async (args, says) => {
    const result = await runLine(args);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toMatch(/^error: [^\n]+\nhint: [^\n]+\n$/);
    expect(result.stderr.replaceAll("\n", " ")).toMatch(says);
  });

  test.each([
    [["gaurd", "--format", "json"]],
    [["--format=json", "guard", "--modul"]],
    [["guard", "--format", "yaml", "--format", "json", "--color", "x"]],
  ])("%j: the same as JSON on stderr", async (args) => {
    const result = await runLine(args);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    const { error } = onlyObject(result.stderr);
    expect(error).toEqual({
      code: "usage",
      message: expect.any(String),
      hint: expect.stringMatching(/--help|allowed/),
    });
  });
});
