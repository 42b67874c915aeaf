import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../rig/docs.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

async function filesIn(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files.sort().map(async (file) => [file.slice(directory.length), await readFile(file, "utf8")]);
  return Object.fromEntries(await Promise.all(texts));
}

// TypeDoc takes some ten seconds of computing.
it("docs/api is what the docstrings say (`npm run docs` brings it up to date)", async () => {
  using directory = makeTempDir();
  const fresh = join(directory.path, "api");
  await promisify(execFile)(process.execPath, [join(ROOT, "tools/api-docs/generate.mjs"), fresh]);
  expect(await filesIn(join(ROOT, "docs/api"))).toEqual(await filesIn(fresh));
});
