import type { Exchange, ExchangePurpose } from "../journal/exchange.ts";
import { findRecord } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * The exchange of a delivery, with the number of its last attempt: by the id of an exchange, its beginning, the id of a
 * delivery, or `last`. Null where there is none.
 * @throws UsageError for a record that is no delivery
 */
export function findDelivery(records: readonly JournalRecord[], wanted: string): Exchange | null {
  const deliveries = records.filter(isDelivery);
  const found =
    wanted === "last"
      ? deliveries.at(-1)
      : (deliveries.findLast((exchange) => exchange.delivery?.id === wanted) ?? findRecord(records, wanted));
  return found === null || found === undefined ? null : withLastAttempt(records, requireDelivery(found));
}

/** The exchange with the number of the last attempt at its delivery, as far as these records know. */
export function withLastAttempt(records: readonly JournalRecord[], exchange: Exchange): Exchange {
  const id = deliveryId(exchange);
  const attempts = records.filter(isDelivery).filter((other) => deliveryId(other) === id);
  return { ...exchange, delivery: { id, attempt: Math.max(...[exchange, ...attempts].map(attemptOf)) } };
}

/** @throws UsageError for a record that is no delivery, with the command that repeats it */
export function requireDelivery(record: JournalRecord): Exchange {
  if (isDelivery(record)) return record;
  const { what, hint } = describe(record);
  throw new UsageError("replay-no-delivery", `${record.id} is not a delivery (${what})`, hint);
}

/** One of before deliveries had ids goes by that of its exchange. */
export function deliveryId({ delivery, id }: Exchange): string {
  return delivery?.id ?? id;
}

/** Which attempt at its delivery an exchange was. */
export function attemptOf({ delivery }: Exchange): number {
  return delivery?.attempt ?? 1;
}

function isDelivery(record: JournalRecord): record is Exchange {
  return record.type === "exchange" && record.purpose === "webhook";
}

const fromTheApp = "it came from the app: let the app send it again";
const anotherLogin = "`app-sim guard` begins another login";
const anotherImport = "`app-sim post-import FILE` imports again";

const insteadOf: Readonly<Record<Exclude<ExchangePurpose, "webhook">, string>> = {
  guard: anotherLogin,
  "guard-page": anotherLogin,
  "post-import": anotherImport,
  "import-file": anotherImport,
  manifest: "`app-sim manifest` reads it again",
  install: "`app-sim install` installs again",
  uninstall: "`app-sim uninstall` does it again",
  visit: "`app-sim oauth` begins another login",
  authorize: fromTheApp,
  consent: fromTheApp,
  token: fromTheApp,
  revoke: fromTheApp,
  introspect: fromTheApp,
  api: fromTheApp,
  file: fromTheApp,
};

function describe(record: JournalRecord): { readonly what: string; readonly hint: string } {
  if (record.type === "login") return { what: "login", hint: anotherLogin };
  if (record.type === "oauth") return { what: record.step, hint: fromTheApp };
  const { purpose } = record;
  return { what: purpose, hint: purpose === "webhook" ? "" : insteadOf[purpose] };
}
