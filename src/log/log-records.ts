import { credentialsSent } from "../journal/credentials.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import { type Redactor, redactText } from "../journal/redact.ts";

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
export function recordForJson(record: JournalRecord, redactor: Redactor): unknown {
  if (record.type === "foreign") return { ...record, path: redactor.text(record.path) };
  if (record.type !== "exchange") {
    const reason = record.reason === null ? null : redactor.text(record.reason);
    if (record.type === "login" || record.type === "load") return { ...record, reason };
    if (record.type === "verification") return { ...record, reason, checks: checksForJson(record, redactor) };
    const hint = record.hint === null ? null : redactor.text(record.hint);
    return { ...record, reason, hint, warnings: record.warnings.map((warning) => redactor.text(warning)) };
  }
  const { request, response, ...rest } = redactor.exchange(record);
  return { ...rest, request: withText(request), response: response === null ? null : withText(response) };
}

function checksForJson({ checks }: VerificationRecord, redactor: Redactor) {
  return checks.map((check) => ({
    ...check,
    reason: check.reason === null ? null : redactor.secretsIn(check.reason),
  }));
}

function withText<M extends Exchange["request"] | NonNullable<Exchange["response"]>>(message: M) {
  return { ...message, body: { ...message.body, text: bodyText(message.body) } };
}
