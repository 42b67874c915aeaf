import type { NamedSecret } from "../config/secrets.ts";
import { type AnswerPart, answerParts } from "./answer-parts.ts";
import type { Exchange } from "./exchange.ts";
import { secretFinder } from "./secret-hider.ts";

/** The names of the secrets that stand in a text: as they are, percent-encoded, escaped as in JSON, in base64, or in hex. */
export function secretsIn(text: string, secrets: readonly NamedSecret[]): string[] {
  // Most texts hold none.
  if (!secretFinder(secrets.map(({ value }) => value))(text)) return [];
  return [...new Set(secrets.flatMap(({ name, value }) => (secretFinder([value])(text) ? [name] : [])))];
}

/** Where in an answer of the app which secrets stand, before anything of it is hidden. */
export function secretsTold(
  exchange: Exchange,
  secrets: readonly NamedSecret[],
): { readonly part: AnswerPart; readonly names: readonly string[] }[] {
  return answerParts(exchange).flatMap((part) => {
    const names = secretsIn(part.text, secrets);
    return names.length === 0 ? [] : [{ part, names }];
  });
}
