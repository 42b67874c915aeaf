import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeExport } from "../../src/load/write-export.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const files = [
  { name: "webhooks.yml", content: "config: {}\n" },
  { name: "README.md", content: "# A test\n" },
];
const names = files.map(({ name }) => name).toSorted();

describe("an exported test", () => {
  it("is written into a new folder", async () => {
    using dir = makeTempDir();
    const folder = join(dir.path, "a", "b");
    await writeExport(folder, files);
    expect(readdirSync(folder).toSorted()).toEqual(names);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("# A test\n");
  });

  it("replaces an earlier one", async () => {
    using dir = makeTempDir();
    dir.write("webhooks.yml", "old");
    await writeExport(dir.path, files);
    expect(readdirSync(dir.path).toSorted()).toEqual(names);
    expect(readFileSync(join(dir.path, "webhooks.yml"), "utf8")).toBe("config: {}\n");
  });

  it("leaves a folder with other content unchanged", async () => {
    using dir = makeTempDir();
    dir.write("notes.txt", "mine");
    dir.write("webhooks.yml", "old");
    const error = await usageErrorOf(writeExport(dir.path, files));
    expect(error).toMatchObject({ code: "export-exists" });
    expect(error.message).toContain("notes.txt");
    expect(readFileSync(join(dir.path, "webhooks.yml"), "utf8")).toBe("old");
  });

  it("does not replace a file, and is not written below one", async () => {
    using dir = makeTempDir();
    const file = join(dir.path, "file");
    writeFileSync(file, "mine");
    for (const folder of [file, join(file, "below")]) {
      expect(await usageErrorOf(writeExport(folder, files))).toMatchObject({ code: "export-unwritable" });
    }
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  it("is written completely or not at all", async () => {
    using dir = makeTempDir();
    // The folder that the last one would be in is not there.
    const broken = [...files, { name: join("missing", "x"), content: "" }];
    expect(await usageErrorOf(writeExport(dir.path, broken))).toMatchObject({ code: "export-unwritable" });
    expect(readdirSync(dir.path)).toEqual([]);
  });
});
