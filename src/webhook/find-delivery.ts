import type { Exchange } from "../journal/exchange.ts";
import { findRecord } from "../journal/journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * Finds the exchange of a delivery, with the number of its last attempt.
 * @param wanted the id of an exchange, its beginning, the id of a delivery, or `last`
 * @throws UsageError for a record that is not a delivery
 */
export function findDelivery(records: readonly JournalRecord[], wanted: string): Exchange | null {
  const deliveries = records.filter(isDelivery);
  const found =
    wanted === "last"
      ? deliveries.at(-1)
      : (deliveries.findLast((exchange) => exchange.delivery?.id === wanted) ?? findRecord(records, wanted));
  return found === null || found === undefined ? null : withLastAttempt(records, requireDelivery(found));
}

/** The exchange with the number of the last attempt at its delivery among these records. */
export function withLastAttempt(records: readonly JournalRecord[], exchange: Exchange): Exchange {
  const id = deliveryId(exchange);
  const attempts = records.filter(isDelivery).filter((other) => deliveryId(other) === id);
  return { ...exchange, delivery: { id, attempt: Math.max(...[exchange, ...attempts].map(attemptOf)) } };
}

/** @throws UsageError for a record that is not a delivery, naming the command that repeats it */
export function requireDelivery(record: JournalRecord): Exchange {
  const what = kindOf(record);
  if (isDelivery(record)) return record;
  const hint = insteadOf[what] ?? "the app made this request: let the app send it again";
  throw new UsageError("replay-no-delivery", `${record.id} is not a delivery (${what})`, hint);
}

function kindOf(record: JournalRecord): string {
  if (record.type === "exchange") return record.purpose;
  return record.type === "oauth" ? record.step : record.type;
}

/** An exchange from an older journal has no delivery id. */
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

const anotherLogin = "`app-sim guard` starts another login";
const anotherImport = "`app-sim post-import FILE` imports again";

/** The commands that repeat what the platform did. */
const insteadOf: Readonly<Record<string, string>> = {
  login: anotherLogin,
  guard: anotherLogin,
  "guard-page": anotherLogin,
  "post-import": anotherImport,
  "import-file": anotherImport,
  manifest: "`app-sim manifest` reads it again",
  install: "`app-sim install` installs again",
  uninstall: "`app-sim uninstall` does it again",
  foreign: "app-sim refused this request from another site's page",
  visit: "`app-sim oauth` starts another login",
};
