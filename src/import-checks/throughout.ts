import { isDeepStrictEqual } from "node:util";
import type { ObservationCheck } from "../checking/check.ts";
import { CONTROL, SEARCH } from "../checking/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { answeredJson } from "../journal/readable-body.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { sentJob } from "./reading.ts";

const SHOWN_CHARACTERS = 30;

/** A string as it came back, as far as it is compared. */
type Returned = Readonly<Record<string, unknown>>;
type Answer = ReadonlyMap<unknown, Returned>;

/** The strings in an answer, or after a 304 those of the job, by uniqId; null: it has none in itself. */
function stringsIn(exchange: Exchange): Answer | null {
  if (exchange.response?.status === 304) return byId(sentJob(exchange)?.strings ?? []);
  const answer = answeredJson(exchange) as { readonly data?: { readonly strings?: unknown } } | null | undefined;
  const strings = answer?.data?.strings;
  return Array.isArray(strings) ? byId(strings) : null;
}

function byId(strings: readonly unknown[]): Answer {
  return new Map((strings as (Returned | null)[]).map((each) => [each?.uniqId, { ...each, labels: labelsOf(each) }]));
}

/** Labels have no order (interface 2.5). */
function labelsOf(string: Returned | null): unknown {
  return Array.isArray(string?.labels) ? [...string.labels].sort() : string?.labels;
}

function isOrdinaryJob({ purpose, check }: Exchange): boolean {
  return purpose === "post-import" && (check?.role === CONTROL || check?.role === SEARCH);
}

/** The check of an app that keeps something of other jobs, which all later answers then have. */
export const throughoutCheck: ObservationCheck = {
  id: "import.same.throughout",
  area: "import",
  title: "The last job of a run gets no labels that the same job did not get at the beginning of the run",
  section: "2.4",
  severity: "should",
  why: "What an app keeps of one job, such as a list of labels that all jobs share, ends up in the files of other people.",
  fix: "Make every list and object of an answer anew, and keep nothing of a job after answering it.",
  observe: (exchanges) => {
    const repeated = [...byJob(exchanges.filter(isOrdinaryJob)).values()].filter((answers) => answers.length > 1);
    if (repeated.length === 0) return skipVerdict("no job of the run was answered twice with strings in the answer");
    // Others have the time of the import in them, or how often the app has seen a string.
    const steady = repeated.filter(([first, second]) => isDeepStrictEqual(first, second));
    if (steady.length === 0) return skipVerdict("the app's answers to the same job differ");
    const added = steady.map(addedLabels).find((labels) => labels.length > 0);
    return added === undefined
      ? PASSED
      : faulty(throughoutCheck, `at the end of the run the same strings had ${labelsText(added)} in addition`);
  },
};

/** The strings in the answers to each job, oldest first. */
function byJob(exchanges: readonly Exchange[]): ReadonlyMap<string, Answer[]> {
  const jobs = new Map<string, Answer[]>();
  for (const exchange of exchanges) {
    const strings = stringsIn(exchange);
    const job = JSON.stringify(sentJob(exchange)?.strings);
    if (strings !== null && job !== undefined) jobs.set(job, [...(jobs.get(job) ?? []), strings]);
  }
  return jobs;
}

/** The labels that strings had at the end in addition; empty: none, or something else differs, too. */
function addedLabels(answers: readonly Answer[]): unknown[] {
  const [first, last] = [answers[0], answers.at(-1)];
  if (first === undefined || last === undefined || first.size !== last.size) return [];
  const pairs = [...first].map(([id, string]) => [string, last.get(id) ?? {}] as const);
  const isMore = ([before, after]: (typeof pairs)[number]) =>
    isDeepStrictEqual({ ...before, labels: null }, { ...after, labels: null }) &&
    listOf(before.labels).every((label) => listOf(after.labels).includes(label));
  if (!pairs.every(isMore)) return [];
  const added = pairs.flatMap(([before, after]) => {
    const own = listOf(before.labels);
    return listOf(after.labels).filter((label) => !own.includes(label));
  });
  return [...new Set(added)];
}

function listOf(labels: unknown): readonly unknown[] {
  return Array.isArray(labels) ? labels : [];
}

function labelsText([label, ...more]: readonly unknown[]): string {
  const shown = clip(harmlessLine(String(label)), SHOWN_CHARACTERS);
  return `the label "${shown}"${more.length === 0 ? "" : ` and ${more.length} more`}`;
}
