import type { Config } from "../config/schema.ts";
import { secretsOf } from "../config/secrets.ts";
import { issuedSecrets } from "../journal/issued-secrets.ts";
import type { JournalRecord } from "../journal/record.ts";
import { Redactor } from "../journal/redact.ts";

/** How many records before a shown one are searched for codes and tokens to redact: older ones have expired. */
export const SECRET_RECORDS = 100;

/**
 * Redacts some records: the secrets of the configuration, and the codes and tokens issued in them and shortly before,
 * which an app may echo anywhere.
 */
export function redactorFor(
  config: Config,
  records: readonly JournalRecord[],
  from = 0,
  to = records.length - 1,
): Redactor {
  return new Redactor([...secretsOf(config), ...issuedNear(from, to, records)]);
}

/** The codes and tokens issued in some records, and shortly before them. */
export function issuedNear(from: number, to: number, records: readonly JournalRecord[]): string[] {
  const near = records.slice(Math.max(0, from - SECRET_RECORDS), to + 1);
  const issued = near.flatMap((record) => (record.type === "exchange" ? issuedSecrets(record) : []));
  return [...new Set(issued.map(({ value }) => value))];
}
