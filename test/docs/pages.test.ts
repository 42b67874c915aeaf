import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { brokenLinks } from "../rig/doc-links.ts";
import { blocksOf, ROOT, readPages } from "../rig/docs.ts";
import { readSources } from "../rig/sources.ts";

const pages = readPages();
const readme = pages.find(({ name }) => name === "README.md")?.text ?? "";

describe("the documentation", () => {
  it("begins with a README of at most 200 lines", () => {
    expect(readme.split("\n").length - 1).toBeLessThanOrEqual(200);
  });

  it("links only to what exists", () => {
    expect(pages.flatMap((page) => brokenLinks(ROOT, page).map((target) => `${page.name}: ${target}`))).toEqual([]);
  });

  it("leads from the README to every page", () => {
    const linked = new Set(["README.md"]);
    for (const page of linked) {
      const text = pages.find(({ name }) => name === page)?.text ?? "";
      for (const [, target = ""] of text.matchAll(/\]\(([^)#\s:]+\.md)(?:#[^)]*)?\)/g))
        linked.add(join(dirname(page), target));
    }
    expect(pages.map(({ name }) => name).filter((name) => !linked.has(name))).toEqual([]);
  });

  it("has no example of a kind that no test looks at", () => {
    const kinds = pages.flatMap(({ text }) => blocksOf(text).map(({ language }) => language));
    expect(new Set(kinds)).toEqual(new Set(["sh", "console", "json", "jsonc", "yaml", "js", "ts", "text", ""]));
  });

  it("names every folder and file of src in CONTRIBUTING.md", async () => {
    const text = await readFile(join(ROOT, "CONTRIBUTING.md"), "utf8");
    const tree = blocksOf(text).find((block) => block.text.includes("src/\n"))?.text ?? "";
    const named = [...tree.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name);
    const rooms = readSources().map(({ path }) => path.replace(/\/.*/, "/"));
    expect(named.sort()).toEqual([...new Set(rooms)].sort());
    const top = [...tree.matchAll(/^\S+/gm)].map(([name]) => name);
    expect(top.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  it("has every row that the sources cite of docs/hardening.md", () => {
    const page = pages.find(({ name }) => name === "docs/hardening.md")?.text ?? "";
    const rows = [...page.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id]) => id);
    const cited = readSources().flatMap(({ path, text }) =>
      [...text.matchAll(/\(hardening ([^)]+)\)/g)].flatMap(([, ids = ""]) =>
        [...ids.matchAll(/\b[A-Z]\d+\b/g)].map(([id]) => ({ path, id })),
      ),
    );
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter(({ id }) => !rows.includes(id))).toEqual([]);
  });

  it("starts with commands that package.json has", async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    const [first] = blocksOf(readme).filter(({ language }) => language === "sh");
    const named = [...(first?.text ?? "").matchAll(/\bnpm (?:run )?(\w+)/g)].map(([, script]) => script);
    expect(named.filter((script) => script !== "ci")).toEqual(["demo", "test"]);
    expect(scripts).toMatchObject({ demo: expect.any(String), test: expect.any(String) });
  });
});
