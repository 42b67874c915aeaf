import type { NamedSecret } from "../config/secrets.ts";
import { secretFinder } from "./secret-hider.ts";

/**
 * The names of the secrets that stand in a text: as they are, percent-encoded, escaped as in JSON, in base64, or in hex.
 * What the search takes is worked out once, for many texts.
 */
export type FindSecrets = (text: string) => string[];

/** A search for these secrets. */
export function findSecrets(secrets: readonly NamedSecret[]): FindSecrets {
  const holdsAny = secretFinder(secrets.map(({ value }) => value));
  const finders = secrets.map(({ name, value }) => ({ name, holds: secretFinder([value]) }));
  // Most texts hold none.
  return (text) =>
    holdsAny(text) ? [...new Set(finders.flatMap(({ name, holds }) => (holds(text) ? [name] : [])))] : [];
}

/** The names of the secrets that stand in one text, see FindSecrets. */
export function secretsIn(text: string, secrets: readonly NamedSecret[]): string[] {
  return findSecrets(secrets)(text);
}
