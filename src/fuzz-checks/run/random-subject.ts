import type { Evidence, Trial, TrialCheck } from "../../checking/check.ts";
import { evidenceOf, exchangesOf } from "../../checking/evidence.ts";
import type { Subject } from "../../checking/subject.ts";
import type { Verification } from "../../checking/unit.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { verifySubject } from "../../checking/verify-subject.ts";
import { type FoundCase, foundText, saveFound } from "../found.ts";
import { type RandomCheck, type RandomTrial, smallestFailing, trialInCase } from "../random-check.ts";

/** A part of an app that gets random requests. */
export interface RandomSubject<Tools> {
  readonly subject: Omit<Subject<RandomTrial<Tools>>, "checks" | "tools">;
  readonly checks: readonly RandomCheck<Tools>[];
  readonly tools: (trial: Trial) => Tools;
  /** What showing and reproducing a failing case needs. */
  readonly describe: (check: RandomCheck<Tools>, smallest: Evidence) => FoundCase;
}

/** Runs the random checks of a part of an app; saves the smallest case of each failed check. */
export async function verifyRandomly<Tools>(
  verification: Verification,
  { subject, checks, tools, describe }: RandomSubject<Tools>,
): Promise<CheckResult[]> {
  const { context, run, seed, isBack, fuzz, ended } = verification;
  const exchanges = () => exchangesOf(context.journal.list(), run, subject.id);
  const whole: Subject<RandomTrial<Tools>> = {
    ...subject,
    checks,
    tools: (trial) => ({
      ...trial,
      seed,
      count: fuzz?.cases ?? 0,
      inCase: (number) => tools(trialInCase(trial, number)),
      isOver: () => ended() !== null,
      isThere: async () => {
        const isAnswering = exchanges().at(-1)?.outcome.kind === "answered";
        return isAnswering || isBack(subject.app.url);
      },
      evidenceOf: (check: TrialCheck<never>) => evidenceOf(exchanges(), check.id, subject),
    }),
  };
  const results = await verifySubject(verification, whole);
  return Promise.all(
    results.map(async (result) => {
      const check = checks.find(({ id }) => id === result.id);
      const smallest =
        check && smallestFailing(check as RandomCheck<never>, evidenceOf(exchanges(), check.id, subject));
      // Thousands of correct answers add nothing to the verdict.
      if (check === undefined || smallest == null) return { ...result, exchanges: result.exchanges.slice(-1) };
      const found = describe(check, smallest);
      const saved = await saveFound(fuzz?.folder ?? null, found);
      return {
        ...result,
        reason: `${result.reason}; the smallest case: ${found.shown}`,
        hint: foundText(found, saved, { verification, check: result, app: subject.app }),
        exchanges: smallest.steps.map(({ exchange }) => exchange.id),
      };
    }),
  );
}
