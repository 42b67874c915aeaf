import { isDeepStrictEqual } from "node:util";
import type { StringRecord } from "../../../protocol/import-job.ts";
import type { Language } from "../../../protocol/language.ts";

/** The languages of a job (interface 2.3). */
export interface JobLanguages {
  readonly source: Language;
  /** Empty when a new source file is uploaded. */
  readonly targets: readonly Language[];
}

export interface ComparedString {
  /** The record that was sent under this uniqId; null for an added one. */
  readonly before: StringRecord | null;
  readonly after: StringRecord;
}

/** What a check says of one place of a record. */
export interface StringFound {
  /** Within the record: `text.one`, `translations.uk.status`; "" for the whole. */
  readonly path: string;
  /** What stands there; null where nothing does. */
  readonly value: unknown;
  readonly message: string;
}

/** What holds of each string of an answer, whatever the others are (interface 2.5). */
export interface StringCheck {
  readonly id: string;
  readonly section: string;
  /** What its findings mean: `fail` fails the import, `warn` does not. */
  readonly result: "fail" | "warn";
  readonly rule: string;
  readonly find: (strings: ComparedString, languages: JobLanguages) => readonly StringFound[];
}

/** A check says no more than this of one string: it may have a million labels. */
export const FOUND_PER_STRING = 100;

/**
 * A search for the faults of a record as it came back. What the record had already when it was sent, the same
 * fault with the same value in the same place, is the job's and not the app's: it is no finding.
 */
export function newFaults(
  faultsOf: (record: StringRecord, languages: JobLanguages) => readonly StringFound[],
): StringCheck["find"] {
  return ({ before, after }, languages) => {
    const faults = faultsOf(after, languages).slice(0, FOUND_PER_STRING);
    if (faults.length === 0 || before === null) return faults;
    const known = faultsOf(before, languages);
    return faults.filter((fault) => !known.some((each) => isDeepStrictEqual(each, fault)));
  };
}
