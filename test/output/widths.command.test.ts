import { afterAll, beforeAll, expect, test } from "vitest";
import { type SampleApp, startSampleApp } from "../../examples/sample-app/app.js";
import { defaultConfig } from "../../src/config/default-world.ts";
import { columnsOf } from "../../src/output/layout.ts";
import { furnish } from "../rig/docs.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { startLineInTerminal } from "../rig/line-terminal.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const widths = [40, 60, 80, 120, 200];

/** What takes a while to run is shown at the ends and in the middle; the texts of `verify` have a test of their own. */
const widthsOfSlow = [40, 80, 200];
const isSlow = (command: string) => /^(verify --only|webhook .*--tamper|run|load|oauth|demo)\b/.test(command);

/** Every report, of what went well and of what did not; in this order, as some show what others did. */
const commands = [
  "guard",
  "guard --ip 198.51.100.7",
  "guard --user manager --press accept",
  "guard --module network --details",
  "post-import fixtures/jobs",
  "post-import fixtures/jobs/greetings.json --via url",
  "fixture fixtures/files/messages.po --out jobs-of-WIDTH",
  "webhook project.translated project.approved --count 3 --tamper all",
  "webhook project.translated --explain python",
  "replay last",
  "verify --only guard.token.missing,guard.answer --module network",
  "verify --only guard.token.expired,webhook.signature --details",
  "verify --list",
  "verify --explain guard.token.expired",
  "run fixtures/scenarios/translation-round.yml",
  "load --rate 50 --duration 100ms",
  "oauth --start /login",
  "manifest",
  "install",
  "uninstall",
  "choices",
  "config",
  "log",
  "log --failed",
  "log last",
  "log --status 599",
  "report --out WIDTH.md",
  "demo --broken list",
  "clock now",
  "nonsense",
  "guard --user nobody",
  "guard --app http://127.0.0.1:1",
  "post-import nowhere.json",
  "webhook",
];

let directory: TempDir;
let app: SampleApp;
let port: number;
beforeAll(async () => {
  directory = makeTempDir();
  const [installation] = defaultConfig.apps;
  if (installation === undefined) throw new Error("the default world has an app");
  port = await unusedPort();
  app = await startSampleApp({ ...installation, authUrl: `http://127.0.0.1:${port}` });
  await furnish(directory.path);
});
afterAll(async () => {
  await app.close();
  directory[Symbol.dispose]();
});

/** An address stays whole, so that it can be copied; what a shell or an editor is to read has the lines it has. */
function isTorn(line: string, width: number): boolean {
  const words = line.trim().split(/ +/);
  const isUnbroken = words.some((word) => /:\/\/|^https?:/.test(word));
  return columnsOf(line) > width && !isUnbroken;
}

test.each(widths)("no line of any report is wider than %i columns", async (width) => {
  const torn: string[] = [];
  const env = {
    APP_SIM_APP: app.url,
    APP_SIM_PORT: String(port),
    APP_SIM_REDIRECT_URI: `${app.url}/oauth/callback`,
  };
  for (const command of commands.filter((each) => !isSlow(each) || widthsOfSlow.includes(width))) {
    const args = command.replaceAll("WIDTH", String(width)).split(" ");
    const { stdout, stderr } = await runLine(args, { cwd: directory.path, env, width });
    const isCode = command.includes("--explain python");
    const lines = `${stdout}${stderr}`
      .split("\n")
      .filter((line) => isTorn(line, width) && !(isCode && line.startsWith("  ")));
    torn.push(...lines.map((line) => `${command}: ${line}`));
  }
  expect(torn).toEqual([]);
});

test("nor is a line printed while a page is walked", async () => {
  const args = ["guard", "--app", app.url, "--port", String(port), "--user", "manager", "--press", "accept"];
  await using terminal = startLineInTerminal(args, { cols: 40, rows: 90 });
  const { raw } = await terminal.ended;
  expect(raw).toMatch(/submitting the form of the page\r?\n {2}http:\S+\r?\n {2}GET \S+ 200\r?\n/);
  expect(raw.split(/\r?\n/).filter((line) => isTorn(line, 40))).toEqual([]);
});
