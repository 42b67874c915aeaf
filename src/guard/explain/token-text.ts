import { fitLines } from "../../output/fit-lines.ts";
import { indent } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { choicesLine, plural } from "../../output/text.ts";
import { languageTitles, type VerifierLanguage } from "../../platform/verifier-language.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import type { TokenExplanation } from "./token-explanation.ts";

/** How the token of a call is made, and code that verifies it in one language. */
export function tokenText(result: TokenExplanation, language: VerifierLanguage, paint: Paint): string[] {
  const { header, claims, key, keysUrl, verifiers } = result;
  const code = verifiers.find((verifier) => verifier.language === language)?.code ?? "";
  const others = verifiers.flatMap((verifier) => (verifier.language === language ? [] : [verifier.language]));
  const fitted = (line: string) => fitLines([line], paint.width);
  return [
    ...fitted(`${paint.strong("Sent as")}: the header Authorization: Bearer HEADER.CLAIMS.SIGNATURE (a JWT, RFC 7519)`),
    ...fitted(`${paint.strong("Header")}: ${harmlessLine(JSON.stringify(header))}`),
    ...fitted(`${paint.strong("Claims")}: ${harmlessLine(JSON.stringify(claims))}`),
    ...fitted(
      key === null
        ? `${paint.strong("Key")}: the platform's own key pair; the public key is at ${keysUrl}`
        : `${paint.strong("Key")}: ${key.setting} (${plural(key.characters, "character")}), which app-sim env prints as ${key.variable}`,
    ),
    "",
    `${paint.strong(`Verified in ${languageTitles[language]}`)}:`,
    ...indent(code.split("\n"), 2),
    "",
    ...comparisons(result).flatMap(fitted),
    ...(others.length === 0
      ? []
      : fitted(paint.quiet(`other languages: --explain ${others.join(", ")}; all of them: --format json`))),
    ...fitted(
      paint.quiet("nothing was sent; app-sim token prints a token to try it with, app-sim verify sends forged ones"),
    ),
    ...choicesLine(result.choices, paint),
  ];
}

/** What the body of a call must match. */
function comparisons({ names: { module, organization, user } }: TokenExplanation): string[] {
  const pairs = [
    ...(user === null ? [] : [`userId is ${user} as a number`]),
    ...(organization === null ? [] : [`organizationId is ${organization}`]),
    ...(module === null ? [] : [`moduleKey is ${module}`]),
  ];
  return [
    ...(pairs.length === 0
      ? []
      : [`Then refuse a body that does not match the token: ${pairs.map(harmlessLine).join(", and ")}.`]),
    ...(module === null ? [] : [harmlessLine(`Refuse a token whose ${module} is the key of another module, too.`)]),
  ];
}
