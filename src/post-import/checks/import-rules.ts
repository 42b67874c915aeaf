import type { ImportFinding } from "../import-result.ts";

/** A rule: `fail` findings fail the import, `warn` findings do not. */
interface ImportRule {
  /** Section of the interface. */
  readonly section: string;
  readonly result: "warn" | "fail";
  readonly rule: string;
}

/** The rules for a job and for its answer as a whole; those for each string are in `strings/`. */
export const importRules = {
  "import.job.pluralRules": warn(
    "2.3",
    "pluralRules is a C expression that gives the index into pluralCategoryNames for every integer",
  ),
  "import.answer.shape": fail(
    "2.4",
    "an answer has data with strings or stringsUrl, or error.message, each of the right type",
  ),
  "import.answer.status": warn("2.4", "an answer has the status 200"),
  "import.answer.names": warn(
    "2.4",
    "the members of an answer have the names that the interface gives them: others are ignored",
  ),
  "import.answer.pairs": fail("2.4", "strings and stringsUrl, preview and previewUrl are alternatives"),
  "import.answer.leak": warn("5.1", "no answer holds a secret of the app, and no error its token or a stack trace"),
  "import.file.credentials": warn("2.3", "a file is fetched without the app's secrets: it may be on any host"),
  "import.content-type": warn("2.4", "an answer is JSON and says so"),
  "import.json.lossy": warn("2.4", "JSON means the same to every reader (RFC 8259, 6 and 8.2)"),
  "import.string.shape": fail("2.5", "every string is a complete record, each field of the right type"),
  "import.uniqId.unique": fail("2.5", "uniqId is unique within the file"),
  "import.uniqId.changed": warn(
    "2.5",
    "a string keeps its uniqId: with another one it is a new string without translations",
  ),
  "import.string.removed": warn(
    "2.4",
    "every string that was sent comes back: one that does not is lost, with its translations",
  ),
  "import.file.lines": fail("2.4", "the file at stringsUrl is newline-delimited JSON, one string record per line"),
  "import.file.address": fail("2.4", "a file that the answer names is at the app's own origin, or at an allowed one"),
  "import.file.fetched": fail("2.4", "a file that the answer names can be fetched, once"),
  "import.preview.content": fail(
    "2.4",
    "data.preview is base64 of an HTML file, and data.previewUrl is the address of one",
  ),
  "import.preview.plurals": warn("2.4", "the preview fields are not supported when the strings include plural strings"),
  "import.size.near-limit": warn("8", "request and answer are at most 5 MB"),
};

function warn(section: string, rule: string): ImportRule {
  return { section, result: "warn", rule };
}

function fail(section: string, rule: string): ImportRule {
  return { section, result: "fail", rule };
}

/** A finding of one of the rules, about no single string. */
export function importFinding(
  check: keyof typeof importRules,
  path: string,
  message: string,
  value: unknown = null,
): ImportFinding {
  const { section, result, rule } = importRules[check];
  return { check, section, result, path, value, message, rule, identifier: null };
}
