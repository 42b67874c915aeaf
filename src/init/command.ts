import path from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { listens } from "../app-client/wait-for-app.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { exitCodes } from "../output/exit-code.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { showProgress } from "../output/progress.ts";
import { tell, tellWarning } from "../output/tell.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { InitFlags } from "./action.ts";
import { startAsking } from "./ask.ts";
import { configNames } from "./config-text.ts";
import type { InitFile, InitResult } from "./init-result.ts";
import { initText, projectText, proposedText } from "./init-text.ts";
import { nextSteps } from "./next-steps.ts";
import type { FoundProject } from "./project.ts";
import type { ProposedFile } from "./project-files.ts";
import { proposeFiles } from "./propose-files.ts";
import { readProject } from "./read-project.ts";
import { textAt, writeProposed } from "./write-file.ts";

/** The platform that queries the app, if the app is running. */
interface AskingPlatform {
  proposeVerify(): Promise<{ readonly app?: object; readonly verify: object; readonly warnings: readonly string[] }>;
  close(): Promise<void>;
}

type InitCall = CommandCall<AskingPlatform, InitFlags>;

/** `app-sim init` */
export async function initProjectCommand(call: InitCall): Promise<number> {
  const { invocation, flags } = call;
  const { format, out, paint, signal, terminal } = invocation;
  const { configFormat = "json" } = flags;
  const loaded = await loadConfig(invocation.settings, invocation.env, invocation.cwd);
  const folder = projectFolder(invocation, loaded);
  const found = await readProject(folder);
  const { url, from } = addressOf(found, loaded);
  const asked = await askApp(call, loaded, url);
  const { files, there, warnings } = await proposeFiles({
    folder,
    project: found,
    url,
    loaded,
    asked,
    configFormat,
  });
  const project = {
    ...{ language: found.language, framework: found.framework, url, urlFrom: from, start: found.start },
    ...{ manifest: found.manifest, runner: found.runner, runs: asked !== null },
  };
  const show = (lines: readonly string[]) => {
    if (format === "text") printLines(invocation, lines);
  };
  show(projectText(project));
  const isAsked = flags.yes !== true && terminal !== null && format === "text";
  using asking = isAsked ? startAsking(terminal, signal) : null;
  const done: InitFile[] = [];
  for (const file of files) {
    // Without questions, what is shown is what --yes would write.
    const proposed = isAsked ? withoutUnwritten(file, done) : file;
    if (asking?.hasQuit() !== true) {
      const isThere = (await textAt(path.resolve(folder, proposed.file))) !== null;
      show(proposedText(proposed, isThere, paint));
    }
    const mayWrite = flags.yes === true || (await asking?.mayWrite("Write it? [Y]es, [n]o, [a]ll, [q]uit: ")) === true;
    done.push(rowOf(proposed, mayWrite ? await writeProposed(folder, proposed) : "left"));
    if (asking?.hasQuit() === false) out("\n");
  }
  const result: InitResult = {
    command: "init",
    outcome: outcomeOf(done),
    project,
    files: [...done, ...there.map((file) => rowOf(file, "there"))],
    next: nextSteps(found, { hasAnswered: asked !== null, configFormat }),
    warnings: [...(asked?.warnings ?? []), ...warnings, ...(configFormat === "ts" ? unreadTypeScript() : [])],
  };
  for (const warning of result.warnings) tellWarning(invocation, warning);
  if (format === "json") out(jsonText(result));
  else show(initText(result, paint));
  if (result.outcome !== "nothing-written" || signal.aborted) return exitCodes.asExpected;
  tell(invocation, isAsked ? "Nothing was written" : "Nothing was written: --yes writes these files");
  return exitCodes.failed;
}

/** The folder of the config file that was found, which may be above the working directory; without one, the latter. */
function projectFolder(invocation: Invocation, { file, directory }: LoadedConfig): string {
  const { settings, env, cwd } = invocation;
  // A file that was named may be anywhere.
  const isNamed = (settings.config ?? env.APP_SIM_CONFIG ?? "") !== "";
  if (file === null || isNamed || directory === cwd) return cwd;
  tell(invocation, `The config file is ${file.path}, so the files below are in ${directory}`);
  return directory;
}

/** The file without its reference to another file if that one was not wanted. */
function withoutUnwritten(proposed: ProposedFile, done: readonly InitFile[]): ProposedFile {
  const { naming } = proposed;
  const isLeft = done.some(({ file, state }) => file === naming?.file && state === "left");
  return isLeft && naming !== undefined ? { ...proposed, content: naming.otherwise } : proposed;
}

function rowOf({ file, purpose, content }: ProposedFile, state: InitFile["state"]): InitFile {
  return { file, purpose, state, content };
}

function outcomeOf(done: readonly InitFile[]): InitResult["outcome"] {
  if (done.length === 0) return "nothing-to-write";
  return done.some(({ state }) => state === "written" || state === "added") ? "written" : "nothing-written";
}

/** A warning if this version of Node cannot read a config file in TypeScript. */
function unreadTypeScript(): string[] {
  const { typescript } = process.features as { readonly typescript?: unknown };
  return typescript ? [] : [`Node ${process.versions.node} cannot read ${configNames.ts}: use Node 22.18 or newer`];
}

/** Settings of the user take precedence over what the project's files say. */
function addressOf({ port }: FoundProject, { config, origins }: LoadedConfig): { url: string; from: string } {
  const [app] = config.apps;
  const origin = origins.get("apps[0].url");
  if (app !== undefined && origin !== undefined && origin !== "default") return { url: app.url, from: origin };
  return { url: `http://127.0.0.1:${port.port}`, from: port.from };
}

/** Whom the guards of the running app let in, and where its login starts; null if it is not running. */
async function askApp({ invocation, startSimulator }: InitCall, { config, choices }: LoadedConfig, url: string) {
  if (!(await listens(url))) return null;
  const progress = showProgress(invocation);
  progress.started("asking the app whom its guards let in", LONGEST_MS);
  const { journal: _, port, apps, ...rest } = config;
  // The app's pages know the platform under its usual address, and may need it: host.js is there.
  const isTaken = await listens(`http://127.0.0.1:${port}`);
  const simulator = await startSimulator({
    ...rest,
    port: isTaken ? 0 : port,
    apps: apps.map((app, index) => (index === 0 ? { ...app, url } : app)),
    profile: null,
    choices,
    listen: "when-needed",
    signal: invocation.signal,
  });
  try {
    const { app, verify, warnings } = await simulator.proposeVerify();
    return { app: app ?? {}, verify, warnings };
  } catch (error) {
    if (error instanceof UsageError) return { app: {}, verify: {}, warnings: [error.message] };
    throw error;
  } finally {
    progress.stop();
    await simulator.close();
  }
}

/** More than all guards of an app take. */
const LONGEST_MS = 60_000;
