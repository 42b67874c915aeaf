/** @typedef {import("rolldown").ChunkingContext} Modules */

/** Large packages that few commands need have a chunk of their own each, which is named after them. */
const packages = [
  "fastify",
  "ink",
  "cheerio",
  "yaml",
  "diff",
  "@faker-js",
  "@formatjs",
  "chrome-launcher",
  "tinyglobby",
];

/**
 * How the program is cut into chunks: what it starts with, what nearly every command needs, what every command needs
 * that runs a simulator; the bundler cuts the rest by who needs it. Each of these holds whatever its modules import, or
 * a chunk before it does, so that no chunks import each other.
 * @param {string} start source file of the command line; `--help` and `--version` load what it imports, and nothing else
 * @returns {import("rolldown").CodeSplittingGroup[]}
 */
export function chunkGroups(start) {
  /** @type {Set<string> | null} */
  let imported = null;
  return [
    {
      debugName: "start",
      name: (id, modules) => {
        imported ??= importedBy(start, modules);
        return imported.has(id) ? "start" : null;
      },
      priority: 3,
    },
    { name: "config", minShareCount: 21, priority: 2 },
    { name: "simulator", minShareCount: 8, priority: 1 },
    ...packages.map((name) => ({
      name: name.replace(/^@|-.*/g, ""),
      test: new RegExp(`node_modules[\\\\/]${name}[\\\\/]`),
    })),
  ];
}

/**
 * All that the module imports statically. Not itself: it waits for the command that it loads, so nothing of a command
 * may wait for it.
 * @param {string} entry
 * @param {Modules} modules
 */
function importedBy(entry, modules) {
  const found = new Set([entry]);
  for (const id of found) {
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  }
  found.delete(entry);
  return found;
}
