import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";

const ROOT = resolve(import.meta.dirname, "../..");

/**
 * Bundles one module of the sources into `directory`, for a test that needs it in a process of its own.
 * @param source within `src`
 * @returns its address, for `import`
 */
export async function buildModule(source: string, directory: string): Promise<string> {
  await build({
    input: resolve(ROOT, "src", source),
    platform: "node",
    tsconfig: resolve(ROOT, "tsconfig.json"),
    transform: { target: "node20.19", define: { "process.env.NODE_ENV": '"production"' } },
    external: ["react-devtools-core"],
    output: { dir: directory, entryFileNames: "module.mjs", chunkFileNames: "[name].mjs" },
    logLevel: "silent",
  });
  return pathToFileURL(join(directory, "module.mjs")).href;
}
