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
    mend: 'Write them as an object: "signaturePatterns":{"fileName":"\\\\.json$"}.',
    problems: inEntries(imports, ({ signaturePatterns }) => ({
      signaturePatterns: whereGiven(signaturePatterns, objectProblem),
    })),
  }),
  manifestRule({
    id: "manifest.patterns.text",
    title: "Each signature pattern is a string",
    why: "The platform chooses the module that fits a file by these patterns. What is no text fits none.",
    mend: "Write each pattern as a string, and leave out what is not needed.",
    problems: inPatterns((pattern) => textProblem(pattern)),
  }),
  manifestRule({
    id: "manifest.patterns.readable",
    title: "Each signature pattern is a regular expression",
    why: "A pattern that cannot be read fits no file. The module is never called.",
    mend: "Try the pattern; a backslash is written twice in JSON.",
    problems: inPatterns((pattern) => {
      const problem = typeof pattern === "string" ? patternProblem(pattern) : null;
      // Which dialect the platform reads is not shown.
      return problem === null || problem.isReadable || problem.isForeign ? null : `cannot be read: ${problem.problem}`;
    }),
  }),
  manifestRule({
    id: "manifest.patterns.quick",
    title: "No signature pattern can take a time that doubles with each character",
    severity: "should",
    why: "The platform matches every imported file against the pattern. A file that nearly fits keeps it busy for hours.",
    mend: "Let each repeated part begin or end with a character that is nowhere else in it, and repeat no repetition.",
    problems: inPatterns((pattern) =>
      typeof pattern === "string" && isExplosive(pattern)
        ? `can read the same text in many ways: ${valueText(pattern)}`
        : null,
    ),
  }),
  manifestRule({
    id: "manifest.patterns.spelling",
    title:
      "No pattern of file names is written as in a program: between slashes, or with its backslashes doubled again",
    severity: "should",
    why: "Such a pattern asks for slashes or backslashes, which names of files do not have. It fits none, and the module is never called.",
    mend: 'Write the expression alone, in JSON with two backslashes for each: "\\\\.json$".',
    problems: inEntries(imports, ({ signaturePatterns }) => ({
      "signaturePatterns.fileName": isJsonObject(signaturePatterns) ? programProblem(signaturePatterns.fileName) : null,
    })),
  }),
];

/** What is written as in a program. */
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
