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

/** What a check reports for one place in a record. */
export interface StringFault {
  /** Path within the record: `text.one`, `translations.uk.status`; "" for the whole. */
  readonly path: string;
  /** The value there; null if there is none. */
  readonly value: unknown;
  readonly message: string;
}

/** Rules for single strings of an answer (interface 2.5), by the ids of their checks. */
export type StringChecks = Readonly<
  Record<
    string,
    {
      readonly rule: string;
      readonly find: (strings: ComparedString, languages: JobLanguages) => readonly StringFault[];
    }
  >
>;

/** Maximum findings of a check for one string: it may have a million labels. */
export const FAULTS_PER_STRING = 100;

/** Finds the app's faults: what was already wrong in the sent record is the job's fault. */
export function newFaults(
  faultsOf: (record: StringRecord, languages: JobLanguages) => readonly StringFault[],
): StringChecks[string]["find"] {
  return ({ before, after }, languages) => {
    const faults = faultsOf(after, languages).slice(0, FAULTS_PER_STRING);
    if (faults.length === 0 || before === null) return faults;
    const known = faultsOf(before, languages);
    return faults.filter((fault) => !known.some((each) => isDeepStrictEqual(each, fault)));
  };
}
