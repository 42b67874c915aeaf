/** The numbers of interface 4.2 and 8. Times are milliseconds, sizes bytes. */

/** Interface 4.2: an auth-guard answers within 10 seconds. */
export const GUARD_TIMEOUT_MS = 10_000;

/** Interface 8: a post-import call has 2 minutes. */
export const IMPORT_TIMEOUT_MS = 120_000;

/** Interface 8 says "5 MB"; the choice `limits.size` says how many bytes that is. */
export const IMPORT_LIMIT_BYTES = { "5MiB": 5_242_880, "5MB": 5_000_000 } as const;

/** The number of bytes that a value of the choice `limits.size` stands for. */
export function sizeLimit(value: keyof typeof IMPORT_LIMIT_BYTES | number): number {
  return typeof value === "number" ? value : IMPORT_LIMIT_BYTES[value];
}

/** From here a payload is near enough to "5 MB" in either reading to be worth a warning. */
export const IMPORT_WARN_BYTES = IMPORT_LIMIT_BYTES["5MB"];

/** Our own limit for answers that are small by nature: guard answers, manifests, webhook acknowledgements. */
export const SMALL_ANSWER_LIMIT_BYTES = 1_048_576;

/** Our own time limit for fetching a manifest, which the interface does not mention. */
export const MANIFEST_TIMEOUT_MS = 10_000;

/**
 * Our own time limit for an installation event, which the interface does not mention: the same as for a webhook,
 * because the app may request a token and call the REST API before it answers.
 */
export const INSTALL_TIMEOUT_MS = 30_000;

/** Interface 2.7: the `expires_in` of the example. */
export const ACCESS_TOKEN_SECONDS = 7200;

/**
 * Our own limits for newline-delimited JSON, which the interface does not mention (hardening S25): bytes of one line.
 */
export const LINE_LIMIT_BYTES = 16_777_216;

/** Lines of a file. */
export const LINE_COUNT_LIMIT = 10_000_000;

/**
 * Our own limit for the body of a webhook, which the interface does not mention: the largest value of the choice
 * `webhook.batch.bytes`.
 */
export const LARGEST_WEBHOOK_BYTES = 67_108_864;
