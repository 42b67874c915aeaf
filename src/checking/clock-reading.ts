import type { Exchange } from "../journal/exchange.ts";
import { writtenNumbers } from "./randomness.ts";

/** A text, and the answer with which it was made. */
export interface DatedText {
  readonly text: string;
  readonly answer: Pick<Exchange, "startedAt" | "timings">;
}

/** How programs write what a clock says, and how to read it. */
const writtenReadings: readonly (readonly [form: RegExp, read: (text: string) => number])[] = [
  [/^\d+\.\d+$/, Number],
  ...writtenNumbers.map(([form, radix]) => [form, (text: string) => Number.parseInt(text, Number(radix))] as const),
];

/** How many units of a clock a millisecond has, for clocks that count milliseconds to nanoseconds. */
const IN_MILLISECOND = [1, 1_000, 10_000, 1_000_000];
const FEWEST_READINGS = 3;
/** How much longer than all answers together the readings must be apart, so that no other numbers fit. */
const CLEAR = 4;
/** How many milliseconds this clock may be off. */
const OFF_MS = 2;

/**
 * Whether texts are the numbers of a clock that nobody outside reads, such as the time since the machine's start: their
 * differences are the times between the answers. Who sees one of them can compute all others.
 */
export function areClockReadings(dated: readonly DatedText[]): boolean {
  if (new Set(dated.map(({ text }) => text)).size < FEWEST_READINGS) return false;
  return writtenReadings.some(([form, read]) => {
    if (!dated.every(({ text }) => form.test(text))) return false;
    const readings = dated.map(({ text, answer }) => ({
      value: read(text),
      ms: Date.parse(answer.startedAt),
      unsureMs: answer.timings.totalMs + OFF_MS,
    }));
    return IN_MILLISECOND.some((units) => passWithTime(readings, units));
  });
}

interface Reading {
  readonly value: number;
  readonly ms: number;
  readonly unsureMs: number;
}

function passWithTime(readings: readonly Reading[], units: number): boolean {
  const [first, ...others] = readings.toSorted((one, other) => one.ms - other.ms);
  const last = others.at(-1);
  if (first === undefined || last === undefined) return false;
  if (last.ms - first.ms < CLEAR * (first.unsureMs + last.unsureMs)) return false;
  return others.every(({ value, ms, unsureMs }) => {
    const passedMs = (value - first.value) / units;
    return Math.abs(passedMs - (ms - first.ms)) <= unsureMs + first.unsureMs;
  });
}
