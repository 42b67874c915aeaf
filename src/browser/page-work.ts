import type { Explanation } from "../app-client/explain-outcome.ts";
import type { Failure } from "../platform/result-parts.ts";
import type { Fill } from "./fill-fields.ts";

/** What is to be done at the pages of an app in a person's place, and what of it was done. */
export interface PageWork {
  readonly fill: Fill;
  /** Buttons to press, on whichever page they are. */
  readonly press: readonly string[];
  /** Names of the fields that were filled in so far. */
  readonly filled: Set<string>;
  /** Names of the buttons that were pressed so far. */
  readonly pressed: Set<string>;
}

/** Why work at a page cannot go on. */
export interface PageTrouble extends Explanation {
  readonly failure: Failure;
}

/** Trouble that no failed call is the cause of. */
export function pageTrouble(reason: string, hint: string | null): PageTrouble {
  return { reason, hint, failure: "other" };
}
