import { type Arbitrary, asyncProperty, check as checkProperty, PreconditionFailure } from "fast-check";
import type { CheckFacts, CheckStep, Evidence, Trial, TrialCheck, Verdict } from "../checking/check.ts";
import { judgeCheck, PASSED, skipVerdict } from "../checking/verdict.ts";

/** What a check with random cases can do in addition to every trial. */
export interface RandomTrial<Tools> extends Trial {
  /** Seed of the cases. */
  readonly seed: number;
  /** How many cases are tried. */
  readonly count: number;
  /** Creates the sender for the requests of one case. */
  inCase(number: number): Tools;
  /** Whether the run must end. */
  isOver(): boolean;
  /** Waits for an app that did not answer; false if nothing listens there any more. */
  isThere(): Promise<boolean>;
  /** What a check has sent so far. */
  evidenceOf(check: TrialCheck<never>): Evidence;
}

/** A check of random cases, each judged separately. */
export interface RandomCheck<Tools> extends TrialCheck<RandomTrial<Tools>> {
  /** A pure function of the exchanges of one case, whose roles are those that `send` gave. */
  judgeCase(evidence: Evidence): Verdict;
}

interface Parts<Case, Tools> {
  readonly cases: (tools: Tools) => Arbitrary<Case>;
  /** Sends the requests of a case. */
  readonly send: (tools: Tools, of: Case) => Promise<void>;
  /** Sends requests that show whether the case fails, or the app just answers differently each time. */
  readonly confirm?: (tools: Tools, of: Case) => Promise<void>;
  readonly judge: (check: CheckFacts, evidence: Evidence) => Verdict;
  /** Smaller cases that fast-check does not try. */
  readonly smaller?: (of: Case) => readonly Case[];
}

/** Maximum number of smaller cases to try: each is sent to the app. */
const MOST_SHRINKS = 400;

/** Makes a check of random cases: if one fails, smaller ones are tried until none of them fails. */
export function randomCheck<Case, Tools>(
  facts: CheckFacts,
  { cases, send, confirm, judge, smaller = () => [] }: Parts<Case, Tools>,
): RandomCheck<Tools> {
  const check: RandomCheck<Tools> = {
    ...facts,
    judgeCase: (evidence) => judge(facts, evidence),
    judge: (evidence) => judgeCases(check, evidence),
    async run(tools) {
      let number = 0;
      let shrinks: number | null = null;
      const isOver = async () =>
        tools.isOver() || (shrinks !== null && shrinks >= MOST_SHRINKS) || !(await tools.isThere());
      const tryCase = async (of: Case): Promise<boolean> => {
        number += 1;
        const own = tools.inCase(number);
        const isRight = () => !isFinding(check.judgeCase(stepsOfCase(tools.evidenceOf(check), number)));
        await send(own, of);
        if (shrinks !== null) shrinks += 1;
        if (isRight()) return true;
        await confirm?.(own, of);
        if (isRight()) return true;
        shrinks ??= 0;
        return false;
      };
      // fast-check would count an error as a failing case.
      let error: unknown = null;
      const property = asyncProperty(cases(tools.inCase(0)), async (of) => {
        // Neither further cases nor smaller ones.
        if (error !== null || (await isOver())) throw new PreconditionFailure(true);
        return tryCase(of).catch((thrown: unknown) => {
          error ??= thrown;
          return true;
        });
      });
      const { counterexample } = await checkProperty(property, { seed: tools.seed, numRuns: tools.count });
      if (error !== null) throw error;
      let rest = counterexample === null ? [] : [...smaller(counterexample[0])];
      for (let of = rest.shift(); of !== undefined && !(await isOver()); of = rest.shift()) {
        if (!(await tryCase(of))) rest = [...smaller(of)];
      }
    },
  };
  return check;
}

function isFinding({ result }: Verdict): boolean {
  return result === "fail" || result === "warn";
}

/** A trial whose requests have the number of their case before their roles. */
export function trialInCase(trial: Trial, number: number): Trial {
  const named = (role: string) => `${number}:${role}`;
  return {
    ...trial,
    send: (role, request) => trial.send(named(role), request),
    tag: (role) => trial.tag(named(role)),
  };
}

const caseOf = ({ role }: CheckStep) => Number(/^\d+(?=:)/.exec(role)?.[0] ?? 0);

/** The requests of one case, in the roles that the check gave them. */
function stepsOfCase(evidence: Evidence, number: number): Evidence {
  const steps = evidence.steps
    .filter((step) => caseOf(step) === number)
    .map(({ role, exchange }) => ({ role: role.slice(role.indexOf(":") + 1), exchange }));
  return { ...evidence, steps };
}

/** The cases that the journal still has, oldest first. */
function casesOf(evidence: Evidence): Evidence[] {
  return [...new Set(evidence.steps.map(caseOf))].map((number) => stepsOfCase(evidence, number));
}

function judgeCases<Tools>(check: RandomCheck<Tools>, evidence: Evidence): Verdict {
  const verdicts = casesOf(evidence).map((each) => check.judgeCase(each));
  // After a failure only smaller cases are tried: the last failed one is the smallest.
  const smallest = verdicts.findLast(isFinding);
  if (smallest !== undefined) return smallest;
  if (verdicts.some(({ result }) => result === "pass")) return PASSED;
  return verdicts[0] ?? skipVerdict("nothing was sent");
}

/** The smallest case that the check failed with; null: it did not fail because of one. */
export function smallestFailing(check: RandomCheck<never>, evidence: Evidence): Evidence | null {
  if (!isFinding(judgeCheck(check, evidence))) return null;
  const isUnanswered = ({ steps }: Evidence) => steps.some(({ exchange }) => exchange.response === null);
  return casesOf(evidence).findLast((each) => isFinding(check.judgeCase(each)) || isUnanswered(each)) ?? null;
}

/** The exchange of a case in a role. */
export function exchangeIn({ steps }: Evidence, wanted: string) {
  return steps.find(({ role }) => role === wanted)?.exchange ?? null;
}
