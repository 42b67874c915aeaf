import { lstat, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ShortFixture } from "../protocol/fixture.ts";
import { UsageError } from "../protocol/usage-error.ts";

const ENDING = ".fixture.json";

export interface FixtureFile {
  readonly target: string;
  readonly content: ShortFixture;
}

/** Whether the name is one that this module gives. */
export function isMadeFixture(file: string): boolean {
  return file.endsWith(ENDING);
}

/**
 * Where the fixtures of these files go: `en.fixture.json` for `en.json`; with the ending of the file
 * (`en.json.fixture.json`) where another file of the run would have the same.
 * @param files absolute
 * @param folder absolute; null for beside each file
 */
export function targetsOf(files: readonly string[], folder: string | null): string[] {
  const named = (file: string, name: string) => path.join(folder ?? path.dirname(file), `${name}${ENDING}`);
  const short = files.map((file) => named(file, path.parse(file).name));
  return files.map((file, index) => {
    const target = short[index] ?? "";
    return short.indexOf(target) === short.lastIndexOf(target) ? target : named(file, path.basename(file));
  });
}

export async function isDirectory(place: string): Promise<boolean> {
  return stat(place).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

/**
 * @param files fixtures that are to be written, with the localization files that they are made from
 * @param sources absolute paths of all files that were read
 * @throws UsageError when two files have one fixture, or when one is there already and may not be replaced
 */
export async function refuseExisting(
  files: readonly { readonly target: string; readonly file: string }[],
  sources: readonly string[],
  mayReplace: boolean,
): Promise<void> {
  const taken = new Map<string, string>();
  for (const { target, file } of files) {
    const other = taken.get(target);
    if (other !== undefined) {
      const hint = "make one of them with another --out";
      throw new UsageError("fixture-exists", `${other} and ${file} would both become ${target}`, hint);
    }
    taken.set(target, file);
    if (sources.includes(target)) {
      const hint = "give another folder with --out";
      throw new UsageError("fixture-exists", `the fixture of ${file} would replace ${target}, which was read`, hint);
    }
    const isThere = await lstat(target).then(
      () => true,
      () => false,
    );
    if (isThere && !mayReplace) {
      throw new UsageError(
        "fixture-exists",
        `${target} exists already`,
        "--force replaces it, --out takes another folder",
      );
    }
  }
}

/**
 * Writes every fixture, or none: they get their names when all are complete. Who may read them is as for any file of
 * the user's, for they are to be shared.
 * @throws UsageError when one cannot be written
 */
export async function writeAll(files: readonly FixtureFile[]): Promise<void> {
  const partials = files.map(({ target }) => `${target}.${process.pid}.partial`);
  try {
    for (const [index, { target, content }] of files.entries()) {
      await makeFolder(path.dirname(target));
      await writeFile(partials[index] ?? "", `${JSON.stringify(content, null, 2)}\n`, { flag: "wx" });
    }
    for (const [index, { target }] of files.entries()) await rename(partials[index] ?? "", target);
  } catch (error) {
    await Promise.all(partials.map((partial) => rm(partial, { force: true })));
    throw new UsageError(
      "fixture-unwritable",
      `a fixture cannot be written: ${(error as Error).message}`,
      "give another --out",
    );
  }
}

/** One by one, because Node's own recursive way never ends below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isDirectory(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder);
}
