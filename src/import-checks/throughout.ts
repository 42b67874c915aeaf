import { isDeepStrictEqual } from "node:util";
import type { ObservationCheck } from "../checking/check.ts";
import { CONTROL, SEARCH } from "../checking/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { answeredJson } from "../journal/readable-body.ts";
import { sentJob } from "./reading.ts";

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
  title: "The last job of a run is answered like the same job at its beginning",
  section: "2.4",
  severity: "should",
  why: "What an app keeps of one job, such as a list of labels that all jobs share, ends up in the files of other people.",
  fix: "Make every list and object of an answer anew, and keep nothing of a job after answering it.",
  observe: (exchanges) => {
    const answered = exchanges.filter(isOrdinaryJob).filter((each) => stringsIn(each) !== null);
    const last = answered.at(-1);
    const sent = last && sentJob(last)?.strings;
    const first = answered.find((each) => isDeepStrictEqual(sentJob(each)?.strings, sent));
    // An app may say of a file that it knows that nothing changed.
    if (last?.response?.status === 304) return PASSED;
    if (first === undefined || last === undefined || first === last)
      return skipVerdict("no job of the run was answered twice with strings in the answer");
    return isDeepStrictEqual(stringsIn(first), stringsIn(last))
      ? PASSED
      : faulty(
          throughoutCheck,
          "the answer to the same job, with the same strings, was another one at the end of the run",
        );
  },
};
