import type { CheckResult } from "../../checking/verify-result.ts";
import { BY_URL } from "../../import-checks/check.ts";
import { sentJob } from "../../import-checks/reading.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { fold } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import type { ResultEvidence } from "../../platform/result-evidence.ts";
import type { ImportJob } from "../../protocol/import-job.ts";
import { labelledLines, MARGIN, resultMarks } from "./finding-text.ts";
import { grouped, kindOfCheck, shortIds } from "./groups.ts";

/** A finding that leads to others, which its cure mends as well. */
export interface Consequences {
  /** The check that reports the cause. */
  readonly cause: string;
  /** What else is found because of that. */
  readonly followers: readonly CheckResult[];
  /** What the cause is, in words: `no token is looked at`. */
  readonly because: string;
  /** How to begin to fix it; null: as the check of the cause says. */
  readonly fix: string | null;
}

/** The findings that lead to others. */
export function consequencesIn(checks: readonly CheckResult[], evidence: ResultEvidence): Consequences[] {
  const found = checks.filter(({ result, known }) => known === null && (result === "fail" || result === "warn"));
  return [...ofUnverified(found), ...BREAKING_JOBS.flatMap((jobs) => ofBreakingJobs(jobs, found, evidence))];
}

/** An app that accepts all of these looks at no token. */
const TELLING = ["missing", "garbage", "other-secret"] as const;

/** Where an app looks at no token: every other finding about tokens there has the same cause, and the same cure. */
function ofUnverified(found: readonly CheckResult[]): Consequences[] {
  const unverified = grouped(found, placeOf).flatMap(({ members }) => {
    const failed = members.filter(({ result }) => result === "fail").map(({ id }) => id.split(".").at(-1));
    const followers = members.filter(({ id }) => !id.endsWith(".missing"));
    return TELLING.every((name) => failed.includes(name)) ? [followers] : [];
  });
  return grouped(unverified.flat(), ({ id }) => `${kindOfCheck(id)}.missing`).map(({ key, members }) => ({
    cause: key,
    followers: members,
    because: "no token is looked at",
    fix: "`app-sim guard --explain LANGUAGE` prints code that verifies a token",
  }));
}

function placeOf({ id, module }: CheckResult): string {
  return JSON.stringify([kindOfCheck(id), module]);
}

/** Jobs that are correct, but have what some apps do not expect. */
interface UnexpectedJobs {
  /** The check that sends such a job first. */
  readonly cause: string;
  /** What they have, in words. */
  readonly what: string;
  readonly has: (job: ImportJob) => boolean;
}

const BREAKING_JOBS: readonly UnexpectedJobs[] = [
  { cause: BY_URL, what: "stringsUrl", has: ({ stringsUrl }) => stringsUrl !== undefined },
  {
    cause: "import.job.plurals",
    what: "plural strings",
    has: ({ strings = [] }) => strings.some(({ hasPlurals }) => hasPlurals === true),
  },
];

/** Where an app breaks at such jobs: what broke at no other jobs has the same cause. */
function ofBreakingJobs(
  { cause, what, has }: UnexpectedJobs,
  found: readonly CheckResult[],
  { find }: ResultEvidence,
): Consequences[] {
  const brokeOnlyAtThem = ({ exchanges }: CheckResult): boolean => {
    const broke = exchanges.flatMap((id) => find(id) ?? []).filter(isServerError);
    return broke.length > 0 && broke.map(sentJob).every((job) => job !== null && has(job));
  };
  const modules = found.filter((check) => check.id === cause && brokeOnlyAtThem(check)).map(({ module }) => module);
  const followers = found.filter(
    (check) =>
      check.area === "import" && check.id !== cause && modules.includes(check.module) && brokeOnlyAtThem(check),
  );
  const because = `the app breaks at jobs with ${what}`;
  return followers.length === 0 ? [] : [{ cause, followers, because, fix: null }];
}

function isServerError({ response }: Exchange): boolean {
  return response !== null && response.status >= 500;
}

/** The findings that follow from another as one. */
export function consequencesText({ cause, followers, because, fix }: Consequences, paint: Paint): string[] {
  const isFailed = followers.some(({ result }) => result === "fail");
  const { sign, word } = resultMarks[isFailed ? "fail" : "warn"];
  const colour = isFailed ? paint.bad : paint.caution;
  const many = `${followers.length} more of ${shortIds(followers)}`;
  return [
    ...fold(
      [
        { text: `${sign} ${word}`, paint: colour },
        { text: ` ${many} follow${followers.length === 1 ? "s" : ""} from ${cause}: ${because}` },
        { text: "; --verbose shows each", paint: paint.quiet },
      ],
      paint.width,
      MARGIN,
    ),
    ...(fix === null ? [] : labelledLines("fix", [fix], paint)),
    "",
  ];
}
