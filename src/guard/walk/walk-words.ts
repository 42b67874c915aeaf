import type { GuardResult } from "../guard-result.ts";
import type { StageView } from "../login/login-view.ts";
import type { Tone } from "./walk-text.ts";

/** A sign before the word, never instead of it. */
export interface Sign {
  readonly mark: string;
  readonly tone: Tone;
  readonly word: string;
}

/** How a stage stands. `isOver`: the login has ended. */
export function stageSign({ status }: StageView, isOver: boolean): Sign {
  switch (status) {
    case "passed":
      return { mark: "✓", tone: "good", word: "passed" };
    case "denied":
      return { mark: "✗", tone: "bad", word: "denied" };
    case "skipped":
      return { mark: "-", tone: "quiet", word: "skipped" };
    case "running":
      return { mark: "●", tone: "caution", word: "the app is being asked" };
    case "needs-user":
      return isOver
        ? { mark: "!", tone: "caution", word: "not completed" }
        : { mark: "●", tone: "caution", word: "your turn" };
    case "waiting":
      return { mark: "○", tone: "quiet", word: isOver ? "not reached" : "to come" };
  }
}

/** How the whole login stands: the last step. */
export function accessSign(result: GuardResult | null): Sign {
  if (result === null) return { mark: "○", tone: "quiet", word: "to come" };
  switch (result.outcome) {
    case "granted":
      return { mark: "✓", tone: "good", word: "granted" };
    case "denied":
      return { mark: "✗", tone: "bad", word: "denied" };
    case "needs-user":
      return { mark: "!", tone: "caution", word: "not granted" };
  }
}

/** The end of a login in one line. */
export function verdict({ outcome, deniedBy, failure, stages }: GuardResult): string {
  if (failure === "interrupted") return "Interrupted: access was not granted";
  switch (outcome) {
    case "granted":
      return stages.some(({ stage }) => stage === "guard")
        ? "Access granted"
        : "Access granted, but no auth guard was there to be asked";
    case "denied":
      return `Access denied${deniedBy === null ? "" : ` by ${deniedBy}`}`;
    case "needs-user":
      return "Not granted: a user is needed";
  }
}

/** `9:41`, or `41 s` under a minute; a time that is over is `0 s`. */
export function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** `3.2 s`. */
export function elapsed(milliseconds: number): string {
  return `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`;
}
