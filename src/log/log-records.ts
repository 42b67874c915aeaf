import { credentialsSent } from "../journal/credentials.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import { redactExchange, redactSecrets, redactText } from "../journal/redact.ts";

/** The reason of a login may echo the signature or the code of its call, which is in another record. */
export function withoutOwnCredentials(
  record: JournalRecord,
  find: (id: string) => JournalRecord | null,
): JournalRecord {
  if (record.type !== "login" || record.reason === null) return record;
  const credentials = credentialsSent(record.exchanges.map(find));
  return { ...record, reason: redactText(record.reason, credentials) };
}

/** A record for programs: redacted, with bodies also as text. */
export function recordForJson(record: JournalRecord, secrets: readonly string[]): unknown {
  if (record.type === "foreign") return { ...record, path: redactText(record.path, secrets) };
  if (record.type !== "exchange") {
    const reason = record.reason === null ? null : redactText(record.reason, secrets);
    if (record.type === "login") return { ...record, reason };
    if (record.type === "verification") return { ...record, reason, checks: checksForJson(record, secrets) };
    const hint = record.hint === null ? null : redactText(record.hint, secrets);
    return { ...record, reason, hint, warnings: record.warnings.map((warning) => redactText(warning, secrets)) };
  }
  const { request, response, ...rest } = redactExchange(record, secrets);
  return { ...rest, request: withText(request), response: response === null ? null : withText(response) };
}

function checksForJson({ checks }: VerificationRecord, secrets: readonly string[]) {
  const hide = redactSecrets(secrets);
  return checks.map((check) => ({ ...check, reason: check.reason === null ? null : hide(check.reason) }));
}

function withText<M extends Exchange["request"] | NonNullable<Exchange["response"]>>(message: M) {
  return { ...message, body: { ...message.body, text: bodyText(message.body) } };
}
