import { createWriteStream, writeFileSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";

const categories = ["one", "few", "many", "other"];

/**
 * Writes a post-import job (interface 2.3) with so many strings, in a file beside it, for one translation each.
 * @param {string} directory
 * @param {number} count
 */
export async function writeJob(directory, count) {
  const strings = path.join(directory, `strings-${count}.ndjson`);
  await pipeline(linesOf(count), createWriteStream(strings, { highWaterMark: 262_144 }));
  const job = path.join(directory, `job-${count}.json`);
  writeFileSync(
    job,
    JSON.stringify({
      jobType: "file-post-import",
      organization: { id: 7, domain: "acme", baseUrl: "http://127.0.0.1", apiBaseUrl: "http://127.0.0.1" },
      project: { id: 8, identifier: "site", name: "Site" },
      file: { id: 9, name: "site.json", content: "e30=" },
      sourceLanguage: language("en", "English", ["one", "other"]),
      targetLanguages: [language("uk", "Ukrainian", categories)],
      stringsUrl: strings,
    }),
  );
  return { job, strings };
}

/**
 * Every 10th string has plurals, and every 8th is one that the sample app tidies.
 * @param {number} count
 */
function* linesOf(count) {
  for (let index = 0; index < count; index++) {
    const text = `${index % 8 === 0 ? " " : ""}The text of string ${index}, as long as most of them are.`;
    const translation = `Текст рядка ${index}, приблизно такий довгий, як і більшість із них.`;
    const hasPlurals = index % 10 === 0;
    const record = {
      uniqId: `5d41402abc4b2a76b9719d911017c592::${index}`,
      identifier: `screen.${index % 977}.text.${index}`,
      context: `Shown on screen ${index % 977}`,
      hasPlurals,
      labels: ["site"],
      text: hasPlurals ? { one: text, other: text } : text,
      translations: {
        uk: { text: hasPlurals ? Object.fromEntries(categories.map((name) => [name, translation])) : translation },
      },
    };
    yield `${JSON.stringify(record)}\n`;
  }
}

/**
 * @param {string} id
 * @param {string} name
 * @param {readonly string[]} pluralCategoryNames
 */
function language(id, name, pluralCategoryNames) {
  const code = { editorCode: id, twoLettersCode: id, threeLettersCode: id, locale: id, androidCode: id };
  return { id, name, ...code, osxCode: id, osxLocale: id, pluralCategoryNames, pluralRules: "0" };
}
