import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { notices } from "./notices.mjs";
import { partsOfPackages } from "./parts-of-packages.mjs";

const PAGE = fileURLToPath(new URL("../src/inspector/page/", import.meta.url));
/** No module of the sources does anything by being imported: this one starts the page. */
const ENTRY = "\0inspector-entry";

/**
 * Bundles the inspector's page: one script and one style sheet, compressed as a browser takes them, each with the hash of
 * its content in its name, and the licences of the packages in it.
 * @param {string} folder
 */
export async function bundleInspectorPage(folder) {
  const bundle = await rolldown({
    input: { inspector: ENTRY },
    platform: "browser",
    tsconfig: path.join(PAGE, "tsconfig.json"),
    transform: { target: "es2023", define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [entry(), partsOfPackages(), notices("THIRD-PARTY-NOTICES")],
    // Warnings are errors here, and how long a plugin takes depends on the machine.
    checks: { bundlerTimings: false },
    onLog: (level, log, report) => {
      if (level === "warn") throw new Error(log.message);
      report(level, log);
    },
  });
  const { output } = await bundle.generate({ format: "iife", comments: false, minify: true, codeSplitting: false });
  await bundle.close();
  await mkdir(folder, { recursive: true });
  const style = (await readFile(path.join(PAGE, "inspector.css"), "utf8")).replaceAll(/\/\*[\s\S]*?\*\/|^\s+/gm, "");
  await writePacked(folder, "css", style);
  for (const file of output) {
    if (file.type === "chunk") await writePacked(folder, "js", file.code);
    else await writeFile(path.join(folder, file.fileName), file.source);
  }
}

/**
 * @param {string} folder
 * @param {string} ending
 * @param {string} content
 */
async function writePacked(folder, ending, content) {
  const hash = createHash("sha256")
    .update(content)
    .digest("base64url")
    .replaceAll(/[^a-z\d]/gi, "")
    .slice(0, 10);
  await writeFile(path.join(folder, `inspector-${hash}.${ending}.gz`), gzipSync(content, { level: 9 }));
}

/** @returns {import("rolldown").Plugin} */
function entry() {
  return {
    name: "inspector-entry",
    resolveId: (id) => (id === ENTRY ? id : null),
    load(id) {
      if (id !== ENTRY) return null;
      const source = JSON.stringify(path.join(PAGE, "open-inspector.tsx"));
      return { code: `import { openInspector } from ${source};\nopenInspector(window);\n`, moduleType: "js" };
    },
  };
}
