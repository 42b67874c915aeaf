import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";

/** The records from which a verification is judged again. */
export interface OwnRecords {
  /**
   * From its first exchange to the end of its run, without the requests of other verifications or of `verify --init`.
   */
  readonly records: readonly JournalRecord[];
  /** Its exchanges with one subject in one run, oldest first, without those that decided nothing and were repeated. */
  ofSubject(run: number, subject: string): readonly Exchange[];
  /** An exchange of this or of no verification; null: there is none. */
  exchange(id: string): Exchange | null;
}

/** A journal that finds the records of one verification in time independent of the others. */
export class VerifiedJournal {
  readonly #records: readonly JournalRecord[];
  readonly #exchanges: ReadonlyMap<string, Exchange>;
  /** The positions of the first and the last exchange of each verification. */
  readonly #spans = new Map<string | undefined, { readonly first: number; last: number }>();

  constructor(records: readonly JournalRecord[]) {
    this.#records = records;
    this.#exchanges = new Map(records.flatMap((record) => (record.type === "exchange" ? [[record.id, record]] : [])));
    for (const [place, record] of records.entries()) {
      if (record.type !== "exchange" || record.check == null) continue;
      const span = this.#spans.get(record.check.verification);
      if (span === undefined) this.#spans.set(record.check.verification, { first: place, last: place });
      else span.last = place;
    }
  }

  exchange(id: string): Exchange | null {
    return this.#exchanges.get(id) ?? null;
  }

  /** The records of a verification. If no exchange names it, those without a verification. */
  of({ id }: VerificationRecord): OwnRecords {
    const wanted = this.#spans.has(id) ? id : undefined;
    const isOwn = (record: JournalRecord) =>
      record.type !== "exchange" || record.check == null || record.check.verification === wanted;
    const records = this.#within(wanted).filter(isOwn);
    const bySubject = new Map<string, Exchange[]>();
    const byId = new Map<string, Exchange>();
    for (const record of records) {
      if (record.type !== "exchange") continue;
      byId.set(record.id, record);
      if (record.check == null || record.postponed === true) continue;
      const key = subjectKey(record.check.run, record.check.subject);
      const known = bySubject.get(key);
      if (known === undefined) bySubject.set(key, [record]);
      else known.push(record);
    }
    return {
      records,
      ofSubject: (run, subject) => bySubject.get(subjectKey(run, subject)) ?? [],
      exchange: (wantedId) => {
        // In a journal of many verifications, two exchanges may have the same id.
        const found = byId.get(wantedId) ?? this.#exchanges.get(wantedId);
        return found !== undefined && isOwn(found) ? found : null;
      },
    };
  }

  /** From its first exchange to its own record: the platform's decisions after its last exchange belong to it. */
  #within(wanted: string | undefined): readonly JournalRecord[] {
    const span = this.#spans.get(wanted);
    if (span === undefined) return [];
    let end = span.last + 1;
    while (end < this.#records.length && this.#records[end]?.type !== "verification") end += 1;
    return this.#records.slice(span.first, end);
  }
}

function subjectKey(run: number, subject: string): string {
  return `${run} ${subject}`;
}
