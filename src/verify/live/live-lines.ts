import type { Result } from "../../checking/check.ts";
import { pad, truncate } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { resultMarks } from "../text/finding-text.ts";
import { doneOf, type LivePart, type PictureState } from "./live-state.ts";

/** The drawing area, in columns and rows. */
interface LiveRoom {
  readonly cols: number;
  readonly rows: number;
}

const NAME_COLUMNS = 24;
const BAR_COLUMNS = 10;
/** Narrower terminals show no bar. */
const MIN_COLUMNS_FOR_BAR = 70;

/**
 * The live display: a line for each part of the app with its progress and running check, the latest findings, the
 * total.
 * @param seconds since the run started
 */
export function pictureLines(state: PictureState, seconds: number, { cols, rows }: LiveRoom, paint: Paint): string[] {
  const { parts, found, round } = state;
  const total = parts.reduce((sum, { checks }) => sum + checks, 0);
  const done = parts.reduce((sum, part) => sum + doneOf(part), 0);
  const whole = `${round > 1 ? `run ${round}: ` : ""}${done} of ${total} checks, ${Math.floor(seconds)} s`;
  if (rows < 3) return [truncate(whole, cols)];
  const findings = found.slice(-Math.max(0, Math.min(found.length, rows - 2 - Math.min(parts.length, rows - 2))));
  const room = rows - 1 - findings.length;
  const shown = parts.length <= room ? parts : mostTelling(parts, room - 1);
  const hidden = parts.length - shown.length;
  return [
    ...shown.map((part) => partLine(part, cols, paint)),
    ...(hidden === 0 ? [] : [truncate(`and ${hidden} more`, cols)]),
    ...findings.map(({ id, part, result }) => {
      const { sign, word } = resultMarks[result];
      const text = truncate(`${sign} ${word} ${id} ${harmlessLine(part)}`, cols);
      return result === "fail" ? paint.bad(text) : paint.caution(text);
    }),
    truncate(parts.length === 0 ? `reading the manifest, ${Math.floor(seconds)} s` : whole, cols),
  ];
}

/** Running parts, then waiting ones, then finished ones; each in order. */
function mostTelling(parts: readonly LivePart[], count: number): readonly LivePart[] {
  const rank = (part: LivePart) => (part.running.length > 0 ? 0 : doneOf(part) < part.checks ? 1 : 2);
  const kept = new Set([...parts].sort((a, b) => rank(a) - rank(b)).slice(0, Math.max(0, count)));
  return parts.filter((part) => kept.has(part));
}

function partLine(part: LivePart, cols: number, paint: Paint): string {
  const { name, checks, counts, running } = part;
  const done = doneOf(part);
  const isOver = done >= checks;
  const { sign } = resultMarks[worstOf(part)];
  const mark = isOver ? sign : "·";
  const label = pad(truncate(harmlessLine(name), NAME_COLUMNS), Math.min(NAME_COLUMNS, Math.max(8, cols - 30)));
  const bar = cols < MIN_COLUMNS_FOR_BAR ? "" : ` ${barOf(done, checks)}`;
  const numbers = `${String(done).padStart(String(checks).length)}/${checks}`;
  const failed =
    counts.fail > 0 ? `, ${counts.fail} failed` : isOver && worstOf(part) === "skip" ? ", all skipped" : "";
  const now = running.length === 0 ? "" : `  ${running.at(-1)}`;
  const text = truncate(`${mark} ${label}${bar} ${numbers}${failed}${now}`, cols);
  if (counts.fail > 0) return paint.bad(text);
  return isOver && counts.pass > 0 ? paint.good(text) : text;
}

/** The worst result of a part; `skip` if no check of it could run. */
function worstOf({ counts }: LivePart): Result {
  if (counts.fail > 0) return "fail";
  if (counts.warn + counts.inconclusive > 0) return "warn";
  return counts.pass > 0 ? "pass" : "skip";
}

function barOf(done: number, checks: number): string {
  const filled = checks === 0 ? BAR_COLUMNS : Math.round((done / checks) * BAR_COLUMNS);
  return "█".repeat(filled) + "░".repeat(BAR_COLUMNS - filled);
}
