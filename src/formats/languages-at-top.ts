import { type KeyEntry, stringsBelow } from "./key-tree.ts";
import { languageNamed } from "./language-names.ts";
import type { ParsedFile } from "./parsed-file.ts";

/**
 * The strings of a JSON or YAML file. Where each key at the top is a language, as Rails has it, what is below one
 * of them is the source (the wanted language, English, else the first) and the others are translations of it.
 * @param wanted a language id; null where no one is wanted
 */
export function fileOfEntries(entries: readonly KeyEntry[], wanted: string | null): ParsedFile {
  const roots = entries.map(([key, node]) => ({ key, language: languageOfKey(key), node }));
  const isByLanguage =
    roots.length > 0 && roots.every(({ language, node }) => language !== null && node.kind === "map");
  if (!isByLanguage) return { sourceLanguage: null, translations: [], ...stringsBelow(entries) };
  const source = roots.find(({ language }) => language === wanted) ?? roots.find(({ key }) => key === "en") ?? roots[0];
  const parsed = roots.map((root) => ({
    root,
    language: root.language ?? "",
    ...stringsBelow(root.node.kind === "map" ? root.node.entries : []),
  }));
  return {
    sourceLanguage: source?.key ?? null,
    strings: parsed.find(({ root }) => root === source)?.strings ?? [],
    translations: parsed.filter(({ root }) => root !== source),
    leftOut: parsed.flatMap(({ root: { key }, leftOut }) =>
      leftOut.map((each) => ({ ...each, what: `${key}.${each.what}` })),
    ),
  };
}

/** An ordinary key may look like a language (`or`, `my`), so only the usual spelling counts. */
function languageOfKey(key: string): string | null {
  return /^[a-z]{2,3}(?:[_-][A-Za-z0-9]{2,4})*$/.test(key) ? languageNamed(key) : null;
}
