import { isSlipOf } from "./nearest.ts";

/** The two event names that interface 6 shows; it says that there are more. */
export const shownEvents: readonly string[] = ["project.translated", "project.approved"];

/**
 * The event of the interface that this name is but for a slip; undefined: none is, or that one is among the others.
 * @param others names beside it: whoever has both means both
 */
export function slippedEvent(name: string, others: readonly string[]): string | undefined {
  if (shownEvents.includes(name)) return undefined;
  return shownEvents.find((shown) => !others.includes(shown) && isSlipOf(name, shown));
}

/** One element of `events` (interface 2.6). */
export interface WebhookEvent {
  /** Its name, such as `project.translated`. */
  readonly event: string;
  /** What the event is about, by its name (interface 2.6). */
  readonly [field: string]: unknown;
}

/**
 * What is wrong on purpose with a delivery, which the app has to refuse: one byte of the body was changed after it was
 * signed, or one character of the signature; another secret signed it; or it has no signature at all.
 */
export const tamperings = ["body", "signature", "secret", "header"] as const;
export type Tampering = (typeof tamperings)[number];
