import { type Result, results } from "../../checking/check.ts";
import type { CheckEvent } from "../check-event.ts";

/** A part of the app, and the progress of its checks. */
export interface LivePart {
  readonly name: string;
  readonly checks: number;
  readonly counts: Readonly<Record<Result, number>>;
  /** Titles of the checks that run now. */
  readonly running: readonly string[];
}

/** What the live display shows. */
export interface PictureState {
  /** Why the run ends before all its checks have run; null: it goes on. */
  readonly ending: string | null;
  /** How long the app takes to answer; null: it is fast. */
  readonly pace: string | null;
  /** From 1; 0 before the first run. */
  readonly round: number;
  readonly parts: readonly LivePart[];
  /** The latest checks that found something, newest last. */
  readonly found: readonly { readonly id: string; readonly part: string; readonly result: Result }[];
}

const none = Object.fromEntries(results.map((result) => [result, 0])) as Record<Result, number>;
const KEPT_FINDINGS = 5;

export const startOfLive: PictureState = { ending: null, pace: null, round: 0, parts: [], found: [] };

/** The state after an event. */
export function afterEvent(state: PictureState, event: CheckEvent): PictureState {
  if (event.what === "planned") {
    const parts = event.parts.map((part) => ({ ...part, counts: none, running: [] }));
    return { ...state, round: state.round + 1, parts };
  }
  if (event.what === "ending") {
    return { ...state, ending: event.reason, parts: state.parts.map((part) => ({ ...part, running: [] })) };
  }
  const change = (changed: (part: LivePart) => LivePart) =>
    state.parts.map((part) => (part.name === event.part ? changed(part) : part));
  if (event.what === "began") {
    return { ...state, parts: change((part) => ({ ...part, running: [...part.running, event.title] })) };
  }
  const { id, result, reason, title } = event.check;
  if (result === "skip" && reason === state.ending) return state;
  const parts = change((part) => ({
    ...part,
    counts: { ...part.counts, [result]: part.counts[result] + 1 },
    running: part.running.filter((running) => running !== title),
  }));
  const isFinding = result === "fail" || result === "warn" || result === "inconclusive";
  const found = isFinding ? [...state.found, { id, part: event.part, result }].slice(-KEPT_FINDINGS) : state.found;
  return { ...state, pace: event.pace, parts, found };
}

/** How many checks a part has; a page that needs its scripts has more than were planned. */
export function plannedOf(part: Pick<LivePart, "counts" | "checks">): number {
  return Math.max(part.checks, doneOf(part));
}

/** Number of finished checks of a part. */
export function doneOf({ counts }: Pick<LivePart, "counts">): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
