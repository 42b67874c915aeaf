import { expect, test } from "vitest";
import { verifierLanguage } from "../../src/platform/verifier-language.ts";

test.each([
  ["js", ' Did you mean "node"?'],
  ["TypeScript", ' Did you mean "node"?'],
  ["pyton", ' Did you mean "python"?'],
  ["cobol", "."],
  ["constructor", "."],
])("%s: a language without code, but perhaps another name of one with code", (given, end) => {
  expect(() => verifierLanguage(given, "")).toThrow(
    new RegExp(`^--explain ${given}: there is no code for this language\\.?${end.replace(/[?.]/g, "\\$&")}$`),
  );
});
