import type { Journal } from "../journal/journal.ts";
import { exchangeSummary } from "./exchange-text.ts";
import type { Paint } from "./paint.ts";
import type { ExchangeLines } from "./text.ts";

/** Shows an exchange of a journal: in short, unless `show` says otherwise. */
export function exchangeLines(
  journal: Journal,
  secrets: readonly string[],
  paint: Paint,
  show = exchangeSummary,
): ExchangeLines {
  return (id) => {
    const record = journal.find(id);
    return record?.type === "exchange" ? show(record, secrets, paint) : [];
  };
}
