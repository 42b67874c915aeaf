import type { NamedSecret } from "../config/secrets.ts";
import { secretFinder } from "./secret-hider.ts";

/**
 * Returns the names of the secrets in a text: plain, percent-encoded, JSON-escaped, in base64, or in hex. The search is
 * prepared once, for many texts.
 */
export type FindSecrets = (text: string) => string[];

/** Creates a search for these secrets. */
export function findSecrets(secrets: readonly NamedSecret[]): FindSecrets {
  const holdsAny = secretFinder(secrets.map(({ value }) => value));
  const finders = secrets.map(({ name, value }) => ({ name, holds: secretFinder([value]) }));
  // Most texts contain none.
  return (text) =>
    holdsAny(text) ? [...new Set(finders.flatMap(({ name, holds }) => (holds(text) ? [name] : [])))] : [];
}

/** The names of the secrets in one text, see FindSecrets. */
export function secretsIn(text: string, secrets: readonly NamedSecret[]): string[] {
  return findSecrets(secrets)(text);
}
