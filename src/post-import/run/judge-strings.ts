import type { JsonNote } from "../../protocol/json-notes.ts";
import { type Line, parseLine } from "../../protocol/ndjson.ts";
import type { ImportFindings } from "../checks/import-findings.ts";
import { type ImportFinding, importFinding } from "../checks/import-rules.ts";
import type { ComparedString, JobLanguages } from "../checks/strings/string-check.ts";
import { recordProblems, stringChecks } from "../checks/strings/string-checks.ts";
import { type JobStrings, stringsInMemory } from "../files/job-strings.ts";
import type { KeptLines } from "../files/kept-lines.ts";
import { explainLine } from "../rules/explain-line.ts";
import {
  type Compared,
  compareStrings,
  type StringChanges,
  type StringComparison,
} from "../rules/string-comparison.ts";

/** Judges the strings of an answer one after another, as they come (interface 2.4, 2.5). */
export interface StringsJudge {
  /** Takes one line of a file; why it is none of newline-delimited JSON, or null. */
  takeLine(line: Line): string | null;
  /** Takes one element of `data.strings`, with what is odd in its JSON. */
  takeValue(value: unknown, notes: readonly JsonNote[]): void;
  readonly received: number;
  readonly hasPlurals: boolean;
  /** Whether strings that were sent have not come. */
  readonly hasOmitted: boolean;
  /** What the app did to the strings, once all have come. */
  changes(): StringChanges;
  /** The same, seen from the expected strings. */
  differences(): StringChanges;
}

interface ParsedString {
  readonly value: unknown;
  readonly notes: readonly JsonNote[];
  /** Where it stands, and how that is written. */
  readonly place: number;
  readonly placeText: (place: number) => string;
}

export interface JudgedStrings {
  readonly sent: JobStrings;
  /** The strings of the expected answer. */
  readonly expected: JobStrings | null;
  readonly languages: JobLanguages;
  readonly omittedAre: "removed" | "unchanged";
  readonly findings: ImportFindings;
  /** Keeps every string that comes. */
  readonly received: KeptLines | null;
}

export function judgeStrings({
  sent,
  expected,
  languages,
  omittedAre,
  findings,
  received,
}: JudgedStrings): StringsJudge {
  const fromSent = compareStrings(sent, omittedAre);
  const fromExpected = compareStrings(expected ?? noStrings, "removed");
  let count = 0;
  let hasPlurals = false;

  /** Reads a string as far as the comparisons have not taken it unread. */
  const takeParsed = ({ value, notes, place, placeText }: ParsedString, isSent: boolean, isExpected: boolean) => {
    const read = recordProblems(value);
    const at = placeText(place);
    const key = identifierOf(value);
    if (!read.ok) {
      const shapes = read.found.map(({ path, message, value: wrong }) =>
        importFinding("import.string.shape", joined(at, path), message, wrong, key),
      );
      findings.add(...shapes);
      return;
    }
    hasPlurals ||= read.record.hasPlurals === true;
    if (!isExpected) fromExpected.take(read.record, place);
    if (isSent) return;
    const compared = fromSent.take(read.record, place);
    if (compared.kind === "unchanged") return;
    const lossy = notes.map(({ path, message }) =>
      importFinding("import.json.lossy", joined(at, path), message, null, key),
    );
    findings.add(...lossy, ...findingsOf(compared, at, placeText, languages));
  };

  return {
    takeLine(line) {
      count++;
      const bytes = Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.byteLength);
      const isSent = fromSent.takeUnread(bytes, line.number);
      const isExpected = expected === null || fromExpected.takeUnread(bytes, line.number);
      if (isSent && isExpected) {
        hasPlurals ||= bytes.includes(PLURALS);
        received?.add(bytes.toString());
        return null;
      }
      const parsed = parseLine(line);
      if (!parsed.ok) return explainLine(line, parsed.reason);
      if (findings.faults >= FAULT_LIMIT) return `it is not read on from line ${line.number}, after so many faults`;
      received?.add(bytes.toString());
      takeParsed({ ...parsed, place: line.number, placeText: lineText }, isSent, isExpected);
      return null;
    },
    takeValue(value, notes) {
      if (findings.faults >= FAULT_LIMIT) return;
      received?.add(JSON.stringify(value));
      takeParsed({ value, notes, place: count, placeText: elementText }, false, expected === null);
      count++;
    },
    get received() {
      return count;
    },
    get hasPlurals() {
      return hasPlurals;
    },
    get hasOmitted() {
      return !fromSent.missing().next().done;
    },
    changes() {
      const changes = fromSent.changes();
      if (changes.added > 0) findings.add(...changedIds(fromSent, sent));
      return changes;
    },
    differences: fromExpected.changes,
  };
}

const noStrings = stringsInMemory([], () => {
  throw new RangeError("there are none");
});

/** After more faults nothing of an answer is looked at any more: it is broken through and through. */
const FAULT_LIMIT = 10_000;

/** In a line that app-sim wrote itself, and that came back as it was. */
const PLURALS = '"hasPlurals":true';

function lineText(number: number): string {
  return `data.stringsUrl line ${number}`;
}

function elementText(index: number): string {
  return `data.strings[${index}]`;
}

/** The visible key of what may be no string record at all. */
function identifierOf(value: unknown): string | null {
  const { identifier } = (value ?? {}) as { readonly identifier?: unknown };
  return typeof identifier === "string" ? identifier : null;
}

function findingsOf(
  compared: Compared,
  at: string,
  placeText: (place: number) => string,
  languages: JobLanguages,
): ImportFinding[] {
  switch (compared.kind) {
    case "unchanged":
      return [];
    case "repeated": {
      const { uniqId, identifier } = compared.after;
      const message = `"${uniqId}" is also that of ${placeText(compared.first)}`;
      return [importFinding("import.uniqId.unique", joined(at, "uniqId"), message, uniqId, identifier)];
    }
    case "added":
      return checked({ before: null, after: compared.after }, at, languages);
    case "changed":
      return checked(compared, at, languages);
  }
}

function checked(strings: ComparedString, at: string, languages: JobLanguages): ImportFinding[] {
  return stringChecks.flatMap(({ id, section, result, rule, find }) =>
    find(strings, languages).map(({ path, value, message }) => ({
      check: id,
      section,
      result,
      path: joined(at, path),
      value: value ?? null,
      message,
      rule,
      identifier: strings.after.identifier,
    })),
  );
}

function joined(at: string, path: string): string {
  if (path === "") return at;
  return path.startsWith("[") ? at + path : `${at}.${path}`;
}

/** Of more strings than these that stayed away it is not asked whether they came back under another uniqId. */
const ASKED = 10_000;

/** Strings that came back under another uniqId: the platform takes each for a new one, and loses its translations. */
function changedIds(comparison: StringComparison, sent: JobStrings): ImportFinding[] {
  const found: ImportFinding[] = [];
  let asked = 0;
  for (const position of comparison.missing()) {
    if (asked++ === ASKED) break;
    const { uniqId, identifier } = sent.record(position);
    const now = comparison.addedAs(identifier);
    if (now === null) continue;
    const message = `the uniqId "${uniqId}" came back as "${now}"`;
    found.push(importFinding("import.uniqId.changed", "data.strings", message, now, identifier));
  }
  return found;
}
