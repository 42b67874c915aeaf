import { didYouMean, isSlipOf } from "../protocol/nearest.ts";
import { patternProblem } from "../protocol/pattern-syntax.ts";

/** Something that is wrong with a manifest and keeps nothing of it from being used. */
export interface ManifestProblem {
  /** Where, as in {@link Problem}. */
  readonly path: string;
  readonly message: string;
  /** Whether it can only be a mistake: a misspelt name, a pattern that no language reads. */
  readonly isSlip: boolean;
}

/** Whether a name that the interface does not know is one that it knows, misspelt, which is missing. */
export function isSlip(name: string, known: readonly string[], object: Record<string, unknown>): boolean {
  return known.some((right) => !Object.hasOwn(object, right) && isSlipOf(name, right));
}

/** A warning for each key that the interface does not know. */
export function unknownKeys(
  object: Record<string, unknown>,
  known: readonly string[],
  path: string,
): ManifestProblem[] {
  const keys = Object.keys(object).filter((key) => !known.includes(key));
  return keys.map((key) => ({
    path: `${path}.${key}`,
    message: `is not part of the interface; ignored.${didYouMean(key, known)}`,
    isSlip: isSlip(key, known, object),
  }));
}

/** A pattern may use syntax that JavaScript lacks, such as (?i). */
export function foreignPatterns(patterns: Record<string, unknown>, path: string): ManifestProblem[] {
  return Object.entries(patterns).flatMap(([name, pattern]) => {
    const found = typeof pattern === "string" ? patternProblem(pattern) : null;
    if (found === null) return [];
    const consequence = found.isReadable ? "may not match what is meant" : "cannot be read, so it matches nothing";
    const isSlip = !found.isReadable && !found.isForeign;
    return [{ path: `${path}.${name}`, message: `${consequence}: ${found.problem}`, isSlip }];
  });
}
