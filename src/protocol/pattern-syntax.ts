import { clip } from "./harmless.ts";

/** What is wrong with a pattern, and whether JavaScript can read it at all. */
export interface PatternProblem {
  readonly isReadable: boolean;
  /** Whether it is right in another language. */
  readonly isForeign: boolean;
  readonly problem: string;
}

/** How a piece of syntax is spelled that other languages have, and what JavaScript has instead. */
interface ForeignSyntax {
  readonly spelling: RegExp;
  readonly instead: string;
}

/** Of groups and quantifiers: JavaScript cannot read them. */
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

/** JavaScript reads these as the letter alone. */
const foreignEscapes: readonly ForeignSyntax[] = [
  { spelling: /^\\A$/, instead: "write ^ for the beginning" },
  { spelling: /^\\[Zz]$/, instead: "write $ for the end" },
  { spelling: /^\\[QE]$/, instead: "write \\ before each character that stands for itself" },
  { spelling: /^\\[pP]$/, instead: "write the letters out, such as [A-Za-zÀ-ž]" },
  { spelling: /^\\[hH]$/, instead: "write [ \\t] for a space or tab" },
  { spelling: /^\\R$/, instead: "write [\\r\\n]+ for the end of a line" },
  { spelling: /^\\[GKNX]$/, instead: "there is nothing like it" },
  { spelling: /^\\[ae]$/, instead: "write the character's number, such as \\x1b" },
  { spelling: /^\\x\{$/, instead: "write four digits, such as \\u0041" },
];

/**
 * What JavaScript makes of a regular expression from a manifest (interface 2.1, signaturePatterns; hardening S23), where
 * that is not what it says elsewhere; null where there is nothing to say.
 */
export function patternProblem(pattern: string): PatternProblem | null {
  const error = readingError(pattern);
  const withoutEscapes = pattern.replace(/\\[\s\S]/g, "_");
  if (error !== null) {
    // A class reaches to its first ], or is left open.
    const groups = withoutEscapes.replace(/\[[^\]]*(?:\]|$)/g, "_");
    const foreign = foundIn(groups, foreignGroups);
    return { isReadable: false, isForeign: foreign !== null, problem: foreign ?? error };
  }
  const problem = foundIn(withoutEscapes, [posixClass]) ?? foreignEscape(pattern);
  return problem === null ? null : { isReadable: true, isForeign: true, problem };
}

/** Where an expression is written as JavaScript and Perl write it, it begins and ends so, and has more than letters. */
const BETWEEN_SLASHES = /^\/(.*[\\^$.*+?()[\]{}|].*)\/([dgimsuvy]*)$/s;
/** What stands behind a backslash that is one too many. A folder's name may begin with any letter. */
const AFTER_DOUBLED = /^(?:\.[a-z([]|[dws](?:[+*?{)]|$))/i;
/** Nobody writes a longer one by hand, and to look at it takes time. */
const HAND_WRITTEN_CHARACTERS = 500;

/**
 * How a pattern of file names is written that asks for slashes or backslashes, as programs have it; null: it is written
 * as it should be. A pattern may be right for paths: only what is no path is named.
 */
export function programSpelling(pattern: string): string | null {
  if (pattern.length > HAND_WRITTEN_CHARACTERS) return null;
  const [, inner = "", flags = ""] = BETWEEN_SLASHES.exec(pattern) ?? [];
  if (inner.startsWith("^") || inner.endsWith("$") || flags !== "") {
    const alone = `it stands between slashes, which are not part of an expression here: write ${clip(inner, 60)} alone`;
    return flags.includes("i") ? `${alone}, and both cases of a letter as [aA]` : alone;
  }
  const parts = pattern.match(/\\.|\[(?:\\.|[^\]])*\]|./gs) ?? [];
  const isDoubled = parts.some((part, index) => part === "\\\\" && AFTER_DOUBLED.test(parts.slice(index + 1).join("")));
  return isDoubled ? "a doubled backslash stands for a backslash itself; is one of the two too many?" : null;
}

function readingError(pattern: string): string | null {
  try {
    new RegExp(pattern);
    return null;
  } catch (error) {
    // The whole pattern stands before what is wrong with it.
    const reason = (error as Error).message.replace(/^.*\/\w*: /s, "");
    return reason.charAt(0).toLowerCase() + reason.slice(1);
  }
}

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
