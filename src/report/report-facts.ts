import type { CheckResult } from "../checking/verify-result.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { hasFailed } from "../log/log-filter.ts";
import type { FindingFacts } from "../verify/text/finding-facts.ts";
import type { SignatureSteps } from "../webhook/signature-steps.ts";
import type { ReportedImports } from "./reported-imports.ts";

/** One command, for which the report was written as it ended (`--evidence`). */
export interface ReportedCommand {
  /** As it was typed. */
  readonly line: string;
  /** Code 0: as expected. */
  readonly exitCode: number;
  /** What it printed, without colours. */
  readonly text: readonly string[];
  readonly warnings: readonly string[];
}

/** A check that found something, in words that may be shown. */
export interface ReportedFinding {
  readonly check: CheckResult;
  readonly facts: FindingFacts;
}

/** One run of checks. */
export interface ReportedVerification {
  readonly outcome: VerificationRecord["outcome"];
  readonly reason: string | null;
  readonly seed: number;
  readonly counts: string;
  readonly findings: readonly ReportedFinding[];
}

/** A value for what the interface leaves open. */
export interface ReportedChoice {
  readonly id: string;
  readonly value: string;
  readonly isDefault: boolean;
  readonly reason: string;
  /** Of the interface. */
  readonly section: string;
}

/** Everything that a report says; its records are as they were kept, and shown through the redactor alone. */
export interface ReportFacts {
  /** ISO 8601 in UTC. */
  readonly madeAt: string;
  /** Of app-sim, and of Node. */
  readonly versions: { readonly appSim: string; readonly node: string };
  /** Addresses of the apps. */
  readonly apps: readonly string[];
  /** What the report is about: a command, or null for a journal. */
  readonly command: ReportedCommand | null;
  /** What was left out, in sentences. */
  readonly notes: readonly string[];
  readonly records: readonly JournalRecord[];
  readonly verifications: readonly ReportedVerification[];
  readonly choices: readonly ReportedChoice[];
  /** How the signature of a delivery comes about, without secrets; null: it has none. */
  readonly signatureOf: (exchange: Exchange) => SignatureSteps | null;
  /** What is told of each import. */
  readonly imports: ReportedImports;
  readonly redactor: Redactor;
}

/** How many records of a kind there are, and how many of them failed or were refused though nothing was tried. */
export interface KindCount {
  readonly kind: string;
  readonly count: number;
  readonly failed: number;
}

/** The records by what they were for, in the order of their first. */
export function countKinds(records: readonly JournalRecord[]): KindCount[] {
  const counts = new Map<string, KindCount>();
  for (const record of records) {
    const kind = kindName(record);
    const { count, failed } = counts.get(kind) ?? { count: 0, failed: 0 };
    counts.set(kind, { kind, count: count + 1, failed: failed + (hasFailed(record) && !isTrial(record) ? 1 : 0) });
  }
  return [...counts.values()];
}

const kindNames = {
  login: "logins",
  oauth: "decisions of the authorization server",
  verification: "verifications",
  foreign: "refusals of other sites' pages",
  load: "load tests",
} as const;

function kindName(record: JournalRecord): string {
  return record.type === "exchange" ? `calls: ${record.purpose}` : kindNames[record.type];
}

/** The outcome in a few words, and whether it is what was hoped for; null: the report judges nothing. */
export function outcomeOf({ command, verifications }: ReportFacts): {
  readonly text: string;
  readonly isGood: boolean | null;
} {
  if (command !== null) {
    const isGood = command.exitCode === 0;
    return { isGood, text: isGood ? "As expected (exit code 0)" : `Not as expected (exit code ${command.exitCode})` };
  }
  const last = verifications.at(-1);
  if (last === undefined) return { isGood: null, text: "A journal, without a verdict" };
  return { isGood: last.outcome === "passed", text: `The last verification ${verbOf[last.outcome]}` };
}

const verbOf = { passed: "passed", failed: "failed", inconclusive: "was inconclusive" } as const;

/** What went wrong or was refused and is no finding of a check: denials first, then calls. */
export function failuresIn(records: readonly JournalRecord[]): JournalRecord[] {
  const failed = records.filter((record) => hasFailed(record) && record.type !== "verification" && !isTrial(record));
  return [...failed.filter(({ type }) => type !== "exchange"), ...failed.filter(({ type }) => type === "exchange")];
}

/** A request of `verify` is often refused as it should be: its findings say what is wrong. */
function isTrial(record: JournalRecord): boolean {
  return record.type === "exchange" && record.check !== undefined;
}
