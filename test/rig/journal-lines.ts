import type { Exchange } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import type { LoginRecord } from "../../src/journal/record.ts";

const body = (text: string) => recordBody(Buffer.from(text));

/** An exchange as the journal keeps it: an approved guard call, some of its parts replaced. */
export function exchangeRecord(id: string, changes: Partial<Exchange> = {}): Exchange {
  return {
    type: "exchange",
    id,
    purpose: "guard",
    module: "office",
    startedAt: "2026-01-02T03:04:05.000Z",
    timings: { headersMs: 3, totalMs: 4.5 },
    request: {
      method: "POST",
      url: "http://127.0.0.1:3000/office",
      headers: [["Content-Type", "application/json"]],
      body: body('{"userId":104}'),
    },
    response: { status: 200, headers: [["Content-Type", "application/json"]], body: body('{"success":true}') },
    outcome: { kind: "answered" },
    ...changes,
  };
}

/** A login as the journal keeps it, some of its parts replaced. */
export function loginRecord(id: string, changes: Partial<LoginRecord> = {}): LoginRecord {
  return {
    type: "login",
    id,
    at: "2026-01-02T03:04:06.000Z",
    user: { id: 104, role: "member" },
    outcome: "granted",
    deniedBy: null,
    reason: null,
    exchanges: [],
    ...changes,
  };
}

/** The text of a journal with these records, or with lines given as text. */
export function journalText(lines: readonly unknown[], version = 1): string {
  const written = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  return [JSON.stringify({ type: "journal", version }), ...written].map((line) => `${line}\n`).join("");
}
