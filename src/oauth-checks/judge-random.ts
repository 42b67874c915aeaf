import type { Verdict } from "../checking/check.ts";
import { areClockReadings, type DatedText } from "../checking/clock-reading.ts";
import { derivedFrom, isHashOfCount } from "../checking/derived-values.ts";
import {
  changedCharacters,
  computableKindOf,
  isHashOfTime,
  isTimeAsNumber,
  plainGeneratorOf,
  repeatedPart,
  timesOf,
} from "../checking/randomness.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { OAuthCheck } from "./check.ts";
import type { OAuthEvidence } from "./evidence.ts";
import type { OAuthVisit } from "./visits.ts";

/** With fewer differing positions, values can be found by brute force. */
const FEWEST_CHANGES = 6;

/** Trying all microseconds of an answer takes a while. */
const HASHES_TRIED = 3;

const isNumber = (text: string) => /^\d+$/.test(text);
const isLess = (one: string | undefined, other: string) => BigInt(one ?? 0) < BigInt(other);

/** Judges whether the values of several logins are unguessable and unrelated. */
export function judgeRandom(
  name: string,
  { visits, app }: OAuthEvidence,
  check: OAuthCheck,
  valuesOf: (visit: OAuthVisit) => readonly string[] | string,
): Verdict {
  // A short value may be repeated to reach the length that a verifier must have.
  const values = visits.flatMap(valuesOf).map(repeatedPart);
  if (values.length < 3) return skipVerdict(`the app sends no ${name}`);
  if (new Set(values).size < values.length) return faulty(check, `several logins have the same ${name}`);
  const isRising = values.every((value, index) => isNumber(value) && (index === 0 || isLess(values[index - 1], value)));
  if (isRising) return faulty(check, `${name} increases from login to login: a time or a counter`);
  const kind = computableKindOf(values);
  if (kind !== null) return faulty(check, `${name} is ${kind}`);
  const generator = plainGeneratorOf(values);
  if (generator !== null) return faulty(check, `${name} looks like ${generator}`);
  if (areClockReadings(datedValues(visits, valuesOf)))
    return faulty(check, `${name} is what a clock says, such as the time since the machine's start`);
  const answers = visits.flatMap(({ own }) => own);
  const isWrittenTime = derivedFrom(timesOf(answers, null));
  const isOfTime = (value: string) =>
    isWrittenTime(value) || answers.some((answer) => isTimeAsNumber(value, answer, []));
  const isHash = visits
    .filter((visit) => valuesOf(visit).length > 0)
    .slice(0, HASHES_TRIED)
    .some((visit) => isHashOfStart(visits, visit, valuesOf(visit)));
  if (isHash || values.some(isOfTime))
    return faulty(check, `${name} is the time at which it was made, or a hash of it`);
  if (values.slice(0, 1).some((value) => isHashOfCount(value, [app.clientId])))
    return faulty(check, `${name} is the hash of a counter, alone or with the client id`);
  const changes = changedCharacters(values);
  if (changes >= FEWEST_CHANGES) return PASSED;
  return faulty(check, `from login to login ${name} differs in only ${changes} characters`);
}

/** The values, each with the answer that began its login. */
function datedValues(
  visits: readonly OAuthVisit[],
  valuesOf: (visit: OAuthVisit) => readonly string[] | string,
): DatedText[] {
  return visits.flatMap((visit) => {
    const [answer] = visit.own;
    return answer === undefined ? [] : [valuesOf(visit)].flat().map((text) => ({ text, answer }));
  });
}

/** Whether the value of a visit is the hash of the time at which the same browser began a login. */
function isHashOfStart(
  visits: readonly OAuthVisit[],
  { browser }: OAuthVisit,
  value: readonly string[] | string,
): boolean {
  const starts = visits.filter((visit) => visit.browser === browser && visit.what.startsWith("start"));
  return [value]
    .flat()
    .some((text) => starts.some(({ own }) => own.some((answer) => isHashOfTime(repeatedPart(text), answer))));
}
