import type { CheckResult } from "../checking/verify-result.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import type { Redactor } from "../journal/redact.ts";
import { hasFailed } from "../log/log-filter.ts";
import type { FindingFacts } from "../verify/text/finding-facts.ts";
import type { SignatureSteps } from "../webhook/signature-steps.ts";
import type { ReportedImports } from "./reported-imports.ts";

/** The command about which the report was written (`--evidence`). */
export interface ReportedCommand {
  /** As it was typed. */
  readonly line: string;
  /** Code 0: as expected. */
  readonly exitCode: number;
  /** What it printed, without colours. */
  readonly text: readonly string[];
  readonly warnings: readonly string[];
}

/** A check that found something, redacted. */
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

/** Everything that a report says; its records are as kept, and only shown through the redactor. */
export interface ReportFacts {
  /** ISO 8601 in UTC. */
  readonly madeAt: string;
  /** Of app-sim, and of Node. */
  readonly versions: { readonly appSim: string; readonly node: string };
  /** Addresses of the apps. */
  readonly apps: readonly string[];
  /** The subject of the report: a command, or null for a journal. */
  readonly command: ReportedCommand | null;
  /** What was left out, in sentences. */
  readonly notes: readonly string[];
  readonly records: readonly JournalRecord[];
  readonly verifications: readonly ReportedVerification[];
  readonly choices: readonly ReportedChoice[];
  /** The derivation of a delivery's signature, without secrets; null if it has none. */
  readonly signatureOf: (exchange: Exchange) => SignatureSteps | null;
  /** What is reported about each import. */
  readonly imports: ReportedImports;
  readonly redactor: Redactor;
}

/** How many records of a kind there are, and how many of them failed or were refused although they were not trials. */
export interface KindCount {
  readonly kind: string;
  readonly count: number;
  readonly failed: number;
}

/** The records counted by purpose, in the order of first occurrence. */
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
  foreign: "refused requests from other sites' pages",
  load: "load tests",
} as const;

function kindName(record: JournalRecord): string {
  return record.type === "exchange" ? `calls: ${record.purpose}` : kindNames[record.type];
}

/** The outcome in a few words, and whether it is good; null if the report judges nothing. */
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

/** What went wrong or was refused and is not a finding of a check: denials first, then calls. */
export function failuresIn(records: readonly JournalRecord[]): JournalRecord[] {
  const failed = records.filter((record) => hasFailed(record) && record.type !== "verification" && !isTrial(record));
  return [...failed.filter(({ type }) => type !== "exchange"), ...failed.filter(({ type }) => type === "exchange")];
}

/** Requests of `verify` are often refused as they should be: its findings say what is wrong. */
function isTrial(record: JournalRecord): boolean {
  return record.type === "exchange" && record.check !== undefined;
}
