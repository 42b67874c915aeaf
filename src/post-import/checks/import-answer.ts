import type { Explanation } from "../../app-client/explain-outcome.ts";
import { type Answer, type Credential, explainStatus, readJsonAnswer } from "../../app-client/read-answer.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { IMPORT_ANSWER_SHAPE, importAnswerSchema, importErrorSchema } from "../../protocol/import-job.ts";
import type { JsonNote } from "../../protocol/json-notes.ts";
import { problemsOf, valueAtPath } from "../../protocol/problems.ts";
import { type ImportFinding, importFinding } from "./import-rules.ts";

/** The HTML preview of an answer (interface 2.4), or where it is. */
export type AnsweredPreview =
  | {
      readonly via: "inline";
      readonly base64: string /** null: it is the base64 of nothing. */;
      readonly html: Buffer | null;
    }
  | { readonly via: "url"; readonly url: string };

/** What a post-import module answered (interface 2.4). */
export type ImportVerdict =
  | {
      readonly kind: "strings";
      /** The strings, not yet looked at, or where they are. */
      readonly strings:
        | {
            readonly via: "inline";
            readonly values: readonly unknown[];
            /** What is odd in the JSON of a string, by its position from 0. */
            readonly notes: ReadonlyMap<number, readonly JsonNote[]>;
          }
        | { readonly via: "url"; readonly url: string };
      readonly preview: AnsweredPreview | null;
      readonly findings: readonly ImportFinding[];
    }
  | { readonly kind: "not-modified" }
  /** The app says what is wrong with the file, as it may (interface 7). */
  | { readonly kind: "app-error"; readonly message: string }
  | ({ readonly kind: "failed"; readonly findings: readonly ImportFinding[] } & Explanation);

/** Judges a whole answer to a post-import call, but for its strings. Anything that breaks the contract fails the import. */
export function judgeImportAnswer(answer: Answer, choices: ChoiceReader, credential: Credential): ImportVerdict {
  if (answer.status === 304) return judgeNotModified(answer, choices);
  const json = readJsonAnswer(answer, IMPORT_ANSWER_SHAPE);
  if (answer.status < 200 || answer.status > 299) {
    const message = json.ok ? errorMessage(json.value) : null;
    const { reason, hint } = explainStatus(answer, credential);
    return failed(
      message === null || message.trim() === "" ? reason : `${message} (the app answered ${answer.status})`,
      hint,
    );
  }
  if (!json.ok) return failed(json.reason, json.hint);
  const message = errorMessage(json.value);
  if (message?.trim() === "")
    return broken([importFinding("import.answer.shape", "error.message", "is empty", message)]);
  if (message !== null) return { kind: "app-error", message };
  const parsed = importAnswerSchema.safeParse(json.value);
  if (!parsed.success) {
    return broken(
      problemsOf(parsed.error, json.value).map(({ path, message }) =>
        importFinding("import.answer.shape", path || "response", message, valueAtPath(json.value, path)),
      ),
    );
  }
  const { strings, stringsUrl, preview, previewUrl } = parsed.data.data ?? {};
  const pairs = [
    ...(strings != null && stringsUrl != null ? [both("data.stringsUrl", "data.strings", stringsUrl)] : []),
    ...(preview != null && previewUrl != null ? [both("data.previewUrl", "data.preview", previewUrl)] : []),
  ];
  if (pairs.length > 0) return broken(pairs);
  if (strings == null && stringsUrl == null) {
    return broken([
      importFinding(
        "import.answer.shape",
        "response",
        "has neither data.strings nor data.stringsUrl nor error.message",
      ),
    ]);
  }
  const { ofStrings, others } = sortNotes(json.notes);
  return {
    kind: "strings",
    strings:
      strings != null ? { via: "inline", values: strings, notes: ofStrings } : { via: "url", url: stringsUrl ?? "" },
    preview: answeredPreview(preview ?? null, previewUrl ?? null),
    findings: [
      ...[json.typeFault ?? []].flat().map((fault) => importFinding("import.content-type", "response", fault)),
      ...others.map(({ path, message }) => importFinding("import.json.lossy", path || "response", message)),
    ],
  };
}

/** A string that comes back as it was sent is no fault of the app: what is odd in one is told with the string. */
function sortNotes(notes: readonly JsonNote[]): {
  readonly ofStrings: ReadonlyMap<number, readonly JsonNote[]>;
  readonly others: readonly JsonNote[];
} {
  const ofStrings = new Map<number, JsonNote[]>();
  const others: JsonNote[] = [];
  for (const note of notes) {
    const [, index, path = ""] = /^data\.strings\[(\d+)\]\.?(.*)$/s.exec(note.path) ?? [];
    if (index === undefined) others.push(note);
    else ofStrings.set(Number(index), [...(ofStrings.get(Number(index)) ?? []), { ...note, path }]);
  }
  // The last note may say how many more there are, which may be those of strings.
  return { ofStrings, others: others.filter(({ path }) => path !== "" || ofStrings.size === 0) };
}

function answeredPreview(base64: string | null, url: string | null): AnsweredPreview | null {
  if (base64 !== null) return { via: "inline", base64, html: isBase64(base64) ? Buffer.from(base64, "base64") : null };
  return url === null ? null : { via: "url", url };
}

/** The standard alphabet, with or without the padding (RFC 4648, 4), of at least one byte. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1;
}

function both(path: string, other: string, value: string): ImportFinding {
  return importFinding("import.answer.pairs", path, `is given beside ${other}, which it is an alternative to`, value);
}

/** Interface 2.4, 7: error.message is shown to the user. */
function errorMessage(value: unknown): string | null {
  return importErrorSchema.safeParse(value).data?.error.message ?? null;
}

function judgeNotModified(answer: Answer, choices: ChoiceReader): ImportVerdict {
  if (choices.get("postImport.notModified") === "accepted") return { kind: "not-modified" };
  return failed(
    explainStatus(answer, "none").reason,
    '304 as "nothing changed" is refused by the choice postImport.notModified',
  );
}

function failed(reason: string, hint: string | null, findings: readonly ImportFinding[] = []): ImportVerdict {
  return { kind: "failed", reason, hint, findings };
}

/** An answer that breaks the contract, with each place where it does. */
function broken(findings: readonly ImportFinding[]): ImportVerdict {
  return failed(brokenReason(findings[0], findings.length), `expected ${IMPORT_ANSWER_SHAPE}`, findings);
}

/** A key of the app's in a path may be as long as an answer. */
const PATH_CHARACTERS = 120;
const MESSAGE_CHARACTERS = 200;

/** What the first of so many faults is, in one line. */
export function brokenReason(fault: ImportFinding | undefined, faults: number): string {
  const path = clip(harmlessLine(fault?.path ?? ""), PATH_CHARACTERS);
  const message = clip(harmlessLine(fault?.message ?? ""), MESSAGE_CHARACTERS);
  const others = faults > 1 ? ` (and ${(faults - 1).toLocaleString("en-US")} more: see the findings)` : "";
  return `the app's answer breaks the contract: ${path}: ${message}${others}`;
}
