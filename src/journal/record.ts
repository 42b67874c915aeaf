import type { z } from "zod";
import type { Exchange } from "./exchange.ts";
import type {
  foreignRecordSchema,
  loadRecordSchema,
  loginRecordSchema,
  oauthRecordSchema,
  verificationRecordSchema,
} from "./record-schema.ts";

/** The end of one login, written once, after its exchanges. */
export type LoginRecord = Readonly<z.infer<typeof loginRecordSchema>>;

/** The platform's decision about one request to its authorization server or REST API, written after its exchange. */
export type OAuthRecord = Readonly<z.infer<typeof oauthRecordSchema>>;

/** How every check of one verification ended, written once, after its exchanges. */
export type VerificationRecord = Readonly<z.infer<typeof verificationRecordSchema>>;

/** How many requests from other sites' pages the platform refused, written each time the number doubles. */
export type ForeignRecord = Readonly<z.infer<typeof foreignRecordSchema>>;

/** What a load test measured, written once, after the exchanges that show its failures. */
export type LoadRecord = Readonly<z.infer<typeof loadRecordSchema>>;

/** One line of the journal. */
export type JournalRecord = Exchange | LoginRecord | OAuthRecord | VerificationRecord | ForeignRecord | LoadRecord;

/** When a record was written; for an exchange, when it began. ISO 8601 in UTC. */
export function timeOfRecord(record: JournalRecord): string {
  return record.type === "exchange" ? record.startedAt : record.at;
}
