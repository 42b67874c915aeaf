import type { ChoiceReader } from "../../config/choices.ts";
import type { ImportModule } from "../../platform/manifest.ts";
import { patternProblem, programSpelling } from "../../protocol/pattern-syntax.ts";

/** The outcome of a regular expression on a text. */
export type PatternOutcome =
  | { readonly kind: "match" }
  | { readonly kind: "no-match" }
  | { readonly kind: "too-slow"; readonly ms: number }
  | { readonly kind: "invalid"; readonly reason: string };

/** Matches a regular expression from the app, which may backtrack catastrophically (hardening S23). */
export type MatchPattern = (pattern: string, text: string) => Promise<PatternOutcome>;

/** How much of a file `signaturePatterns.fileContent` is matched against (choice `postImport.patterns`). */
export const PATTERN_CONTENT_BYTES = 65_536;

export interface ImportFile {
  readonly name: string;
  /** At least its first 64 KiB; null: its content is not known here. */
  readonly content: Uint8Array | null;
}

/** Why a post-import module does not fit a file, or null if it does (interface 2.1, signaturePatterns). */
export async function importMismatch(
  module: ImportModule,
  file: ImportFile,
  choices: ChoiceReader,
  match: MatchPattern,
): Promise<string | null> {
  const { fileName, fileContent } = module.signaturePatterns;
  const mismatches: (string | null)[] = [];
  if (fileName !== undefined) {
    const matched = { text: file.name, what: `"${file.name}"` };
    mismatches.push(await mismatch("fileName", fileName, matched, match));
  }
  if (fileContent !== undefined) {
    choices.relyOn("postImport.patterns");
    const matched = { text: file.content && contentText(file.content), what: "the file's content" };
    mismatches.push(await mismatch("fileContent", fileContent, matched, match));
  }
  const failed = mismatches.filter((each) => each !== null);
  if (mismatches.length < 2) return failed[0] ?? null;
  const allowed = choices.get("postImport.patterns") === "all" ? 0 : 1;
  return failed.length > allowed ? failed.join("; ") : null;
}

/**
 * The beginning of a file as text: UTF-8, or UTF-16 if a byte order mark says so; without a truncated last character.
 */
function contentText(content: Uint8Array): string {
  const [first, second] = content;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(content.subarray(0, PATTERN_CONTENT_BYTES), { stream: true });
}

interface MatchedText {
  /** null: it is not known here. */
  readonly text: string | null;
  /** How a message names it. */
  readonly what: string;
}

async function mismatch(
  part: keyof ImportModule["signaturePatterns"],
  pattern: string,
  { text, what }: MatchedText,
  match: MatchPattern,
): Promise<string | null> {
  const its = `its ${part} ${pattern}`;
  if (text === null) return `${its} cannot be tried: ${what} is not known here`;
  const outcome = await match(pattern, text);
  switch (outcome.kind) {
    case "match":
      return null;
    case "no-match": {
      const problem = patternProblem(pattern)?.problem ?? programSpelling(pattern);
      return `${its} does not match ${what}${problem === null ? "" : ` (${problem})`}`;
    }
    case "too-slow":
      return `${its} takes more than ${outcome.ms} ms on ${what}`;
    case "invalid":
      return `${its} is not a valid regular expression: ${outcome.reason}`;
  }
}
