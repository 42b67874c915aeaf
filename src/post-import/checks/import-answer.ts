import type { z } from "zod";
import type { Explanation } from "../../app-client/explain-outcome.ts";
import { explainStatus } from "../../app-client/explain-status.ts";
import { type Answer, readJsonAnswer } from "../../app-client/read-answer.ts";
import type { CallFacts } from "../../app-client/refusal-hints.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { IMPORT_ANSWER_SHAPE, importAnswerSchema, importErrorSchema } from "../../protocol/import-job.ts";
import type { JsonNote } from "../../protocol/json-notes.ts";
import { madeTwice } from "../../protocol/json-slip.ts";
import { isSlipOf, type Slip, slipsIn, slipText } from "../../protocol/nearest.ts";
import { problemsOf, valueAtPath } from "../../protocol/problems.ts";
import { withCommas } from "../../protocol/with-commas.ts";
import type { ImportFinding } from "../import-result.ts";
import { importFinding } from "./import-rules.ts";

/** The smallest correct answer: an empty list would remove every string of the file. */
const ALL_STRINGS = '{"data":{"strings":[…]}} with every string of the file, or status 304 if nothing changes';

/** What to try if an app has a message for the user, but a status other than 200. */
const USER_TEXT =
  "is this message for the user? Then answer with status 200: the interface does not say what the user sees with another status (interface 2.4, 7)";

/** The HTML preview of an answer (interface 2.4), or its address. */
export type AnsweredPreview =
  /** `html` is null if `base64` is not valid base64. */
  | { readonly via: "inline"; readonly base64: string; readonly html: Buffer | null }
  | { readonly via: "url"; readonly url: string };

/** Notes on the JSON of strings, by the string's position from 0. */
type StringNotes = ReadonlyMap<number, readonly JsonNote[]>;

/** The unchecked strings and the preview of an answer (interface 2.4). */
export interface AnsweredParts {
  readonly strings:
    | { readonly via: "inline"; readonly values: readonly unknown[]; readonly notes: StringNotes }
    | { readonly via: "url"; readonly url: string };
  readonly preview: AnsweredPreview | null;
}

/** What a post-import module answered (interface 2.4). */
export type ImportVerdict =
  | ({ readonly kind: "strings"; readonly findings: readonly ImportFinding[] } & AnsweredParts)
  | { readonly kind: "not-modified" }
  /** The app says what is wrong with the file, which is allowed (interface 7). */
  | { readonly kind: "app-error"; readonly message: string; readonly hasStrings: boolean }
  | ({ readonly kind: "failed"; readonly findings: readonly ImportFinding[] } & Explanation);

/** Judges an answer to a post-import call, except its strings. Any breach of the contract fails the import. */
export function judgeImportAnswer(answer: Answer, choices: ChoiceReader, facts: CallFacts): ImportVerdict {
  if (answer.status === 304) return judgeNotModified(answer, choices);
  const json = readJsonAnswer(answer, IMPORT_ANSWER_SHAPE, ALL_STRINGS);
  // Interface 2.4, 7: error.message is shown to the user.
  const message = json.ok ? (importErrorSchema.safeParse(json.value).data?.error.message ?? null) : null;
  if (answer.status < 200 || answer.status > 299) return judgeErrorStatus(answer, message, facts);
  if (!json.ok) return failed(json.reason, json.hint);
  if (message?.trim() === "") return broken([shapeFinding("error.message", EMPTY_MESSAGE, message)]);
  if (message !== null) return { kind: "app-error", message, hasStrings: hasStrings(json.value) };
  const parsed = importAnswerSchema.safeParse(json.value);
  if (!parsed.success) return broken(shapeFindings(parsed.error, json.value));
  const misplaced = misplacedFindings(json.value as WholeAnswer, parsed.data.error ?? {});
  if (misplaced.length > 0) return broken(misplaced);
  const { ofStrings, others } = sortNotes(json.notes);
  const { data, error } = json.value as WholeAnswer;
  const slips = [
    ...slipsIn(json.value, Object.keys(importAnswerSchema.shape)).map((slip) => [slip.name, slip] as const),
    ...slipsIn(data, dataNames).map((slip) => [`data.${slip.name}`, slip] as const),
    ...slipsIn(error, ["message"]).map((slip) => [`error.${slip.name}`, slip] as const),
  ];
  const parts = answeredParts(parsed.data.data ?? {}, ofStrings, slips);
  if (Array.isArray(parts)) return broken(parts);
  const typeFaults = [json.typeFault ?? []].flat();
  const statusFault = `it answered ${answer.status}, but the interface shows 200: answer 200`;
  return {
    kind: "strings",
    ...parts,
    findings: [
      ...(answer.status === 200 ? [] : [importFinding("import.answer.status", "response", statusFault, answer.status)]),
      ...slips.map(([path, slip]) => importFinding("import.answer.names", path, slipText(slip))),
      ...typeFaults.map((fault) => importFinding("import.content-type", "response", fault)),
      ...others.map(({ path, message }) => importFinding("import.json.lossy", path || "response", message)),
    ],
  };
}

function judgeNotModified(answer: Answer, choices: ChoiceReader): ImportVerdict {
  if (choices.get("postImport.notModified") === "accepted") return { kind: "not-modified" };
  const { reason } = explainStatus(answer, { by: "none" });
  return failed(reason, '304 as "nothing changed" is refused by the choice postImport.notModified');
}

/** @param message the app's own, for the user; null: it has none */
function judgeErrorStatus(answer: Answer, message: string | null, facts: CallFacts): ImportVerdict {
  const { reason, hint } = explainStatus(answer, facts);
  if (!message?.trim()) return failed(reason, hint);
  const isOwnWords = answer.status >= 400 && answer.status < 500;
  return failed(
    `the app answered ${answer.status} with its own message: ${message}`,
    hint ?? (isOwnWords ? USER_TEXT : null),
  );
}

function shapeFinding(path: string, message: string, value?: unknown): ImportFinding {
  return importFinding("import.answer.shape", path, message, value);
}

function shapeFindings(error: z.ZodError, value: unknown): ImportFinding[] {
  return problemsOf(error, value).map(({ path, message }) => {
    const found = valueAtPath(value, path);
    return shapeFinding(path || "response", message + twiceText(found), found);
  });
}

/** An answer of the right types. */
interface WholeAnswer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly message?: unknown;
}

/** Members that would be ignored where they are, although the app evidently means them. */
function misplacedFindings(whole: WholeAnswer, error: object): ImportFinding[] {
  const { data, message } = whole;
  if (data == null) {
    const inError = Object.keys(error);
    if (inError.length > 0 && !inError.some((name) => isSlipOf(name, "message"))) {
      const text = `is missing: the text for the user belongs there, but error has only ${nameList(inError)}`;
      return [shapeFinding("error.message", text)];
    }
    const names = dataNames.filter((name) => Object.hasOwn(whole, name));
    if (names.length > 0) return names.map((name) => shapeFinding(name, "is ignored here: it belongs in data"));
    if (typeof message === "string" && message.trim() !== "")
      return [shapeFinding("message", "is ignored here: it belongs in error", message)];
  }
  return nestedNames(data).map((name) =>
    shapeFinding(`data.data.${name}`, "is ignored here: there is one data too many"),
  );
}

/** Names that the app chose, on one line. */
function nameList(names: readonly string[]): string {
  return clip(harmlessLine(names.join(", ")), LISTED_CHARACTERS);
}

const LISTED_CHARACTERS = 80;

const EMPTY_MESSAGE = "is empty: leave error out if nothing is wrong, or else say what is";

/** Whether an answer has strings, whatever else it says. */
function hasStrings(value: unknown): boolean {
  const { strings, stringsUrl } = importAnswerSchema.safeParse(value).data?.data ?? {};
  return (strings ?? []).length > 0 || stringsUrl != null;
}

const dataNames = Object.keys(importAnswerSchema.shape.data.unwrap().unwrap().shape);

/** Members of a second `data` inside the first, as HTTP clients wrap what they receive. */
function nestedNames(data: unknown): string[] {
  const { data: inner, ...outer } = (data ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof inner !== "object" || inner === null || dataNames.some((name) => outer[name] != null)) return [];
  return dataNames.filter((name) => Object.hasOwn(inner, name));
}

/** The parts of the member `data` of an answer, or their faults. */
function answeredParts(
  { strings, stringsUrl, preview, previewUrl }: NonNullable<z.infer<typeof importAnswerSchema>["data"]>,
  notes: StringNotes,
  slips: readonly (readonly [path: string, slip: Slip])[],
): AnsweredParts | ImportFinding[] {
  const both = (path: string, other: string, value: string) =>
    importFinding("import.answer.pairs", path, `is given together with its alternative ${other}`, value);
  const pairs = [
    ...(strings != null && stringsUrl != null ? [both("data.stringsUrl", "data.strings", stringsUrl)] : []),
    ...(preview != null && previewUrl != null ? [both("data.previewUrl", "data.preview", previewUrl)] : []),
  ];
  if (pairs.length > 0) return pairs;
  if (strings == null && stringsUrl == null) {
    if (slips.length > 0) return slips.map(([path, slip]) => shapeFinding(path, slipText(slip)));
    if (strings === null) return [shapeFinding("data.strings", "is null: expected a list of strings")];
    // An app that switches on the job type may answer an unknown one with nothing.
    const perhaps =
      preview == null && previewUrl == null
        ? "; is the list undefined in the app? does the app know this jobType (choice wire.jobType)?"
        : "";
    const message = `has neither data.strings nor data.stringsUrl nor error.message${perhaps}`;
    return [shapeFinding("response", message)];
  }
  return {
    strings: strings != null ? { via: "inline", values: strings, notes } : { via: "url", url: stringsUrl ?? "" },
    preview:
      preview != null
        ? { via: "inline", base64: preview, html: isBase64(preview) ? Buffer.from(preview, "base64") : null }
        : previewUrl != null
          ? { via: "url", url: previewUrl }
          : null,
  };
}

/** A string returned unchanged is not the app's fault: notes on strings are reported with the string. */
function sortNotes(notes: readonly JsonNote[]): { readonly ofStrings: StringNotes; readonly others: JsonNote[] } {
  const ofStrings = new Map<number, JsonNote[]>();
  const others: JsonNote[] = [];
  for (const note of notes) {
    const [, index, path = ""] = /^data\.strings\[(\d+)\]\.?(.*)$/s.exec(note.path) ?? [];
    if (index === undefined) others.push(note);
    else ofStrings.set(Number(index), [...(ofStrings.get(Number(index)) ?? []), { ...note, path }]);
  }
  // The last note may count further notes, which may be about strings.
  return { ofStrings, others: others.filter(({ path }) => path !== "" || ofStrings.size === 0) };
}

/** What a string instead of an object may be, appended to the fault. */
function twiceText(value: unknown): string {
  const twice = madeTwice(value);
  return twice === null ? "" : `; ${twice}`;
}

/** Non-empty base64 in the standard alphabet, with or without padding (RFC 4648, 4). */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1;
}

function failed(reason: string, hint: string | null, findings: readonly ImportFinding[] = []): ImportVerdict {
  return { kind: "failed", reason, hint, findings };
}

/** An answer that breaks the contract, with every fault. */
function broken(findings: readonly ImportFinding[]): ImportVerdict {
  return failed(brokenReason(findings[0] ?? null, findings.length), `expected ${IMPORT_ANSWER_SHAPE}`, findings);
}

/** A key chosen by the app may be as long as the answer. */
const PATH_CHARACTERS = 120;
const MESSAGE_CHARACTERS = 200;

/** The first fault of an answer, in one line, and how many more there are. */
export function brokenReason(fault: ImportFinding | null, faults: number): string {
  const path = clip(harmlessLine(fault?.path ?? ""), PATH_CHARACTERS);
  const message = clip(harmlessLine(fault?.message ?? ""), MESSAGE_CHARACTERS);
  const others = faults > 1 ? ` (and ${withCommas(faults - 1)} more: see the findings)` : "";
  return `the app's answer breaks the contract: ${path}: ${message}${others}`;
}
