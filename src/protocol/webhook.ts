import { isSlipOf } from "./nearest.ts";

/** The two event names that interface 6 shows; it says that there are more. */
export const shownEvents: readonly string[] = ["project.translated", "project.approved"];

/**
 * The interface's event that this name is a misspelling of; undefined if there is none, or if that one is among the
 * others.
 * @param others the other names in the list: if it has both, both are meant
 */
export function slippedEvent(name: string, others: readonly string[]): string | undefined {
  if (shownEvents.includes(name)) return undefined;
  return shownEvents.find((shown) => !others.includes(shown) && isSlipOf(name, shown));
}

/** One element of `events` (interface 2.6). */
export interface WebhookEvent {
  /** Its name, such as `project.translated`. */
  readonly event: string;
  /** Further fields, by name (interface 2.6). */
  readonly [field: string]: unknown;
}

/**
 * What is wrong on purpose with a delivery, so that the app has to refuse it: one byte of the body changed after
 * signing, or one character of the signature; signed with another secret; or no signature at all.
 */
export const tamperings = ["body", "signature", "secret", "header"] as const;
export type Tampering = (typeof tamperings)[number];
