import { copyFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { minify, parse } from "rolldown/utils";
import { builtinModules } from "./builtin-modules.mjs";
import { chunkGroups } from "./chunks.mjs";
import { cldrExcerpts } from "./cldr-excerpts.mjs";
import { directImports } from "./direct-imports.mjs";
import { notices } from "./notices.mjs";
import { packageFiles } from "./package-files.mjs";
import { partsOfPackages } from "./parts-of-packages.mjs";

/** What runs in the commands that must start quickly. */
const runs = {
  simulator: ["start-platform", "command-line/session", "platform/random"].map(sourceFile),
  delivery: ["webhook/run-webhook", "webhook/command"].map(sourceFile),
  login: ["guard/login/run-login", "guard/login/logins", "guard/command", "browser/chromium"].map(sourceFile),
};

/** @param {string} name */
function sourceFile(name) {
  return path.resolve(`src/${name}.ts`);
}

/**
 * Bundles the program and the library, with every package that they use, and writes the licences of these packages.
 * @param {{ cli: string, index: string } & Record<string, string>} entries source files, by their names in `folder`
 * @param {string} folder
 */
export async function bundleProgram(entries, folder) {
  const bundle = await rolldown({
    input: entries,
    platform: "node",
    // Of the app that is tested, not of ours.
    external: ["vitest"],
    tsconfig: "tsconfig.json",
    transform: {
      target: "node20.19",
      // React brings a second build for development, which is never used.
      define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
    },
    preserveEntrySignatures: "allow-extension",
    plugins: [
      partsOfPackages(),
      cldrExcerpts(),
      packageFiles(folder),
      notices("THIRD-PARTY-NOTICES"),
      builtinModules(),
    ],
    // Warnings are errors here, and how long a plugin takes depends on the machine.
    checks: { bundlerTimings: false },
    onLog: (level, log, report) => {
      if (level === "warn") throw new Error(log.message);
      report(level, log);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    chunkFileNames: "[name].js",
    comments: false,
    codeSplitting: {
      groups: chunkGroups(
        path.resolve(entries.cli),
        path.resolve(entries.index),
        sourceFile("serve-capabilities"),
        runs,
      ),
    },
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === "chunk");
  const { codes, unused } = directImports(chunks);
  for (const fileName of unused) await rm(path.join(folder, fileName));
  for (const [fileName, code] of codes) await writeFile(path.join(folder, fileName), await shortened(fileName, code));
  // The package `open` looks for this script next to its code, for systems without one.
  await copyFile(fileURLToPath(new URL("xdg-open", import.meta.resolve("open"))), `${folder}/xdg-open`);
}

/**
 * A chunk made short: Node reads all of it at each start. Functions and classes keep their names, and each statement of
 * the chunk has a line: the stack trace in a report of a bug can be read without a source map, and Node shows the line
 * that threw, which would be the whole file.
 * @param {string} fileName
 * @param {string} code
 */
async function shortened(fileName, code) {
  const { code: shorter } = await minify(fileName, code, {
    mangle: { toplevel: true, keepNames: true },
    module: true,
  });
  const { program } = await parse(fileName, shorter);
  return program.body.map(({ start, end }) => shorter.slice(start, end)).join("\n");
}
