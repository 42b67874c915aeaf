import type { ParsedFile, SourceText } from "./parsed-file.ts";

/**
 * Takes a localization file apart. The parser of a format is loaded when the first file of it comes.
 * @throws UsageError with file, line where the parser knows it, and what was expected
 */
export async function parseFile(source: SourceText): Promise<ParsedFile> {
  switch (source.format) {
    case "json":
      return (await import("./json.ts")).parseJsonFile(source);
    case "yaml":
      return (await import("./yaml.ts")).parseYaml(source);
    case "android":
      return (await import("./android.ts")).parseAndroid(source);
    case "strings":
      return (await import("./apple-strings.ts")).parseAppleStrings(source);
    case "stringsdict":
      return (await import("./apple-stringsdict.ts")).parseStringsdict(source);
    case "gettext":
      return (await import("./gettext.ts")).parseGettext(source);
    case "xliff":
      return (await import("./xliff.ts")).parseXliff(source);
    case "arb":
      return (await import("./arb.ts")).parseArb(source);
    case "properties":
      return (await import("./properties.ts")).parseProperties(source);
  }
}
