import { dictOf, type PlistDict, type PlistValue } from "./apple-plist.ts";
import type { LeftOut, ParsedFile, ParsedString, SourceText } from "./parsed-file.ts";

const FORMAT_KEY = "NSStringLocalizedFormatKey";

/**
 * An iOS .stringsdict. An entry that is one plural (`%#@count@` and nothing else) is a plural string; of another,
 * the frame (`%#@files@ in %#@folders@`) is a plain string and each variable a plural one, `key.variable`.
 */
export function parseStringsdict(source: SourceText): ParsedFile {
  const strings: ParsedString[] = [];
  const leftOut: LeftOut[] = [];
  for (const [identifier, entry] of dictOf(source)) {
    const found = stringsOfEntry(identifier, entry);
    if (found.length === 0)
      leftOut.push({ why: "no plural rule (such as one by width or device), left out", what: identifier });
    strings.push(...found);
  }
  return { sourceLanguage: null, strings, translations: [], leftOut };
}

function stringsOfEntry(identifier: string, entry: PlistValue): ParsedString[] {
  if (!isDict(entry)) return [];
  const frame = entry.find(([key]) => key === FORMAT_KEY)?.[1];
  if (typeof frame !== "string") return [];
  const variables = entry.flatMap(([variable, value]) => (isDict(value) ? [{ variable, forms: formsOf(value) }] : []));
  const [only, ...others] = variables;
  if (only !== undefined && others.length === 0 && frame === `%#@${only.variable}@`) {
    return [{ identifier, text: only.forms }];
  }
  return [
    { identifier, text: frame },
    ...variables.map(({ variable, forms }) => ({ identifier: `${identifier}.${variable}`, text: forms })),
  ];
}

function isDict(value: PlistValue): value is PlistDict {
  return Array.isArray(value);
}

/** The texts by category; NSStringFormatSpecTypeKey and the like are for the program. */
function formsOf(dict: PlistDict): Record<string, string> {
  return Object.fromEntries(
    dict.filter((entry): entry is [string, string] => typeof entry[1] === "string" && !entry[0].startsWith("NSString")),
  );
}
