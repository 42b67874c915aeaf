import { isJsonObject } from "../protocol/json-object.ts";
import { patternProblem, programSpelling } from "../protocol/pattern-syntax.ts";
import { valueText } from "../protocol/problems.ts";
import { imports, notInstalled } from "./entries.ts";
import { isExplosive } from "./pattern-ambiguity.ts";
import type { ManifestCheck } from "./reading.ts";
import { inEntries, manifestRule, objectProblem, textProblem, whereGiven } from "./rule.ts";

const patternNames = ["fileName", "fileContent"];

/** The checks of the patterns by which the platform chooses the module for a file. */
export const manifestPatternChecks: readonly ManifestCheck[] = [
  manifestRule({
    id: "manifest.patterns.object",
    title: "The signature patterns of an import module are an object",
    why: notInstalled,
    fix: 'Write them as an object: "signaturePatterns":{"fileName":"\\\\.json$"}.',
    problems: inEntries(imports, ({ signaturePatterns }) => ({
      signaturePatterns: whereGiven(signaturePatterns, objectProblem),
    })),
  }),
  manifestRule({
    id: "manifest.patterns.text",
    title: "Each signature pattern is a string",
    why: "The platform chooses the module for a file by these patterns. Only a string can match.",
    fix: "Write each pattern as a string, and omit patterns that are not needed.",
    problems: inPatterns((pattern) => textProblem(pattern)),
  }),
  manifestRule({
    id: "manifest.patterns.readable",
    title: "Each signature pattern is a regular expression",
    why: "An invalid pattern matches no file. The module is never called.",
    fix: "Test the pattern; in JSON a backslash is written twice.",
    problems: inPatterns((pattern) => {
      const problem = typeof pattern === "string" ? patternProblem(pattern) : null;
      // The interface does not show which regex dialect the platform uses.
      return problem === null || problem.isReadable || problem.isForeign ? null : `is invalid: ${problem.problem}`;
    }),
  }),
  manifestRule({
    id: "manifest.patterns.quick",
    title: "No signature pattern can take exponential time",
    severity: "should",
    why: "The platform matches every imported file against the pattern. A file that almost matches keeps it busy for hours.",
    fix: "Start or end each repeated part with a character that occurs nowhere else in it, and do not nest repetitions.",
    problems: inPatterns((pattern) =>
      typeof pattern === "string" && isExplosive(pattern)
        ? `can match the same text in many ways: ${valueText(pattern)}`
        : null,
    ),
  }),
  manifestRule({
    id: "manifest.patterns.spelling",
    title: "No pattern of file names is written as in source code: between slashes, or with doubly escaped backslashes",
    severity: "should",
    why: "Such a pattern requires slashes or backslashes, which file names do not have. It matches none, and the module is never called.",
    fix: 'Write only the expression, in JSON with each backslash doubled: "\\\\.json$".',
    problems: inEntries(imports, ({ signaturePatterns }) => ({
      "signaturePatterns.fileName": isJsonObject(signaturePatterns) ? programProblem(signaturePatterns.fileName) : null,
    })),
  }),
];

/** Spellings of source code. */
function programProblem(pattern: unknown): string | null {
  const spelling = typeof pattern === "string" ? programSpelling(pattern) : null;
  return spelling === null ? null : `is ${valueText(pattern)}: ${spelling}`;
}

function inPatterns(problem: (pattern: unknown) => string | null) {
  return inEntries(imports, ({ signaturePatterns }) =>
    isJsonObject(signaturePatterns)
      ? Object.fromEntries(
          patternNames
            .filter((name) => Object.hasOwn(signaturePatterns, name))
            .map((name) => [`signaturePatterns.${name}`, problem(signaturePatterns[name])]),
        )
      : {},
  );
}
