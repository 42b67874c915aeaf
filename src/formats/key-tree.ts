import { languageNamed } from "./language-names.ts";
import type { LeftOut, ParsedFile, ParsedString } from "./parsed-file.ts";

/** What JSON and YAML files are made of; for what is no text, words for it. */
export type KeyNode =
  | { readonly kind: "text"; readonly text: string; readonly context?: string | undefined }
  | { readonly kind: "map"; readonly entries: readonly KeyEntry[] }
  | { readonly kind: "list"; readonly items: readonly KeyNode[] }
  | { readonly kind: "other"; readonly what: string };
export type KeyEntry = readonly [key: string, node: KeyNode];

const categories = ["zero", "one", "two", "few", "many", "other"];
const suffixed = /^(.+)_(zero|one|two|few|many|other)$/s;

type Found = Pick<ParsedFile, "strings" | "leftOut">;

/**
 * Every text below the entries, by its path of keys (`home.title`, `steps[0]`). A map whose keys are plural
 * categories is one plural string; so are siblings with i18next's suffixes (`item_one`, `item_other`).
 */
function stringsBelow(entries: readonly KeyEntry[]): Found {
  const strings: ParsedString[] = [];
  const leftOut: LeftOut[] = [];
  const addNode = (identifier: string, node: KeyNode) => {
    switch (node.kind) {
      case "text":
        strings.push(stringOf(identifier, node));
        break;
      case "map":
        if (isPluralMap(node.entries)) strings.push({ identifier, ...formsOf(node.entries) });
        else addEntries(`${identifier}.`, node.entries);
        break;
      case "list":
        for (const [index, item] of node.items.entries()) addNode(`${identifier}[${index}]`, item);
        break;
      case "other":
        leftOut.push({ why: `${node.what} is no text, left out`, what: identifier });
    }
  };
  const addEntries = (prefix: string, within: readonly KeyEntry[]) => {
    const groups = suffixGroups(within);
    const grouped = new Set([...groups.values()].flat());
    for (const entry of within) {
      const base = suffixed.exec(entry[0])?.[1] ?? "";
      const group = grouped.has(entry) ? groups.get(base) : undefined;
      if (group === undefined) addNode(prefix + entry[0], entry[1]);
      else if (group[0] === entry) strings.push({ identifier: prefix + base, ...formsOf(group, suffixed) });
    }
  };
  addEntries("", entries);
  return { strings, leftOut };
}

function stringOf(identifier: string, { text, context }: KeyNode & { kind: "text" }): ParsedString {
  return { identifier, text, ...(context === undefined ? {} : { context }) };
}

function isPluralMap(entries: readonly KeyEntry[]): boolean {
  return (
    arePluralForms(new Set(entries.map(([key]) => key))) &&
    entries.every(([key, { kind }]) => categories.includes(key) && kind === "text")
  );
}

/** Slavic files often lack `other`, which whole numbers do not need there; `one` and `two` may be ordinary keys. */
function arePluralForms(names: ReadonlySet<string | undefined>): boolean {
  return names.has("other") || (names.has("one") && names.has("few"));
}

/**
 * Where a file may have the forms of a plural string, by category: some alone, without the others that would tell,
 * look like ordinary keys.
 */
export function formKeys(key: string): ReadonlyMap<string, readonly string[]> {
  return new Map(categories.map((category) => [category, [`${key}_${category}`, `${key}.${category}`]]));
}

/** Siblings that differ by the suffix only, by what they have in common; `reason_other` alone is an ordinary key. */
function suffixGroups(entries: readonly KeyEntry[]): ReadonlyMap<string, KeyEntry[]> {
  const groups = new Map<string, KeyEntry[]>();
  for (const entry of entries) {
    const base = entry[1].kind === "text" ? suffixed.exec(entry[0])?.[1] : undefined;
    // The ordinals of a language have categories of their own, which no fixture can say.
    if (base !== undefined && !base.endsWith("_ordinal")) groups.set(base, [...(groups.get(base) ?? []), entry]);
  }
  const keys = new Set(entries.map(([key]) => key));
  const isPlural = (base: string, group: readonly KeyEntry[]) =>
    group.length > 1 && arePluralForms(new Set(group.map(([key]) => suffixed.exec(key)?.[2]))) && !keys.has(base);
  return new Map([...groups].filter(([base, group]) => isPlural(base, group)));
}

function formsOf(entries: readonly KeyEntry[], keySyntax?: RegExp): Pick<ParsedString, "text" | "context"> {
  const forms = entries.flatMap(([key, node]) =>
    node.kind === "text" ? [{ category: keySyntax?.exec(key)?.at(-1) ?? key, ...node }] : [],
  );
  const contexts = forms.flatMap(({ context }) => context ?? []);
  return {
    text: Object.fromEntries(forms.map(({ category, text }) => [category, text])),
    ...(contexts.length === 0 ? {} : { context: contexts.join("\n") }),
  };
}

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
