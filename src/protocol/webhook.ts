/** The two event names that interface 6 shows; it says that there are more. */
export const shownEvents: readonly string[] = ["project.translated", "project.approved"];

/** One element of `events` (interface 2.6). */
export interface WebhookEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}
