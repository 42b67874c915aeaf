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
  "fast-check",
  "tinyglobby",
  "iconv-lite",
  "saxes",
  "jsep",
  "@bomb.sh",
];

/** What imports, files, `verify`, contract tests and walks through pages need: each has several entries that share it. */
const ofFewCommands =
  /src[\\/](checking|[a-z]+-checks|verify|testing|oauth-login|post-import|fixture)[\\/]|(read-html|read-forms|http-browser|page-client|walk-forms|files-named|word-diff|plural-index)\.ts$|node_modules[\\/](@formatjs|cheerio|parse5|css-select|domutils|htmlparser2|encoding-sniffer)/;

/**
 * How the program is cut into chunks: what the command line starts with, and what of that the library needs too; what
 * nearly every command needs; what every command needs that runs a simulator, and the runs for deliveries and
 * for logins, each with what it imports. The bundler cuts the rest by who needs it.
 * Each of these holds whatever its modules import, or a chunk before it does, so that no chunks import each other.
 * @param {string} cli source file of the command line; `--help` and `--version` load what it imports, and nothing else
 * @param {string} library source file of the library
 * @param {string} server source file of what serves the platform's routes
 * @param {Record<"simulator" | "delivery" | "login", readonly string[]>} runs source files of what runs, by the name of the
 *   chunk for them and what they import; "simulator" also has what several of them import
 * @returns {import("rolldown").CodeSplittingGroup[]}
 */
export function chunkGroups(cli, library, server, runs) {
  /** @type {Set<string> | null} */
  let ofCli = null;
  /** @type {Set<string> | null} */
  let ofLibrary = null;
  /** @type {Set<string> | null} */
  let ofServer = null;
  /** @type {{ name: string, ids: Set<string> }[] | null} */
  let ofRuns = null;
  const isOfLibrary = (/** @type {string} */ id, /** @type {Modules} */ modules) => {
    ofLibrary ??= neededBy(library, modules);
    return ofLibrary.has(id);
  };
  const isRun = (/** @type {string} */ id) => Object.values(runs).some((entries) => entries.includes(id));
  const runsThatImport = (/** @type {string} */ id, /** @type {Modules} */ modules) => {
    if (ofFewCommands.test(id) || !(isOfLibrary(id, modules) || isRun(id))) return [];
    ofRuns ??= Object.entries(runs).map(([name, entries]) => ({ name, ids: withImports(entries, modules) }));
    const names = ofRuns.flatMap(({ name, ids }) => (ids.has(id) ? [name] : []));
    return names.includes("simulator") ? Object.keys(runs) : names;
  };
  return [
    {
      debugName: "start",
      name: (id, modules) => {
        ofCli ??= importedBy(cli, modules);
        if (!ofCli.has(id)) return null;
        return isOfLibrary(id, modules) ? "common" : "start";
      },
      priority: 7,
    },
    {
      debugName: "config",
      name: (id, modules) => (isOfLibrary(id, modules) ? "config" : null),
      minShareCount: 22,
      priority: 6,
    },
    {
      debugName: "simulator",
      name: (id, modules) => (runsThatImport(id, modules).length > 1 ? "simulator" : null),
      priority: 4,
    },
    {
      debugName: "runs",
      name: (id, modules) => runsThatImport(id, modules)[0] ?? null,
      priority: 3,
    },
    {
      debugName: "shared",
      name: (id, modules) => (isOfLibrary(id, modules) && !ofFewCommands.test(id) ? "shared" : null),
      minShareCount: 4,
      priority: 2,
    },
    // The routes of the platform, which are served together.
    {
      debugName: "server",
      name: (id, modules) => {
        ofServer ??= neededThrough(server, [cli, library], modules);
        return ofServer.has(id) ? "server" : null;
      },
      includeDependenciesRecursively: false,
      priority: 2,
    },
    // What the commands share that print results.
    {
      debugName: "results",
      name: (id, modules) => (isOfLibrary(id, modules) ? null : "results"),
      minShareCount: 8,
      includeDependenciesRecursively: false,
      priority: 1,
    },
    // Cheerio imports it too, and would take it along.
    { name: "undici", test: /(node_modules[\\/]|facade:)undici\b/, priority: 8 },
    // Chunks that hold packages alone get shorter: nothing of ours has to stay readable in them.
    { name: "zod", test: /node_modules[\\/]zod[\\/]/, priority: 8 },
    { name: "asn1", test: /node_modules[\\/](@peculiar|asn1js|pvutils|pvtsutils)[\\/]/ },
    ...packages.map((name) => ({
      name: name.replace(/^@|-.*/g, ""),
      test: new RegExp(`node_modules[\\\\/]${name}[\\\\/]`),
      // Before the chunk that every command loads which runs a simulator.
      priority: 5,
    })),
  ];
}

/**
 * All that a module imports as it is loaded. Not itself: the command line waits for the command that it loads, so nothing
 * of a command may wait for it.
 * @param {string} entry
 * @param {Modules} modules
 */
function importedBy(entry, modules) {
  const found = reachedFrom([entry], (id) => modules.getModuleInfo(id)?.importedIds ?? []);
  found.delete(entry);
  return found;
}

/**
 * Some modules and all that they import as they are loaded.
 * @param {readonly string[]} entries
 * @param {Modules} modules
 */
function withImports(entries, modules) {
  return new Set(entries.flatMap((entry) => [entry, ...importedBy(entry, modules)]));
}

/**
 * A module and all that it imports, at once or later.
 * @param {string} entry
 * @param {Modules} modules
 */
function neededBy(entry, modules) {
  return reachedFrom([entry], (id) => anyImportsOf(id, modules));
}

/**
 * What is loaded with a module, and by way of it alone.
 * @param {string} module
 * @param {readonly string[]} entries
 * @param {Modules} modules
 */
function neededThrough(module, entries, modules) {
  const otherwise = reachedFrom(entries, (id) => anyImportsOf(id, modules).filter((imported) => imported !== module));
  return new Set([module, ...importedBy(module, modules)].filter((id) => !otherwise.has(id)));
}

/**
 * @param {string} id
 * @param {Modules} modules
 */
function anyImportsOf(id, modules) {
  const { importedIds = [], dynamicallyImportedIds = [] } = modules.getModuleInfo(id) ?? {};
  return [...importedIds, ...dynamicallyImportedIds];
}

/**
 * @param {readonly string[]} entries
 * @param {(id: string) => readonly string[]} next
 */
function reachedFrom(entries, next) {
  const found = new Set(entries);
  for (const id of found) {
    for (const imported of next(id)) found.add(imported);
  }
  return found;
}
