import { redactSecrets } from "../journal/redact.ts";

/** Members of a result with only our own words, which programs rely on; all others may contain an app's. */
const ownWords: ReadonlySet<string> = new Set([
  "command",
  "outcome",
  "failure",
  "stage",
  "step",
  "decision",
  "type",
  "role",
  "result",
  "choices",
  "exchanges",
  "exchange",
  "id",
  "check",
  "section",
  "status",
  "state",
  "trigger",
  "next",
  "page",
  "change",
  "via",
  "contentVia",
  "occasion",
  "rule",
  // The token that `app-sim token` was asked to print.
  "jwt",
]);

/** Members whose values come entirely from an app: even an attribute of a string may be named `type`. */
const appsValues: ReadonlySet<string> = new Set(["before", "after", "value"]);
const none: ReadonlySet<string> = new Set();

/** A copy of a result that is safe to show (hardening S27): secrets and whole JWTs in an app's words are redacted. */
export function withoutSecrets<R>(result: R, secrets: readonly string[]): R {
  return secretRemover(secrets)(result);
}

/** {@link withoutSecrets} for many results with the same secrets, of which there may be thousands. */
export function secretRemover(secrets: readonly string[]): <R>(result: R) => R {
  const redact = redactOnce(redactSecrets(secrets));
  return (result) => redactWithin(result, redact, ownWords) as typeof result;
}

/** A result of `verify` has the same titles, reasons and hints in hundreds of places. */
function redactOnce(redact: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const redacted = known.get(text) ?? redact(text);
    known.set(text, redacted);
    return redacted;
  };
}

function redactWithin(value: unknown, redact: (text: string) => string, own: ReadonlySet<string>): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((element) => redactWithin(element, redact, own));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (own.has(key)) return [key, child];
      return [key, redactWithin(child, redact, appsValues.has(key) ? none : own)];
    }),
  );
}
