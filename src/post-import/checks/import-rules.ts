import type { Finding } from "../../app-client/finding.ts";

/** A finding of an import says what stands there and which rule that breaks. */
export interface ImportFinding extends Finding {
  /** null where nothing stands there. */
  readonly value: unknown;
  readonly rule: string;
  /** The visible key of the string that it is about; null where it is about none. */
  readonly identifier: string | null;
  /** Of the last finding of a check with very many: how many it stands for, which were counted only. */
  readonly notKept?: number | undefined;
}

interface ImportRule {
  readonly section: string;
  /** What its findings mean: `fail` fails the import, `warn` does not. */
  readonly result: "warn" | "fail";
  readonly rule: string;
}

/** What holds of a job and of its answer as a whole; what holds of each string is in `strings/`. */
export const importRules = {
  "import.job.pluralRules": {
    section: "2.3",
    result: "warn",
    rule: "pluralRules is a C expression that gives the index into pluralCategoryNames for every integer",
  },
  "import.answer.shape": {
    section: "2.4",
    result: "fail",
    rule: "an answer has data with strings or stringsUrl, or error.message, each of its type",
  },
  "import.answer.pairs": {
    section: "2.4",
    result: "fail",
    rule: "strings and stringsUrl, preview and previewUrl are alternatives",
  },
  "import.content-type": { section: "2.4", result: "warn", rule: "an answer is JSON and says so" },
  "import.json.lossy": {
    section: "2.4",
    result: "warn",
    rule: "JSON means the same to every reader (RFC 8259, 6 and 8.2)",
  },
  "import.string.shape": {
    section: "2.5",
    result: "fail",
    rule: "every string is a whole record, each field of its type",
  },
  "import.uniqId.unique": { section: "2.5", result: "fail", rule: "uniqId is unique within the file" },
  "import.uniqId.changed": {
    section: "2.5",
    result: "warn",
    rule: "a string keeps its uniqId: with another one it is a new string",
  },
  "import.file.lines": {
    section: "2.4",
    result: "fail",
    rule: "the file at stringsUrl is newline-delimited JSON, one string record per line",
  },
  "import.file.address": {
    section: "2.4",
    result: "fail",
    rule: "a file that the answer names is at the app's own origin, or at one that is allowed",
  },
  "import.file.fetched": { section: "2.4", result: "fail", rule: "a file that the answer names can be fetched, once" },
  "import.preview.content": {
    section: "2.4",
    result: "fail",
    rule: "data.preview is base64 of an HTML file, and data.previewUrl names one",
  },
  "import.preview.plurals": {
    section: "2.4",
    result: "warn",
    rule: "the preview fields are not supported when the strings include plural strings",
  },
  "import.size.near-limit": { section: "8", result: "warn", rule: "request and response are at most 5 MB" },
} as const satisfies Record<string, ImportRule>;

export type ImportRuleId = keyof typeof importRules;

/** A finding of one of the rules. */
export function importFinding(
  id: ImportRuleId,
  path: string,
  message: string,
  value: unknown = null,
  identifier: string | null = null,
): ImportFinding {
  const { section, result, rule } = importRules[id];
  return { check: id, section, result, path, value, message, rule, identifier };
}
