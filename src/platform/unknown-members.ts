import { didYouMean } from "../protocol/nearest.ts";
import type { Problem } from "../protocol/usage-error.ts";

/** What is unusual in a manifest. */
export interface ManifestWarning extends Problem {
  /** A member that the interface does not know, and that is no misspelt one: another deployment may know it. */
  readonly isUnknown?: boolean;
}

/** What is read; the interface shows only `modules`. */
export const topLevelMembers = ["modules", "events", "identifier", "authentication", "scopes"];

/** A warning for a member that is not known. */
export function unknownMember(path: string, name: string, known: readonly string[], what = "part"): ManifestWarning {
  const meant = didYouMean(name, known);
  const problem = { path, message: `is not ${what} of the interface; ignored.${meant}` };
  return meant === "" ? { ...problem, isUnknown: true } : problem;
}

/** A warning for each key that the interface does not know. */
export function unknownKeys(
  object: Record<string, unknown>,
  known: readonly string[],
  path: string,
): ManifestWarning[] {
  const keys = Object.keys(object).filter((key) => !known.includes(key));
  return keys.map((key) => unknownMember(`${path}.${key}`, key, known));
}
