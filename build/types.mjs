import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { memberDocsIn, withMemberDocs } from "./member-docs.mjs";

/** Kept from build to build, so that the compiler has to look only at what changed. */
const CACHE = path.resolve("node_modules/.cache/app-sim-types");

/** What a consumer's compiler may not know by itself: `await using`. Comments of the sources do not reach the bundle. */
const LIBRARIES = '/// <reference lib="esnext.disposable" />';

/** Packages whose types are part of ours. */
const BUNDLED = ["zod"];

/** Packages of the app's own: what is imported of them stays an import. */
const OF_THE_APP = ["vitest"];

/**
 * Bundles the types of the faces of the library: a file for each, and one for what they share. They need no package but
 * those of the app.
 * @param {Record<string, string>} faces source files, in `src`, by the files that their types go to
 */
export async function bundleTypes(faces) {
  await declareAll();
  const comments = new Map([...memberDocsIn(await schemas()), ...(await choiceDocs())]);
  const bundle = await rollup({
    input: Object.fromEntries(
      Object.entries(faces).map(([file, source]) => [
        path.basename(file, ".d.ts"),
        path.join(CACHE, path.relative("src", source)).replace(/\.ts$/, ".d.ts"),
      ]),
    ),
    plugins: [declarationsOfSources(comments), dts({ includeExternal: BUNDLED })],
    external: [/^node:/, ...OF_THE_APP],
    // It warns of types without an exported name, which the library has on purpose.
    onLog: (level, log, handle) => log.plugin !== "dts" && handle(level, log),
  });
  const { output } = await bundle.generate({
    format: "es",
    banner: LIBRARIES,
    entryFileNames: "[name].d.ts",
    chunkFileNames: "types.d.ts",
  });
  await bundle.close();
  const own = new Set(output.map(({ fileName }) => fileName));
  const directory = path.dirname(Object.keys(faces)[0] ?? "");
  for (const file of output) {
    if (file.type !== "chunk") continue;
    const missing = file.imports.filter((name) => !OF_THE_APP.includes(name) && !own.has(name));
    if (missing.length > 0) throw new Error(`${file.fileName} would need ${missing.join(", ")}`);
    // The compiler finds the declarations of a file by the name of its code.
    const code = file.code.replaceAll("types.d.ts", "types.js");
    // A tab for four spaces: a fifth of these files would be blanks.
    await writeFile(
      path.join(directory, file.fileName),
      code.replaceAll(/^(?: {4})+/gm, ({ length }) => "\t".repeat(length / 4)),
    );
  }
}

/** The source files that have schemas. */
async function schemas() {
  const files = (await readdir("src", { recursive: true })).filter((file) => file.endsWith(".ts"));
  const texts = await Promise.all(files.map((file) => readFile(path.join("src", file), "utf8")));
  return texts.filter((text) => text.includes('from "zod"'));
}

/**
 * What is said of each choice, by the path of its definition.
 * @returns {Promise<[path: string, comment: string][]>}
 */
async function choiceDocs() {
  const file = path.join(CACHE, "choices.mjs");
  await build({ input: "src/config/choices.ts", platform: "node", output: { file }, logLevel: "silent" });
  const { choiceDefinitions } = await import(pathToFileURL(file).href);
  return Object.entries(choiceDefinitions).map(([id, { section, default: value, alternatives, reason }]) => [
    `choiceDefinitions.${id}`,
    `${JSON.stringify(value)} by default, or ${alternatives} (interface ${section}): ${reason}`.replaceAll("*/", "* /"),
  ]);
}

/** Writes a declaration file for each source file; what is marked `@internal` stays out of them. */
async function declareAll() {
  const compiler = path.resolve("node_modules/typescript/bin/tsc");
  const flags = ["--declaration", "--emitDeclarationOnly", "--stripInternal", "--incremental", "--noEmit", "false"];
  const places = ["--outDir", CACHE, "--tsBuildInfoFile", path.join(CACHE, ".tsbuildinfo")];
  await promisify(execFile)(process.execPath, [compiler, ...flags, ...places]).catch(({ stdout }) => {
    throw new Error(stdout);
  });
}

/**
 * A declaration file names source files (`./a.ts`), and their declarations are meant.
 * @param {ReadonlyMap<string, string>} comments of members
 * @returns {import("rollup").Plugin}
 */
function declarationsOfSources(comments) {
  return {
    name: "declarations-of-sources",
    resolveId: (id, importer) =>
      importer?.startsWith(CACHE) === true && id.startsWith(".")
        ? path.resolve(path.dirname(importer), id.replace(/\.tsx?$/, ".d.ts"))
        : null,
    load: async (id) => (id.startsWith(CACHE) ? withMemberDocs(await readFile(id, "utf8"), comments) : null),
  };
}
