import type { TwinCheck } from "../checking/check.ts";
import { type RequestParts, withHeader } from "../checking/request-parts.ts";
import { recipientHeaders } from "../config/verify-settings.ts";

type RecipientHeader = (typeof recipientHeaders)[number];

/** A check for apps that compare a header of a delivery with what they know. */
interface RecipientCheck extends TwinCheck {
  /** Tried only if the configuration says that the app compares it. */
  readonly compares: RecipientHeader;
}

const facts = {
  area: "webhook",
  section: "2.6",
  severity: "should",
  right: "refused",
  why: "The signature does not cover the headers. Anybody who has a delivery can send it again for somebody else, with its correct signature.",
} as const;

/** Checks of headers that say whom a delivery is for (hardening W5). */
export const recipientChecks: readonly RecipientCheck[] = [
  {
    ...facts,
    id: "webhook.recipient.module",
    title: "The app refuses a delivery for another module, although its signature is right",
    fix: "After verifying the signature, answer 403 unless X-Module-Key is the key of the module at this address.",
    changes: "headers.x-module-key",
    compares: "module",
    twin: (request) => withRecipient(request, "-module-key", (key) => `${key}-of-another-app`),
  },
  {
    ...facts,
    id: "webhook.recipient.organization",
    title: "The app refuses a delivery for another organization, although its signature is right",
    fix: "After verifying the signature, answer 403 unless X-Platform-Id is the id of an organization that has installed the app.",
    changes: "headers.x-platform-id",
    compares: "organization",
    twin: (request) => withRecipient(request, "-id", (id) => `${id}1`),
  },
];

/** The lines of a config file that say that the app compares both headers. */
export function recipientLines(key: string): string {
  return JSON.stringify({ verify: { webhooks: { [key]: { compares: recipientHeaders } } } });
}

type RecipientEnd = "-id" | "-domain" | "-module-key";

/** A header line whose name has this end, as its beginning is a choice; `undefined`: there is none. */
export function recipientLine({ headers }: RequestParts, end: RecipientEnd): readonly [string, string] | undefined {
  return headers.find(([name]) => name.toLowerCase().endsWith(end));
}

/**
 * The request with another value of a header that names the recipient.
 * @param other makes the value; null: the header is omitted
 * @returns null if there is no such header
 */
export function withRecipient(
  request: RequestParts,
  end: RecipientEnd,
  other: (value: string) => string | null,
): RequestParts | null {
  const [name, value] = recipientLine(request, end) ?? [];
  return name === undefined || value === undefined ? null : withHeader(request, name, other(value));
}
