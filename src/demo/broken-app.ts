import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { SampleApp, startSampleApp } from "../../examples/sample-app/app.js";
import { readJsonFile } from "../config/json-file.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** A fault that the sample app can have. */
export interface SampleFault {
  readonly id: string;
  /** What the app does wrong, in one sentence. */
  readonly says: string;
  /** Ids of the checks of `app-sim verify` that find it. */
  readonly checks: readonly string[];
  /** Replacements in files of the sample app; `from` occurs there exactly once. */
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** The choices with which the checks find it; default none. */
  readonly choices?: Readonly<Record<string, string>>;
  /** What the setting `verify` must say so that the checks find it; default nothing. */
  readonly verify?: object;
}

const faults = fileURLToPath(new URL("../../examples/faults/", import.meta.url));
const sampleApp = fileURLToPath(new URL("../../examples/sample-app/", import.meta.url));
/** The packages of the sample app, bundled as one file. */
const packages = fileURLToPath(new URL("../../dist/sample-packages.js", import.meta.url));

/** All faults that the sample app can have. */
export async function sampleFaults(): Promise<readonly SampleFault[]> {
  const files = (await readdir(faults)).filter((name) => name.endsWith(".json")).sort();
  const lists = files.map((name) => readJsonFile(path.join(faults, name), "faults") as Promise<readonly SampleFault[]>);
  return (await Promise.all(lists)).flat();
}

/** @throws UsageError for an unknown id */
export async function findFault(wanted: string): Promise<SampleFault> {
  const all = await sampleFaults();
  const found = all.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const near = didYouMean(
    wanted,
    all.map(({ id }) => id),
  );
  throw new UsageError(
    "unknown-fault",
    `the sample app has no fault "${wanted}".${near}`,
    "`app-sim demo --broken list` shows them all",
  );
}

/** Starts a copy of the sample app with the fault. */
export async function startBrokenApp(
  fault: SampleFault,
  options: Parameters<typeof startSampleApp>[0],
): Promise<SampleApp> {
  const directory = await mkdtemp(path.join(tmpdir(), "app-sim-sample-"));
  try {
    await cp(sampleApp, directory, { recursive: true });
    for (const { file, from, to } of fault.edits) await edit(path.join(directory, file), from, to);
    await importPackages(directory);
    const module = (await import(pathToFileURL(path.join(directory, "app.js")).href)) as {
      readonly startSampleApp: typeof startSampleApp;
    };
    return await module.startSampleApp(options);
  } finally {
    // The app has read its files by now. If it is killed later, nothing else removes them.
    await rm(directory, { recursive: true, force: true });
  }
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const parts = (await readFile(file, "utf8")).split(from);
  if (parts.length !== 2)
    throw new RangeError(`${path.basename(file)} has ${parts.length - 1} times, not once: ${from}`);
  await writeFile(file, parts.join(to));
}

/** Lets the copy import the packages from their original place. */
async function importPackages(directory: string): Promise<void> {
  const place = existsSync(packages) ? pathToFileURL(packages).href : import.meta.resolve("jose");
  for (const name of await readdir(directory)) {
    if (!name.endsWith(".js")) continue;
    const file = path.join(directory, name);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(/(?<=^import \{[^}]*\} from )"jose"/gm, JSON.stringify(place)));
  }
}
