import type { Exchange } from "../journal/exchange.ts";
import { type Check, isObservation, recordedId, type Trial } from "./check.ts";
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
  const isWorthIt = given.mayUseLanes && subject.sideBySide === true && runner.answerMs() >= SLOW_MS && count > 1;
  if (!isWorthIt || !(await answersTogether(runner, count))) return new Set();
  const queue = waiting.values();
  const lanes = Array.from({ length: count }, (_, index) => new SubjectRunner(subject, given, index + 1));
  const settled = await Promise.all(lanes.map((lane) => runLane(lane, queue, given)));
  return new Set(settled.flat());
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
  const isAboutAfter = (check: SendingCheck<Tools>) => "isAboutAfter" in check && check.isAboutAfter === true;
  return [...byRequests.values()].filter((same) => !same.some((check) => check.isSlow === true || isAboutAfter(check)));
}

/** Whether the app accepts so many correct requests at once, and answers them in about the time of one. */
async function answersTogether<Tools extends Trial>(runner: SubjectRunner<Tools>, count: number): Promise<boolean> {
  const answers: Exchange[] = [];
  const areAccepted = await attempt(async () => {
    answers.push(...(await runner.sendTogether(count)));
    return answers.every((answer) => runner.isRight(answer));
  });
  const slowestMs = Math.max(...answers.map(({ timings }) => timings.totalMs));
  return areAccepted && slowestMs <= TOGETHER_FACTOR * runner.answerMs();
}

/**
 * Runs checks from the queue until the app no longer accepts this lane's correct request.
 * @returns the recorded ids of those that found nothing
 */
async function runLane<Tools extends Trial>(
  lane: SubjectRunner<Tools>,
  queue: Iterable<SameRequests<Tools>>,
  { isOver, foundNothing, onCheck }: SubjectRun,
): Promise<string[]> {
  const settled: string[] = [];
  const unconfirmed: SameRequests<Tools>[] = [];
  const confirm = async () => {
    if (!(await attempt(() => lane.sendRight()))) return false;
    for (const same of unconfirmed.splice(0)) {
      if (!same.every(foundNothing)) continue;
      settled.push(recordedId(same[0]));
      for (const check of same) onCheck(check, "ended");
    }
    return true;
  };
  if (!(await confirm())) return settled;
  for (const same of queue) {
    if (isOver()) break;
    for (const check of same) onCheck(check, "began");
    unconfirmed.push(same);
    const isRefused = await attempt(() => lane.send(same[0]));
    const isDue = !isRefused || unconfirmed.length === MOST_UNCONFIRMED;
    if (isDue && !(await confirm())) return settled;
  }
  await confirm();
  return settled;
}
