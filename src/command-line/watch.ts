import { stat } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import type { Invocation } from "../action/invocation.ts";
import { listenerOf } from "../app-client/listener.ts";
import { systemClock } from "../app-client/ports.ts";
import { loadConfig } from "../config/load.ts";
import { exitCodes } from "../output/exit-code.ts";
import { ExitError } from "../output/exit-error.ts";
import { filesNamed } from "../output/files-named.ts";
import { jsonLine } from "../output/json.ts";
import { tell } from "../output/tell.ts";
import { manifestSource } from "../platform/manifests.ts";
import { isExpectedAnswer } from "../post-import/files/expected-answer.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { NamedFiles } from "./named-files.ts";
import { refusalOf } from "./refusal.ts";

/** Pause between two checks: short enough for a person who saves a file, and cheap. */
const PAUSE_MS = 250;
/** Files watched in a given folder, whether or not the command uses them. */
const within = ["**/*.{json,ndjson,yml,yaml}"];

/** Who listens for the apps, and when the files were last written. */
interface Sight {
  readonly apps: ReadonlyMap<string, string | null>;
  readonly files: ReadonlyMap<string, number | null>;
}

/**
 * `--watch`: runs a command, and again whenever an app has restarted or a file was changed, until Ctrl-C, which is the
 * normal end. An error in a later run, such as a half-written file, is reported without ending it.
 * @param names files, folders and patterns whose files the command reads
 * @throws UsageError for a format whose reports cannot follow one another
 */
export async function runWatched(
  given: Invocation,
  names: readonly string[],
  run: (invocation: Invocation) => Promise<number>,
): Promise<number> {
  const { format, ended } = given;
  if (format !== "text" && format !== "json") {
    throw new UsageError(
      "format-invalid",
      `--watch has no format ${format}: its reports cannot follow one another`,
      "allowed: text, and json with one object on each line",
    );
  }
  given.expectInterrupt();
  const named = new NamedFiles();
  let before = await look(given, names, named);
  for (let round = 1; ; round++) {
    await runOnce(given, round === 1, run);
    if (ended.aborted) return endedByUser(given);
    if (round === 1) tell(given, `Watching ${watchedText(before)}: Ctrl-C ends it.`);
    const next = await nextChange(before, () => look(given, names, named), ended);
    if (next === null) return endedByUser(given);
    before = next.sight;
    given.err(given.isInteractive ? "\n" : "");
    tell(given, `Again: ${next.what}.`);
  }
}

function endedByUser({ isInteractive, err }: Invocation): number {
  // The terminal shows ^C on this row.
  if (isInteractive) err("\n");
  return exitCodes.asExpected;
}

async function runOnce(
  given: Invocation,
  isFirst: boolean,
  run: (invocation: Invocation) => Promise<number>,
): Promise<void> {
  const inJson = given.format === "json";
  const printed: string[] = [];
  const out = (text: string | Uint8Array) => {
    printed.push(text.toString());
  };
  // No screen with keys: the next run must not wait for a key press.
  const invocation = { ...given, terminal: null, ...(inJson ? { out } : {}) };
  try {
    await run(invocation);
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof ExitError;
    if (isFirst || !isExpected) throw error;
    given.err(refusalOf(error, new Command(), { inJson, width: given.errWidth() }).text);
  }
  if (printed.length > 0) given.out(jsonLine(JSON.parse(printed.join(""))));
}

async function look({ settings, env, cwd }: Invocation, names: readonly string[], named: NamedFiles): Promise<Sight> {
  const { config, file } = await loadConfig(settings, env, cwd).catch(nothingRead);
  const apps = config?.apps ?? [];
  const manifests = apps.map(manifestSource).filter((source) => !isHttpUrl(source));
  const found = await Promise.all(names.map((name) => filesNamed(cwd, name, within)));
  const fixtures = config?.verify.fixtures ?? [];
  // Files that --update writes must not trigger a run.
  const own = [...fixtures, ...found.flat()].filter((name) => !isExpectedAnswer(name));
  const used = await named.with(own.map((name) => path.resolve(cwd, name)));
  const files = [...(file === null ? [] : [file.path]), ...manifests, ...used];
  return {
    apps: new Map(await Promise.all(apps.map(async ({ url }) => [url, await listenerOf(url)] as const))),
    files: new Map(
      await Promise.all(files.map(async (name) => [name, await writtenAt(path.resolve(cwd, name))] as const)),
    ),
  };
}

/** The config file is being written; the next run reports what is wrong with it. */
function nothingRead(error: unknown): { readonly config: null; readonly file: null } {
  if (error instanceof UsageError) return { config: null, file: null };
  throw error;
}

async function writtenAt(place: string): Promise<number | null> {
  return stat(place).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
}

/** Waits for a change, and until no more follow; null if the signal was aborted before. */
async function nextChange(
  before: Sight,
  lookAgain: () => Promise<Sight>,
  ended: AbortSignal,
): Promise<{ readonly sight: Sight; readonly what: string } | null> {
  let last = before;
  while (!ended.aborted) {
    await systemClock.pause(PAUSE_MS, ended);
    const sight = await lookAgain();
    const what = changeBetween(before, sight);
    if (what !== null && changeBetween(last, sight) === null && !ended.aborted) return { sight, what };
    last = sight;
  }
  return null;
}

/** Why a command runs again: an app that disappears is no reason. */
function changeBetween(before: Sight, now: Sight): string | null {
  if ([...now.apps.values()].includes(null)) return null;
  const [app] = [...now.apps].find(([url, listener]) => before.apps.get(url) !== listener) ?? [];
  if (app !== undefined) return `the app at ${app} has started`;
  const names = [...new Set([...before.files.keys(), ...now.files.keys()])];
  const file = names.find((name) => before.files.get(name) !== now.files.get(name));
  return file === undefined ? null : `${path.basename(file)} was changed`;
}

/** A command line may name a folder with hundreds of files. */
const NAMED_FILES = 3;

function watchedText({ apps, files }: Sight): string {
  const there = [...files].filter(([, writtenAt]) => writtenAt !== null);
  const names = there.map(([name]) => path.basename(name));
  const shown = names.length > NAMED_FILES ? [`${names.length} files`] : names;
  return [...apps.keys(), ...shown].join(", ");
}
