import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configJsonSchema } from "../../src/index.ts";
import { jsonText } from "../../src/output/json.ts";
import { usageCodes } from "../../src/protocol/usage-codes.ts";
import { allChecks } from "../../src/verify/checks.ts";
import { ROOT, tablesOfCode, withTables } from "../rig/docs.ts";
import { readSources } from "../rig/sources.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

/** Holds a file to what the code gives, or with `UPDATE_DOCS=1` writes that into it. */
async function expectFile(name: string, expected: (text: string) => string): Promise<void> {
  const text = await readFile(join(ROOT, name), "utf8");
  if (process.env.UPDATE_DOCS === "1") await writeFile(join(ROOT, name), expected(text));
  expect(await readFile(join(ROOT, name), "utf8")).toBe(expected(text));
}

describe("everything that is written twice (UPDATE_DOCS=1 updates it)", () => {
  it("the tables of each page are those of the code", async () => {
    using directory = makeTempDir();
    for (const [name, tables] of Object.entries(await tablesOfCode(directory.path))) {
      await expectFile(name, (text) => withTables(text, tables));
    }
  });

  it("the JSON Schema of the config file is that of the code", async () => {
    await expectFile("fixtures/config.schema.json", () => jsonText(configJsonSchema()));
  });
});

describe("the checks of verify", () => {
  it("have unique ids that begin with their area, a sentence as title, and reasons", () => {
    const ids = allChecks.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const { id, area, title, why, fix, section } of allChecks) {
      expect(id).toMatch(new RegExp(`^${area}\\.[a-z0-9-]+(\\.[a-z0-9-]+)*$`));
      expect(title, id).toMatch(/^[A-Z].*[^.]$/);
      expect(`${why}${fix}${section}`, id).not.toBe("");
      for (const text of [why, fix]) expect(text, id).toMatch(/[.)]$/);
    }
  });
});

describe("the codes of errors", () => {
  it("are all used", () => {
    const code = readSources()
      .filter(({ path }) => !path.endsWith("usage-codes.ts"))
      .map(({ text }) => text)
      .join("\n");
    expect(Object.keys(usageCodes).filter((name) => !code.includes(`"${name}"`))).toEqual([]);
  });
});
