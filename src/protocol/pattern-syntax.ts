import { clip } from "./harmless.ts";

/** What is wrong with a pattern, and whether JavaScript can compile it at all. */
export interface PatternProblem {
  readonly isReadable: boolean;
  /** Whether it is valid in another language. */
  readonly isForeign: boolean;
  readonly problem: string;
}

/** A piece of syntax from other regular expression dialects, and its JavaScript equivalent. */
interface ForeignSyntax {
  readonly spelling: RegExp;
  readonly instead: string;
}

/** Groups and quantifiers that JavaScript cannot compile. */
const foreignGroups: readonly ForeignSyntax[] = [
  { spelling: /\(\?#/, instead: "leave the comment out" },
  { spelling: /\(\?>/, instead: "write (?=(…))\\1 for an atomic group" },
  { spelling: /\(\?(?:P<|')/, instead: "write (?<name>…) for a named group" },
  { spelling: /\(\?P[=>]/, instead: "write \\k<name> for what a named group matched" },
  { spelling: /\(\?\|/, instead: "write (?:…), and count every group" },
  { spelling: /\(\?\(/, instead: "write the cases of a condition as alternatives" },
  { spelling: /\(\?(?:R|&|[+-]?\d)/, instead: "write out how deep it may go" },
  { spelling: /\(\?[a-zA-Z^-]+[:)]/, instead: "write out what the flag means, such as [aA] for either case" },
  { spelling: /(?:[*+?]|\{\d+(?:,\d*)?\})\+/, instead: "leave out the last +, or write (?=(…))\\1" },
];

const posixClass: ForeignSyntax = {
  spelling: /\[:\^?\w+:\]/,
  instead: "write the characters out, such as [A-Za-z0-9]",
};

/** JavaScript reads these as just the letter. */
const foreignEscapes: readonly ForeignSyntax[] = [
  { spelling: /^\\A$/, instead: "write ^ for the beginning" },
  { spelling: /^\\[Zz]$/, instead: "write $ for the end" },
  { spelling: /^\\[QE]$/, instead: "write \\ before each character that stands for itself" },
  { spelling: /^\\[pP]$/, instead: "write the letters out, such as [A-Za-zÀ-ž]" },
  { spelling: /^\\[hH]$/, instead: "write [ \\t] for a space or tab" },
  { spelling: /^\\R$/, instead: "write [\\r\\n]+ for the end of a line" },
  { spelling: /^\\[GKNX]$/, instead: "JavaScript has no equivalent" },
  { spelling: /^\\[ae]$/, instead: "write the character's number, such as \\x1b" },
  { spelling: /^\\x\{$/, instead: "write four digits, such as \\u0041" },
];

/**
 * What is wrong with a regular expression from a manifest (interface 2.1, signaturePatterns; hardening S23) if
 * JavaScript reads it differently from other languages, or not at all; null if nothing is.
 */
export function patternProblem(pattern: string): PatternProblem | null {
  const error = readingError(pattern);
  const withoutEscapes = pattern.replace(/\\[\s\S]/g, "_");
  if (error !== null) {
    // A character class extends to its first ], or is never closed.
    const groups = withoutEscapes.replace(/\[[^\]]*(?:\]|$)/g, "_");
    const foreign = foundIn(groups, foreignGroups);
    return { isReadable: false, isForeign: foreign !== null, problem: foreign ?? error };
  }
  const problem = foundIn(withoutEscapes, [posixClass]) ?? foreignEscape(pattern);
  return problem === null ? null : { isReadable: true, isForeign: true, problem };
}

/** An expression written as a literal of JavaScript or Perl: between slashes, and more than letters. */
const BETWEEN_SLASHES = /^\/(.*[\\^$.*+?()[\]{}|].*)\/([dgimsuvy]*)$/s;
/** A slash before the anchor of the start, or after that of the end. */
const OUTSIDE_OF_ANCHORS = /^\/\^|[^\\]\$\/$/;
/** What follows a backslash that is one too many. A folder's name may begin with any letter. */
const AFTER_DOUBLED = /^(?:\.[a-z([]|[dws](?:[+*?{)]|$))/i;
/** Nobody writes a longer one by hand, and examining it takes time. */
const HAND_WRITTEN_CHARACTERS = 500;

/**
 * What is wrong with a pattern for file names that was copied from source code, with its slashes or doubled
 * backslashes; null if nothing is. A pattern may be right for paths: only what cannot be part of a path is reported.
 */
export function programSpelling(pattern: string): string | null {
  if (pattern.length > HAND_WRITTEN_CHARACTERS) return null;
  const [, inner = "", flags = ""] = BETWEEN_SLASHES.exec(pattern) ?? [];
  if (inner.startsWith("^") || inner.endsWith("$") || flags !== "") {
    const alone = `it is written between slashes, which are not part of the expression here: write just ${clip(inner, 60)}`;
    return flags.includes("i") ? `${alone}, and to ignore case, both cases of each letter, as in [aA]` : alone;
  }
  if (OUTSIDE_OF_ANCHORS.test(pattern) && !pattern.includes("|"))
    return "it matches nothing: no slash can be before the start of a text, or after its end";
  const parts = pattern.match(/\\.|\[(?:\\.|[^\]])*\]|./gs) ?? [];
  const isDoubled = parts.some((part, index) => part === "\\\\" && AFTER_DOUBLED.test(parts.slice(index + 1).join("")));
  return isDoubled ? "a double backslash matches a backslash; is one of the two too many?" : null;
}

function readingError(pattern: string): string | null {
  try {
    new RegExp(pattern);
    return null;
  } catch (error) {
    // The message repeats the whole pattern before saying what is wrong with it.
    const reason = (error as Error).message.replace(/^.*\/\w*: /s, "");
    const advice = ERROR_ADVICE.get(reason);
    return `${reason.charAt(0).toLowerCase()}${reason.slice(1)}${advice === undefined ? "" : `: ${advice}`}`;
  }
}

/** How to fix a pattern that does not compile, by V8's reason. */
const ERROR_ADVICE = new Map([
  ["Unterminated group", "close it with ), or write \\( to match a parenthesis"],
  ["Unmatched ')'", "open the group with (, or write \\) to match a parenthesis"],
  ["Unterminated character class", "close it with ], or write \\[ to match a bracket"],
  ["Nothing to repeat", "write .* for any text, or \\ before the sign to match the sign itself"],
  ["\\ at end of pattern", "write \\\\ to match a backslash"],
]);

function foreignEscape(pattern: string): string | null {
  for (const [escaped] of pattern.matchAll(/\\(?:x\{|[\s\S])/g)) {
    const found = foundIn(escaped, foreignEscapes);
    if (found !== null) return found;
  }
  return null;
}

function foundIn(text: string, foreign: readonly ForeignSyntax[]): string | null {
  for (const { spelling, instead } of foreign) {
    const [found] = spelling.exec(text) ?? [];
    if (found !== undefined) return `${clip(found, 20)} is not JavaScript: ${instead}`;
  }
  return null;
}
