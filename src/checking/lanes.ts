import type { Exchange } from "../journal/exchange.ts";
import { type Check, isAboutAfter, isObservation, recordedId, type Trial } from "./check.ts";
import { foundSomething, resultOf } from "./check-result.ts";
import { evidenceOf, undisturbed } from "./evidence.ts";
import type { Subject } from "./subject.ts";
import { attempt, MOST_UNCONFIRMED, type SendingCheck, type SubjectRun, SubjectRunner } from "./subject-runner.ts";

/** Most lanes of a subject: enough to shorten a run, and few enough for the pools of an app. */
const MOST_LANES = 8;
/** With fewer checks, a lane saves nothing. */
const LEAST_CHECKS_PER_LANE = 2;
/** Milliseconds: for an app that answers faster, one request after another is quick enough. */
const SLOW_MS = 100;
/** An app that answers requests one after another takes much longer than this for the last of several. */
const TOGETHER_FACTOR = 1.5;
/** How many of them must not: one or two answers may be late by chance. */
const TOGETHER_SHARE = 3 / 4;
/** An app that takes this many times as long in lanes, and this many milliseconds longer, has too much to do. */
const OVERLOAD = { factor: 2, ms: 1000 } as const;
/** Statuses that may be due to other requests at the same time: conflict, locked, too many, unavailable. */
const BUSY: readonly unknown[] = [409, 423, 429, 503];

/** Checks that judge the same requests. */
type SameRequests<Tools> = readonly [SendingCheck<Tools>, ...SendingCheck<Tools>[]];

/**
 * Runs checks of a slow app in lanes: sequences of requests at the same time, each with its own correct requests before
 * and after its checks. A check that finds something there decides nothing, because another lane may be the reason.
 * @returns the recorded ids of those that found nothing; the others are to run again, one after another
 */
export async function runInLanes<Tools extends Trial>(
  runner: SubjectRunner<Tools>,
  subject: Subject<Tools>,
  checks: readonly Check<Tools>[],
  given: SubjectRun,
): Promise<Set<string>> {
  const waiting = checksForLanes(checks);
  const count = Math.min(MOST_LANES, Math.floor(waiting.length / LEAST_CHECKS_PER_LANE));
  const isWorthIt = given.mayUseLanes && subject.sideBySide === true && count > 1 && runner.answerMs() >= SLOW_MS;
  // The first answer of an app may take longer than all others.
  if (!isWorthIt || !(await attempt(() => runner.sendRight())) || runner.answerMs() < SLOW_MS) return new Set();
  const aloneMs = runner.answerMs();
  const lanes = new Lanes(subject, given, { queue: waiting.values(), longestMs: longestOf(aloneMs) });
  if (await attempt(() => answersTogether(runner, count, aloneMs))) await lanes.run(count);
  await runner.recover();
  return lanes.settled;
}

/** Whether the app accepts this many correct requests at once, and answers them about as fast as one. */
async function answersTogether<Tools extends Trial>(
  runner: SubjectRunner<Tools>,
  count: number,
  aloneMs: number,
): Promise<boolean> {
  // If an app keeps one code for each user, all but the last are wrong: more could lock out the user.
  if ((await runner.sendTogether(2)) === null) return false;
  const times = await runner.sendTogether(count);
  const decisive = times?.[Math.ceil(count * TOGETHER_SHARE) - 1];
  return decisive !== undefined && decisive <= TOGETHER_FACTOR * aloneMs;
}

/** Checks that do not wait, and are not about what happens after them. */
function checksForLanes<Tools>(checks: readonly Check<Tools>[]): SameRequests<Tools>[] {
  const byRequests = new Map<string, [SendingCheck<Tools>, ...SendingCheck<Tools>[]]>();
  for (const check of checks) {
    if (isObservation(check)) continue;
    const before = byRequests.get(recordedId(check));
    if (before === undefined) byRequests.set(recordedId(check), [check]);
    else before.push(check);
  }
  return [...byRequests.values()].filter((same) => !same.some((check) => check.isSlow === true || isAboutAfter(check)));
}

/** How many milliseconds a correct request may take in a lane, if it takes this many alone. */
function longestOf(aloneMs: number): number {
  return Math.max(OVERLOAD.factor * aloneMs, aloneMs + OVERLOAD.ms);
}

interface Work<Tools> {
  /** Each lane takes its next checks from here. */
  readonly queue: Iterable<SameRequests<Tools>>;
  /** Milliseconds: if a correct request takes longer, the lanes are too much for the app. */
  readonly longestMs: number;
}

/** The lanes of a subject. All end as soon as one shows that they are too much for the app. */
class Lanes<Tools extends Trial> {
  /** The recorded ids of the checks that found nothing. */
  readonly settled = new Set<string>();
  readonly #subject: Subject<Tools>;
  readonly #given: SubjectRun;
  readonly #work: Work<Tools>;
  /** Those that found nothing although the app refused many requests in a row. */
  readonly #refused: { readonly same: SameRequests<Tools>; readonly times: number }[] = [];
  #areTooMuch = false;

  constructor(subject: Subject<Tools>, given: SubjectRun, work: Work<Tools>) {
    this.#subject = subject;
    this.#given = given;
    this.#work = work;
  }

  async run(count: number): Promise<void> {
    const lanes = Array.from({ length: count }, (_, index) => new SubjectRunner(this.#subject, this.#given, index + 1));
    await Promise.all(lanes.map((lane) => this.#runLane(lane)));
    // An app may count refusals in a row, which correct requests in other lanes interrupt: one check shows that alone.
    const [, ...others] = this.#refused.toSorted((one, other) => other.times - one.times);
    for (const { same } of others) this.#settle(same);
  }

  async #runLane(lane: SubjectRunner<Tools>): Promise<void> {
    const { isOver, onCheck } = this.#given;
    let unconfirmed: SameRequests<Tools>[] = [];
    const confirm = async () => {
      await this.#confirm(lane, unconfirmed);
      unconfirmed = [];
    };
    await confirm();
    for (const same of this.#work.queue) {
      if (isOver() || this.#areTooMuch) break;
      for (const check of same) onCheck(check, "began");
      const isRefused = await attempt(async () => {
        const refused = await lane.send(same[0]);
        unconfirmed.push(same);
        return refused;
      });
      if (!isRefused || unconfirmed.length === MOST_UNCONFIRMED) await confirm();
    }
    if (unconfirmed.length > 0) await confirm();
  }

  /** Sends the correct request, and settles the checks before it. */
  async #confirm(lane: SubjectRunner<Tools>, unconfirmed: readonly SameRequests<Tools>[]): Promise<void> {
    if (this.#areTooMuch) return;
    const isAccepted = await attempt(() => lane.sendRight());
    if (!isAccepted || lane.answerMs() > this.#work.longestMs) this.#areTooMuch = true;
    if (this.#areTooMuch) return;
    for (const same of unconfirmed) {
      if (!foundNothing(this.#subject, same, this.#given.sent)) continue;
      const times = refusalsOf(this.#subject, same, this.#given.sent);
      if (times > MOST_UNCONFIRMED) this.#refused.push({ same, times });
      else this.#settle(same);
    }
  }

  #settle(same: SameRequests<Tools>): void {
    this.settled.add(recordedId(same[0]));
    for (const check of same) this.#given.onCheck(check, "ended");
  }
}

/** Whether all checks passed in a lane, or had nothing to send, and no other lane can be the reason for that. */
function foundNothing<Tools extends Trial>(
  subject: Subject<Tools>,
  same: SameRequests<Tools>,
  sent: readonly Exchange[],
): boolean {
  const own = sent.filter(({ check }) => check?.id === recordedId(same[0]));
  if (own.some(({ response }) => BUSY.includes(response?.status))) return false;
  const results = same.map((check) => resultOf(subject, check as Check<never>, sent).result);
  return results.every((result) => result === "pass" || (result === "skip" && own.length === 0));
}

/** How many requests of these checks the app refused. */
function refusalsOf<Tools extends Trial>(
  subject: Subject<Tools>,
  same: SameRequests<Tools>,
  sent: readonly Exchange[],
): number {
  const { steps, read } = evidenceOf(sent, recordedId(same[0]), subject);
  return steps.filter(({ exchange }) => read(exchange).kind === "refused").length;
}

/**
 * Whether an observation finds something in what a check sent in a lane, and in nothing that was sent alone so far:
 * then the check is to run again, which shows whether another lane was the reason.
 */
export function isSuspect<Tools extends Trial>(
  subject: Subject<Tools>,
  recorded: string,
  checks: readonly Check<Tools>[],
  sent: readonly Exchange[],
): boolean {
  const own = sent.filter(({ check }) => check?.id === recorded);
  return checks.filter(isObservation).some((observation) => {
    const finds = (exchanges: readonly Exchange[]) => foundSomething(observation.observe(exchanges, subject.app));
    return own.some((exchange) => finds([exchange])) && !finds(undisturbed(sent));
  });
}
