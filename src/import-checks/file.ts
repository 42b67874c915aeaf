import type { ImportModule } from "../platform/manifest.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { patternSample } from "./pattern-sample.ts";

/** A source file for our own jobs. */
export interface OwnFile {
  readonly name: string;
  /** The content with these strings. */
  contentOf(strings: readonly StringRecord[]): string;
}

/** Files in usual formats, and files guessed from a module's patterns (interface 2.1). */
export function ownFiles({ signaturePatterns: { fileName, fileContent } }: ImportModule): OwnFile[] {
  const name = fileName === undefined ? null : patternSample(fileName);
  const names = [...(name === null || name === "" ? [] : [name, `verify${name}`, `${name}.json`]), ...usualNames];
  const content = fileContent === undefined ? null : patternSample(fileContent);
  return names.flatMap((each) => [
    { name: each, contentOf: (strings) => contentFor(each, strings) },
    ...(content === null ? [] : [{ name: each, contentOf: () => content }]),
    ...(content === null
      ? []
      : [{ name: each, contentOf: (strings: readonly StringRecord[]) => `${content}\n${contentFor(each, strings)}` }]),
  ]);
}

const usualNames = [
  "verify.json",
  "en.json",
  "strings.xml",
  "messages.properties",
  "Localizable.strings",
  "messages.po",
  "verify.xliff",
  "en.yml",
  "verify.csv",
  "verify.html",
  "verify.md",
  "verify.txt",
];

function contentFor(name: string, strings: readonly StringRecord[]): string {
  const texts = strings.map(({ identifier, text }) => [
    identifier,
    typeof text === "string" ? text : (text.other ?? ""),
  ]);
  if (/\.json$/i.test(name)) return JSON.stringify(Object.fromEntries(texts), null, 2);
  const lines = (line: (key: string, text: string) => string) =>
    texts.map(([key = "", text = ""]) => line(key, JSON.stringify(text).slice(1, -1))).join("\n");
  if (/\.xml$/i.test(name)) {
    const xml = lines((key, text) => `  <string name="${escapeXml(key)}">${escapeXml(text)}</string>`);
    return `<?xml version="1.0" encoding="utf-8"?>\n<resources>\n${xml}\n</resources>\n`;
  }
  if (/\.xliff?$/i.test(name)) {
    const units = lines(
      (key, text) => `<trans-unit id="${escapeXml(key)}"><source>${escapeXml(text)}</source></trans-unit>`,
    );
    return `<?xml version="1.0"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="verify" source-language="en" datatype="plaintext"><body>\n${units}\n</body></file></xliff>\n`;
  }
  if (/\.po$/i.test(name)) return `msgid ""\nmsgstr ""\n\n${lines((_, text) => `msgid "${text}"\nmsgstr ""\n`)}\n`;
  if (/\.html?$/i.test(name))
    return `<!doctype html>\n<title>verify</title>\n${lines((_, text) => `<p>${text}</p>`)}\n`;
  if (/\.strings$/i.test(name)) return `${lines((key, text) => `"${key}" = "${text}";`)}\n`;
  if (/\.ya?ml$/i.test(name)) return `${lines((key, text) => `"${key}": "${text}"`)}\n`;
  if (/\.csv$/i.test(name)) return `key,en\n${lines((key, text) => `"${key}","${text.replaceAll('"', '""')}"`)}\n`;
  return `${lines((key, text) => `${key}=${text}`)}\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
