import type { Result } from "../../checking/check.ts";
import { columnsOf, pad, truncate } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import { resultMarks } from "../text/finding-text.ts";
import { doneOf, type LivePart, type PictureState, plannedOf } from "./live-state.ts";

/** The drawing area, in columns and rows. */
interface LiveRoom {
  readonly cols: number;
  readonly rows: number;
}

const NAME_COLUMNS = 24;
const MIN_NAME_COLUMNS = 8;
const BAR_COLUMNS = 10;
/** Narrower terminals show no bar. */
const MIN_COLUMNS_FOR_BAR = 70;

/**
 * The live display: a line for each part of the app with its progress and running check, the latest findings, the
 * total.
 * @param seconds since the run started
 */
export function pictureLines(state: PictureState, seconds: number, { cols, rows }: LiveRoom, paint: Paint): string[] {
  const { parts, found } = state;
  const whole = wholeLine(state, seconds);
  if (rows < 3) return [truncate(whole, cols)];
  const findings = found.slice(-Math.max(0, Math.min(found.length, rows - 2 - Math.min(parts.length, rows - 2))));
  const room = rows - 1 - findings.length;
  const shown = parts.length <= room ? parts : mostTelling(parts, room - 1);
  const hidden = parts.length - shown.length;
  const columns = columnsFor(shown, cols);
  return [
    ...shown.map((part) => partLine(part, columns, paint)),
    ...(hidden === 0 ? [] : [truncate(`and ${hidden} more`, cols)]),
    ...findings.map(({ id, part, result }) => {
      const { sign, word } = resultMarks[result];
      const text = truncate(`${sign} ${word} ${id} ${harmlessLine(part)}`, cols);
      return result === "fail" ? paint.bad(text) : paint.caution(text);
    }),
    truncate(whole, cols),
  ];
}

function wholeLine({ parts, round, ending, pace }: PictureState, seconds: number): string {
  const time = `${Math.floor(seconds)} s`;
  if (parts.length === 0) return `reading the manifest, ${time}`;
  const total = parts.reduce((sum, part) => sum + plannedOf(part), 0);
  const done = parts.reduce((sum, part) => sum + doneOf(part), 0);
  const why = ending !== null ? `; ended early: ${ending}` : pace !== null && done < total ? `; ${pace}` : "";
  return `${round > 1 ? `run ${round}: ` : ""}${done} of ${total} checks, ${time}${why}`;
}

/** The columns of the lines of all parts. */
interface PartColumns {
  readonly all: number;
  readonly name: number;
  /** For a number of checks. */
  readonly count: number;
}

function columnsFor(parts: readonly LivePart[], cols: number): PartColumns {
  const longest = Math.max(MIN_NAME_COLUMNS, ...parts.map(({ name }) => columnsOf(harmlessLine(name))));
  return {
    all: cols,
    name: Math.min(longest, NAME_COLUMNS, Math.max(MIN_NAME_COLUMNS, cols - 30)),
    count: Math.max(...parts.map(({ checks }) => String(checks).length)),
  };
}

/** Running parts, then waiting ones, then finished ones; each in order. */
function mostTelling(parts: readonly LivePart[], count: number): readonly LivePart[] {
  const rank = (part: LivePart) => (part.running.length > 0 ? 0 : doneOf(part) < part.checks ? 1 : 2);
  const kept = new Set([...parts].sort((a, b) => rank(a) - rank(b)).slice(0, Math.max(0, count)));
  return parts.filter((part) => kept.has(part));
}

function partLine(part: LivePart, columns: PartColumns, paint: Paint): string {
  const { name, counts, running } = part;
  const [done, checks] = [doneOf(part), plannedOf(part)];
  const isOver = done >= checks;
  const { sign } = resultMarks[worstOf(part)];
  const mark = isOver ? sign : "·";
  const label = pad(truncate(harmlessLine(name), columns.name), columns.name);
  const bar = columns.all < MIN_COLUMNS_FOR_BAR ? "" : ` ${barOf(done, checks)}`;
  const failed =
    counts.fail > 0 ? `, ${counts.fail} failed` : isOver && worstOf(part) === "skip" ? ", all skipped" : "";
  const now = running.length === 0 ? "" : `  ${running.at(-1)}`;
  const numbers = pad(`${String(done).padStart(columns.count)}/${checks}${failed}`, 2 * columns.count + 1);
  const text = truncate(`${mark} ${label}${bar} ${numbers}${now}`.trimEnd(), columns.all);
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
