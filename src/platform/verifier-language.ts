import { harmlessLine } from "../protocol/harmless.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Languages that `--explain` has code for, the most common first. */
export const verifierLanguages = ["node", "python", "php", "go", "ruby", "java", "csharp"] as const;
export type VerifierLanguage = (typeof verifierLanguages)[number];

/** Display names of these languages. */
export const languageTitles: Readonly<Record<VerifierLanguage, string>> = {
  node: "Node.js",
  python: "Python",
  php: "PHP",
  go: "Go",
  ruby: "Ruby",
  java: "Java",
  csharp: "C#",
};

/** Other names of these languages. */
const otherNames: Readonly<Record<string, VerifierLanguage>> = {
  js: "node",
  javascript: "node",
  ts: "node",
  typescript: "node",
  "node.js": "node",
  nodejs: "node",
  py: "python",
  python3: "python",
  golang: "go",
  rb: "ruby",
  rails: "ruby",
  kotlin: "java",
  cs: "csharp",
  dotnet: "csharp",
  ".net": "csharp",
};

function meantLanguage(text: string): string {
  const other = Object.hasOwn(otherNames, text.toLowerCase()) ? otherNames[text.toLowerCase()] : undefined;
  return other === undefined ? didYouMean(text, verifierLanguages) : ` Did you mean "${other}"?`;
}

/**
 * Parses the language after `--explain`.
 * @throws UsageError for a language without code
 */
export function verifierLanguage(text: string, place: string): VerifierLanguage {
  const asked = text.toLowerCase() === "c#" ? "csharp" : text.toLowerCase();
  const found = verifierLanguages.find((language) => language === asked);
  if (found !== undefined) return found;
  throw new UsageError(
    "language-unknown",
    `--explain ${harmlessLine(text)}: there is no code for this language.${meantLanguage(text)}`,
    `languages: ${verifierLanguages.join(", ")}${place}`,
  );
}
