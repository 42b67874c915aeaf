import type { Changes, ImportedJob, ImportResult, StringChange } from "../../src/post-import/import-result.ts";

/** Counts of what differs, and no string of it. */
export function changes(parts: Partial<Changes> = {}): Changes {
  return { changed: 0, added: 0, removed: 0, unchanged: 0, hidden: 0, relabelled: 0, strings: [], ...parts };
}

/** A changed string with these fields. */
export function changed(identifier: string, ...fields: StringChange["fields"]): StringChange {
  return { uniqId: `id of ${identifier}`, identifier, change: "changed", fields };
}

/** A job that the app left as it was. */
export function imported(parts: Partial<ImportedJob> = {}): ImportedJob {
  return {
    fixture: "greetings.json",
    occasion: "source-upload",
    languages: [],
    user: { id: 4, role: "manager" },
    module: "tidy",
    outcome: "imported",
    error: null,
    hint: null,
    failure: null,
    sent: { strings: 5, via: "inline", contentVia: "inline", bytes: 100 },
    received: { strings: 5, via: "inline", bytes: 100 },
    preview: null,
    changes: changes({ unchanged: 5 }),
    findings: [],
    ignored: [],
    expected: null,
    exchanges: [],
    ...parts,
  };
}

export function importResult(...jobs: ImportedJob[]): ImportResult {
  return { command: "post-import", jobs, warnings: [], choices: [] };
}
