import { readFile, stat } from "node:fs/promises";
import path from "node:path";

/** Members of fixtures and scenario steps that name a file, in JSON and in YAML. */
const naming = /\b(?:path|stringsFile|file|fixtures)["']?\s*:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'{}[\],]+))/g;
/** A scenario names a fixture, which names the imported file. */
const LEVELS = 2;

/** Finds the files that fixtures and scenarios name: if one of them changes, the run is repeated, too. */
export class NamedFiles {
  readonly #known = new Map<string, { readonly writtenAt: number; readonly names: readonly string[] }>();

  /**
   * The files, and those that they name.
   * @param files absolute
   */
  async with(files: readonly string[]): Promise<string[]> {
    const all = new Set(files);
    let level: readonly string[] = files;
    for (let count = 0; count < LEVELS; count += 1) {
      const named = await Promise.all(level.map((file) => this.#namedBy(file)));
      level = [...new Set(named.flat())].filter((file) => !all.has(file));
      for (const file of level) all.add(file);
    }
    return [...all];
  }

  async #namedBy(file: string): Promise<readonly string[]> {
    const facts = await stat(file).catch(() => null);
    if (facts?.isFile() !== true) return [];
    const known = this.#known.get(file);
    if (known?.writtenAt === facts.mtimeMs) return known.names;
    const text = await readFile(file, "utf8").catch(() => "");
    const names = namesIn(text).map((name) => path.resolve(path.dirname(file), name));
    this.#known.set(file, { writtenAt: facts.mtimeMs, names });
    return names;
  }
}

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(naming), ([, quoted, single, bare]) => quoted ?? single ?? bare ?? "");
}
