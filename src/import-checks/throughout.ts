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

/** The strings in an answer, or after a 304 those of the job, by uniqId; null: it has none in itself. */
function stringsIn(exchange: Exchange): ReadonlyMap<unknown, Returned> | null {
  if (exchange.response?.status === 304) return byId(sentJob(exchange)?.strings ?? []);
  const answer = answeredJson(exchange) as { readonly data?: { readonly strings?: unknown } } | null | undefined;
  const strings = answer?.data?.strings;
  return Array.isArray(strings) ? byId(strings) : null;
}

function byId(strings: readonly unknown[]): ReadonlyMap<unknown, Returned> {
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
  title: "The last job of a run gets no labels that the same job did not get at its beginning",
  section: "2.4",
  severity: "should",
  why: "What an app keeps of one job, such as a list of labels that all jobs share, ends up in the files of other people.",
  fix: "Make every list and object of an answer anew, and keep nothing of a job after answering it.",
  observe: (exchanges) => {
    const answered = exchanges.filter(isOrdinaryJob).filter((each) => stringsIn(each) !== null);
    const sent = sentStringsOf(answered.at(-1));
    const answers = answered.filter((each) => isDeepStrictEqual(sentStringsOf(each), sent));
    const [first, second, last] = [answers[0], answers[1], answers.at(-1)].map((each) => each && stringsIn(each));
    // An app may say of a file that it knows that nothing changed.
    if (first == null || second == null || last == null || answers.at(-1)?.response?.status === 304)
      return skipVerdict("no job of the run was answered twice with strings in the answer");
    // Such as the time of the import, or how often the app has seen a string.
    if (!isDeepStrictEqual(first, second)) return skipVerdict("the app's answers to the same job differ");
    const added = addedLabels(first, last);
    return added.length === 0
      ? PASSED
      : faulty(throughoutCheck, `at the end of the run the same strings had ${labelsText(added)} in addition`);
  },
};

function sentStringsOf(exchange: Exchange | undefined): unknown {
  return exchange && sentJob(exchange)?.strings;
}

/** The labels that strings had at the end in addition; empty: none, or something else differs, too. */
function addedLabels(first: ReadonlyMap<unknown, Returned>, last: ReadonlyMap<unknown, Returned>): unknown[] {
  const pairs = [...first].map(([id, string]) => [string, last.get(id) ?? {}] as const);
  const isMore = ([before, after]: (typeof pairs)[number]) =>
    isDeepStrictEqual({ ...before, labels: null }, { ...after, labels: null }) &&
    listOf(before.labels).every((label) => listOf(after.labels).includes(label));
  if (first.size !== last.size || !pairs.every(isMore)) return [];
  return [
    ...new Set(
      pairs.flatMap(([before, after]) =>
        listOf(after.labels).filter((label) => !listOf(before.labels).includes(label)),
      ),
    ),
  ];
}

function listOf(labels: unknown): readonly unknown[] {
  return Array.isArray(labels) ? labels : [];
}

function labelsText([label, ...more]: readonly unknown[]): string {
  const shown = clip(harmlessLine(String(label)), SHOWN_CHARACTERS);
  return `the label "${shown}"${more.length === 0 ? "" : ` and ${more.length} more`}`;
}
