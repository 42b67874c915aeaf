import { readFile } from "node:fs/promises";

/**
 * Of CLDR's files, only what is read: the bundle would hold all of them otherwise.
 * @type {Record<string, (file: any) => unknown>}
 */
const excerpts = {
  "plurals.json": ({ supplemental }) => ({
    supplemental: { "plurals-type-cardinal": withoutSamples(supplemental["plurals-type-cardinal"]) },
  }),
  "aliases.json": ({ supplemental }) => {
    const { languageAlias } = supplemental.metadata.alias;
    const overlong = Object.entries(languageAlias).filter(([, alias]) => alias._reason === "overlong");
    return { supplemental: { metadata: { alias: { languageAlias: Object.fromEntries(overlong) } } } };
  },
};

/** @returns {import("rolldown").Plugin} */
export function cldrExcerpts() {
  return {
    name: "cldr-excerpts",
    load: {
      filter: { id: /cldr-core[\\/]supplemental[\\/]\w+\.json$/ },
      async handler(id) {
        const excerpt = excerpts[id.split(/[\\/]/).at(-1) ?? ""];
        if (excerpt === undefined) throw new Error(`say what is needed of ${id}`);
        const text = JSON.stringify(excerpt(JSON.parse(await readFile(id, "utf8"))));
        // As text, because Node reads JSON faster than JavaScript.
        return { code: `export default JSON.parse(${JSON.stringify(text)});`, moduleType: "js" };
      },
    },
  };
}

/**
 * Rules without the numbers that CLDR gives as examples of them, after an `@`.
 * @param {Record<string, Record<string, string>>} rules
 */
function withoutSamples(rules) {
  const entries = Object.entries(rules).map(([language, ofLanguage]) => [
    language,
    Object.fromEntries(Object.entries(ofLanguage).map(([name, rule]) => [name, rule.split("@")[0]?.trim()])),
  ]);
  return Object.fromEntries(entries);
}
