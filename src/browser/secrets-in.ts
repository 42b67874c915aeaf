import type { NamedSecret } from "../config/secrets.ts";
import type { Exchange } from "../journal/exchange.ts";
import { type AnswerPart, answerParts } from "./answer-parts.ts";

/** Parts of a text that may be base64, which are looked into. */
const MOST_PARTS = 200;

/** The names of the secrets that stand in a text as they are, percent-encoded, or in base64. */
export function secretsIn(text: string, secrets: readonly NamedSecret[]): string[] {
  if (text === "") return [];
  const decoded = (text.match(/[\w+/-]{24,}/g) ?? [])
    .slice(0, MOST_PARTS)
    .map((part) => Buffer.from(part, "base64").toString());
  const places = [text, safelyDecoded(text), ...decoded];
  return [
    ...new Set(secrets.flatMap(({ name, value }) => (places.some((place) => place.includes(value)) ? [name] : []))),
  ];
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

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
