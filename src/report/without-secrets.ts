import { redactSecrets } from "../journal/redact.ts";

/** Members of a result that hold an app's own words; the others are ours, and programs rely on them. */
const appTexts: ReadonlySet<string> = new Set(["reason", "hint", "error", "message", "warnings", "before", "after"]);

/**
 * The copy of a result that may be shown (hardening S27): where an app's words tell one of the secrets, or a whole
 * JWT, that part is redacted.
 */
export function withoutSecrets<R>(result: R, secrets: readonly string[]): R {
  return redactWithin(result, redactSecrets(secrets), false) as R;
}

function redactWithin(value: unknown, redact: (text: string) => string, isAppText: boolean): unknown {
  if (typeof value === "string") return isAppText ? redact(value) : value;
  if (Array.isArray(value)) return value.map((element) => redactWithin(element, redact, isAppText));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, redactWithin(child, redact, isAppText || appTexts.has(key))]),
  );
}
