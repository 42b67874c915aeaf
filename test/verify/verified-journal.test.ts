import { expect, test } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import type { JournalRecord, VerificationRecord } from "../../src/journal/record.ts";
import { VerifiedJournal } from "../../src/verify/verified-journal.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

const verification = (id: string) =>
  ({
    type: "verification",
    id,
    at: "2026-01-02T03:04:06.000Z",
    outcome: "failed",
    reason: null,
    seed: 1,
    platform: "http://127.0.0.1:7410",
    checks: [],
    coverage: [],
  }) satisfies VerificationRecord;
const sent = (id: string, run?: string): Exchange => {
  const of = run === undefined ? {} : { verification: run };
  return exchangeRecord(id, { check: { ...of, run: 1, subject: "guard.first:office", id: null, role: "control" } });
};
const ids = (records: readonly JournalRecord[]) => records.map(({ id }) => id);

test("a verification has its own requests and their consequences, up to its own record", () => {
  const journal = new VerifiedJournal([
    exchangeRecord("before"),
    sent("a1", "a"),
    sent("b1", "b"),
    exchangeRecord("between"),
    sent("a2", "a"),
    exchangeRecord("after"),
    verification("a"),
    exchangeRecord("later"),
    sent("b2", "b"),
    verification("b"),
  ]);
  const own = journal.of(verification("a"));
  expect(ids(own.records)).toEqual(["a1", "between", "a2", "after"]);
  expect(ids(own.ofSubject(1, "guard.first:office"))).toEqual(["a1", "a2"]);
  expect(own.ofSubject(2, "guard.first:office")).toEqual([]);
  expect([own.exchange("before")?.id, own.exchange("b1")]).toEqual(["before", null]);
});

test("an exchange that was postponed is not among those with a subject", () => {
  const postponed: Exchange = { ...sent("1", "a"), postponed: true };
  const own = new VerifiedJournal([postponed, sent("2", "a"), verification("a")]).of(verification("a"));
  expect(ids(own.ofSubject(1, "guard.first:office"))).toEqual(["2"]);
});

test("of two exchanges with the same id, a verification has its own", () => {
  const journal = new VerifiedJournal([sent("1", "a"), verification("a"), sent("1", "b"), verification("b")]);
  const runs = ["a", "b"].map((id) => journal.of(verification(id)).exchange("1")?.check?.verification);
  expect(runs).toEqual(["a", "b"]);
});

test("if no exchange names the verification, those without a name count", () => {
  const journal = new VerifiedJournal([sent("1"), sent("b1", "b"), sent("2"), verification("a")]);
  expect(ids(journal.of(verification("a")).records)).toEqual(["1", "2"]);
});

test("one verification is read without parsing the records of the others", () => {
  let reads = 0;
  const records = Array.from({ length: 100 }, (_, run) => [sent(`${run}x`, `${run}`), verification(`${run}`)]).flat();
  const counted = new Proxy(records, {
    get: (target, key, receiver) => {
      if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const journal = new VerifiedJournal(counted);
  reads = 0;
  expect(ids(journal.of(verification("50")).records)).toEqual(["50x"]);
  expect(reads).toBeLessThan(5);
});
