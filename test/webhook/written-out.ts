import type { StringRecord } from "../../src/protocol/import-job.ts";

/** The same record with every default of interface 2.5 written out. */
export function writtenOut(short: StringRecord): StringRecord {
  return {
    context: "",
    maxLength: null,
    isHidden: null,
    hasPlurals: false,
    labels: [],
    attributes: {},
    ...short,
    translations: Object.fromEntries(
      Object.entries(short.translations ?? {}).map(([language, translation]) => [
        language,
        { status: "translated" as const, ...translation },
      ]),
    ),
  };
}
