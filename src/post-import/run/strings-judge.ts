import { clip, harmlessLine } from "../../protocol/harmless.ts";
import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import type { JsonNote } from "../../protocol/json-notes.ts";
import { type Line, parseLine } from "../../protocol/ndjson.ts";
import { slipsIn, slipText } from "../../protocol/nearest.ts";
import { valueAtPath } from "../../protocol/problems.ts";
import { withCommas } from "../../protocol/with-commas.ts";
import type { ImportFindings } from "../checks/import-findings.ts";
import { importFinding } from "../checks/import-rules.ts";
import { ignoredMembers, memberNames } from "../checks/strings/member-names.ts";
import type { ComparedString, JobLanguages } from "../checks/strings/string-check.ts";
import { parseRecord, stringChecks } from "../checks/strings/string-checks.ts";
import { type JobStrings, stringsInMemory } from "../files/job-strings.ts";
import type { RedactedLines } from "../files/redacted-lines.ts";
import type { Changes, ImportedJob, ImportFinding } from "../import-result.ts";
import { type Compared, StringComparison } from "../rules/string-comparison.ts";
import { noChanges } from "./imported-job.ts";

/** What judging the strings of an answer needs. */
interface StringsContext {
  readonly sent: JobStrings;
  /** The strings of the expected answer. */
  readonly expected: JobStrings | null;
  readonly languages: JobLanguages;
  readonly omittedAre: "removed" | "unchanged";
  readonly findings: ImportFindings;
  /** Keeps every string of the answer. */
  readonly received: RedactedLines | null;
}

interface ParsedString {
  readonly value: unknown;
  readonly notes: readonly JsonNote[];
  /** The number of its line, or its position from 0. */
  readonly place: number;
  readonly placeText: (place: number) => string;
}

/** Judges the strings of an answer one after another (interface 2.4, 2.5). */
export class StringsJudge {
  readonly #context: StringsContext;
  readonly #fromSent: StringComparison;
  readonly #fromExpected: StringComparison | null;
  /** Ignored members that are a mistake in some string. */
  readonly #mistaken = new Set<string>();
  readonly #ignored = new Map<string, ImportedJob["ignored"][number]>();
  received = 0;
  hasPlurals = false;

  constructor(context: StringsContext) {
    this.#context = context;
    this.#fromSent = new StringComparison(context.sent, context.omittedAre);
    this.#fromExpected = context.expected && new StringComparison(context.expected, "removed");
  }

  /** Judges one line of a file. Returns what is wrong if it is not newline-delimited JSON, else null. */
  takeLine(line: Line): string | null {
    const { findings, received } = this.#context;
    this.received++;
    const bytes = Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.byteLength);
    const isSent = this.#fromSent.takeUnread(bytes, line.number);
    const isExpected = this.#fromExpected?.takeUnread(bytes, line.number) ?? true;
    if (isSent && isExpected) {
      this.hasPlurals ||= bytes.includes(PLURALS);
      received?.add(bytes.toString());
      return null;
    }
    const parsed = parseLine(line);
    if (!parsed.ok) return explainLine(line, parsed.reason);
    if (this.received === 1 && Array.isArray(parsed.value)) return arrayText(line.number);
    if (findings.faults >= FAULT_LIMIT) return `reading stopped at line ${line.number}: too many faults`;
    received?.add(bytes.toString());
    this.#takeParsed({ ...parsed, place: line.number, placeText: lineText }, isSent, isExpected);
    return null;
  }

  /** Judges one element of `data.strings`, with the notes on its JSON. */
  takeValue(value: unknown, notes: readonly JsonNote[]): void {
    const { findings, received } = this.#context;
    if (findings.faults >= FAULT_LIMIT) return;
    received?.add(JSON.stringify(value));
    this.#takeParsed({ value, notes, place: this.received, placeText: elementText }, false, false);
    this.received++;
  }

  /** Compares a string, unless it was already compared unparsed, and checks what changed. */
  #takeParsed({ value, notes, place, placeText }: ParsedString, isSent: boolean, isExpected: boolean): void {
    const { findings, languages } = this.#context;
    const parsed = parseRecord(value);
    const at = placeText(place);
    if (!parsed.ok) {
      const key = identifierOf(value);
      const slips = slipsIn(value, recordNames);
      const shapes = parsed.faults.map((fault) => {
        const slip = slips.find(({ meant }) => meant === fault.path || (meant === "hasPlurals" && isText(fault.path)));
        const message = slip === undefined ? fault.message : `${fault.message}; "${slip.name}" ${slipText(slip)}`;
        return {
          ...importFinding("import.string.shape", joined(at, fault.path), message, fault.value),
          identifier: key,
        };
      });
      findings.add(...shapes);
      return;
    }
    const { record } = parsed;
    this.hasPlurals ||= record.hasPlurals === true;
    if (!isExpected) this.#fromExpected?.take(record, place);
    if (isSent) return;
    this.#takeIgnored(record, at);
    const compared = this.#fromSent.take(record, place);
    if (compared.kind === "unchanged") return;
    const before = compared.kind === "changed" ? compared.before : null;
    const lossy = notes
      .filter((note) => !isAsSent(note, before, value))
      .map(({ path, message }) => ({
        ...importFinding("import.json.lossy", joined(at, path), message),
        identifier: record.identifier,
      }));
    findings.add(...lossy, ...findingsOf(compared, at, placeText, languages));
  }

  /** Members that the platform ignores: mistakes are findings, others are counted. */
  #takeIgnored(record: StringRecord, at: string): void {
    const { sent, findings } = this.#context;
    const members = ignoredMembers(record, () => {
      const position = sent.find(record.uniqId);
      const before = position < 0 ? null : sent.record(position);
      return before?.uniqId === record.uniqId ? before : null;
    });
    const byName = new Map(members.map((member) => [`${member.part} ${clip(member.name, NAMED_CHARACTERS)}`, member]));
    for (const [key, { part, path, name, mistake }] of byName) {
      if (mistake !== null) {
        const { identifier } = record;
        if (this.#mistaken.size < NAMED_MEMBERS) this.#mistaken.add(key);
        findings.add({ ...importFinding("import.answer.names", joined(at, path), mistake), identifier });
      } else if (part !== "attributes") {
        const known = this.#ignored.get(key);
        if (known === undefined && this.#ignored.size >= NAMED_MEMBERS) continue;
        this.#ignored.set(key, { in: part, name: clip(name, NAMED_CHARACTERS), strings: (known?.strings ?? 0) + 1 });
      }
    }
  }

  /** Members that the interface does not have and the platform ignores; they may be there on purpose. */
  get ignored(): ImportedJob["ignored"] {
    return [...this.#ignored].filter(([key]) => !this.#mistaken.has(key)).map(([, member]) => member);
  }

  /** Whether sent strings have not come back. */
  get hasOmitted(): boolean {
    return !this.#fromSent.missing().next().done;
  }

  /** What the app did to the strings; call it after the last one. */
  changes(): Changes {
    const changes = this.#fromSent.changes();
    const { findings } = this.#context;
    const renamed = changes.added > 0 ? this.#changedIds() : [];
    findings.add(...renamed);
    // Strings that came back under another uniqId are already reported.
    if (changes.removed > renamed.length) findings.add(this.#removed(changes.removed - renamed.length, renamed));
    return changes;
  }

  /** The same, compared with the expected strings. */
  differences(): Changes {
    return this.#fromExpected?.changes() ?? noChanges;
  }

  /** The strings that did not come back at all, with the identifiers of the first ones. */
  #removed(count: number, renamed: readonly ImportFinding[]): ImportFinding {
    const others = new Set(renamed.map(({ identifier }) => identifier));
    const named: string[] = [];
    let searched = 0;
    for (const position of this.#fromSent.missing()) {
      if (named.length === NAMED_STRINGS || searched++ === SEARCHED_STRINGS) break;
      const { identifier } = this.#context.sent.record(position);
      if (!others.has(identifier)) named.push(`"${clip(identifier, NAMED_CHARACTERS)}"`);
    }
    const what = count === 1 ? "1 string" : `${withCommas(count)} strings`;
    const more = count > named.length ? " …" : "";
    const message = `${what} did not come back: ${named.join(", ")}${more}`;
    return importFinding("import.string.removed", "data.strings", message, count);
  }

  /** Strings that came back under another uniqId: the platform treats each as new, and loses its translations. */
  #changedIds(): ImportFinding[] {
    const found: ImportFinding[] = [];
    let searched = 0;
    for (const position of this.#fromSent.missing()) {
      if (searched++ === SEARCHED_STRINGS) break;
      const { uniqId, identifier } = this.#context.sent.record(position);
      const now = this.#fromSent.addedAs(identifier);
      if (now === null) continue;
      const message = `the uniqId "${uniqId}" came back as "${now}"`;
      found.push({ ...importFinding("import.uniqId.changed", "data.strings", message, now), identifier });
    }
    return found;
  }
}

/** The judge of an answer to a job whose strings are all known. */
export function judgeOfJob(
  { sourceLanguage, targetLanguages }: Pick<ImportJob, "sourceLanguage" | "targetLanguages">,
  sent: readonly StringRecord[],
  omittedAre: "removed" | "unchanged",
  findings: ImportFindings,
): StringsJudge {
  return new StringsJudge({
    sent: stringsInMemory(withoutRepeated(sent), () => {
      throw new RangeError("a uniqId occurs twice");
    }),
    expected: null,
    languages: { source: sourceLanguage, targets: targetLanguages },
    omittedAre,
    findings,
    received: null,
  });
}

export function withoutRepeated(records: readonly StringRecord[]): StringRecord[] {
  return [...new Map(records.map((record) => [record.uniqId, record])).values()];
}

/** After more faults the rest of an answer is not checked. */
const FAULT_LIMIT = 10_000;

/** Beyond this number, omitted strings are not searched for under another uniqId. */
const SEARCHED_STRINGS = 10_000;

/** Path in a line that app-sim wrote itself and that came back unchanged. */
const PLURALS = '"hasPlurals":true';

/** How many removed strings a finding names; the changes list more. */
const NAMED_STRINGS = 5;
const NAMED_CHARACTERS = 60;

/** Whether the sent string already had the lone surrogate: then its return is not the app's fault. */
function isAsSent({ kind, path }: JsonNote, before: unknown, after: unknown): boolean {
  if (kind !== "text" || before === null) return false;
  const sent = valueAtPath(before, path);
  return typeof sent === "string" && sent === valueAtPath(after, path);
}

/** How many names of ignored members are kept; longer names are truncated. */
const NAMED_MEMBERS = 20;
const recordNames = memberNames("string");

const lineText = (number: number) => `data.stringsUrl line ${number}`;
const elementText = (index: number) => `data.strings[${index}]`;

/** Whether a path leads to a text, whose type depends on hasPlurals. */
function isText(path: string): boolean {
  return /^(translations\.[^.]+\.)?text(\.|$)/.test(path);
}

/** The visible key of a value that may not be a string record. */
function identifierOf(value: unknown): string | null {
  const { identifier } = (value ?? {}) as { readonly identifier?: unknown };
  return typeof identifier === "string" ? identifier : null;
}

function findingsOf(
  compared: Exclude<Compared, { kind: "unchanged" }>,
  at: string,
  placeText: (place: number) => string,
  languages: JobLanguages,
): ImportFinding[] {
  const { uniqId, identifier } = compared.after;
  if (compared.kind === "repeated") {
    const message = `"${uniqId}" is also that of ${placeText(compared.first)}`;
    return [{ ...importFinding("import.uniqId.unique", joined(at, "uniqId"), message, uniqId), identifier }];
  }
  const strings: ComparedString = compared.kind === "changed" ? compared : { before: null, after: compared.after };
  return stringChecks.flatMap(({ id, section, result, rule, find }) =>
    find(strings, languages).map(({ path, value, message }) => ({
      check: id,
      section,
      result,
      path: joined(at, path),
      value: value ?? null,
      message,
      rule,
      identifier,
    })),
  );
}

function joined(at: string, path: string): string {
  return path === "" || path.startsWith("[") ? at + path : `${at}.${path}`;
}

function arrayText(number: number): string {
  return `line ${number} starts a JSON array: write one record per line, without enclosing [ ] and separating commas`;
}

const EXCERPT_CHARACTERS = 80;

/** Why a line is not a string record, and what it looks like instead. */
function explainLine({ number, bytes }: Line, reason: string): string {
  const start = Buffer.from(bytes.subarray(0, 4 * EXCERPT_CHARACTERS))
    .toString()
    .trim();
  const excerpt = clip(harmlessLine(start), EXCERPT_CHARACTERS);
  if (start.startsWith("[")) return arrayText(number);
  if (start === "{")
    return `line ${number} is only {: does the record span several lines? Write each record on one line`;
  return start.startsWith("<") ? `line ${number} starts an HTML page: ${excerpt}` : `${reason}; it starts: ${excerpt}`;
}
