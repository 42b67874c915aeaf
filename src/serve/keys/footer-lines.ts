import { columnsOf, truncate } from "../../output/layout.ts";
import type { Paint } from "../../output/paint.ts";
import { harmlessLine } from "../../protocol/harmless.ts";

/** The content of the lines below the exchanges. */
export interface FooterState {
  /** Of the platform. */
  readonly url: string;
  readonly app: string;
  /** Whether it listens. */
  readonly isUp: boolean;
  /** Empty: real time. */
  readonly clock: string;
  /** Empty: none. */
  readonly faults: string;
  /** What is running; null: nothing. */
  readonly running: string | null;
  /** Keys and what they do. */
  readonly keys: readonly { readonly key: string; readonly label: string }[];
}

const GAP = "  ";
/** A longer one would be broken if the terminal is made narrower. */
const RULE_COLUMNS = 24;

/** A rule, the platform and the app, and the keys; every line fits into `cols`. */
export function footerLines(state: FooterState, cols: number, paint: Paint): string[] {
  const { url, app, isUp, clock, faults, running, keys } = state;
  const plain = (text: string) => ({ text, shown: text });
  const facts = [
    { text: url, shown: paint.strong(url) },
    appFact(app, isUp, paint),
    ...(clock === "" ? [] : [plain(`clock ${clock}`)]),
    ...(faults === "" ? [] : [plain(`faults ${faults}`)]),
    ...(running === null ? [] : [{ text: `${running} …`, shown: paint.caution(`${running} …`) }]),
  ];
  const named = keys.map(({ key, label }) => ({ text: `${key} ${label}`, shown: `${paint.strong(key)} ${label}` }));
  return [paint.quiet("─".repeat(Math.min(cols, RULE_COLUMNS))), ...rowsOf(facts, cols), ...rowsOf(named, cols)];
}

function appFact(app: string, isUp: boolean, paint: Paint) {
  const text = `app ${app} ${isUp ? "up" : "down"}`;
  return { text, shown: isUp ? text : paint.bad(text) };
}

/** Puts as many of the pieces in a row as fit; one that is wider than a row is cut. */
function rowsOf(pieces: readonly { readonly text: string; readonly shown: string }[], cols: number): string[] {
  const rows: string[] = [];
  let room = 0;
  for (const { text, shown } of pieces) {
    const harmless = harmlessLine(text);
    const columns = columnsOf(harmless);
    const piece = columns > cols ? truncate(harmless, cols) : shown;
    if (rows.length > 0 && columns + GAP.length <= room) {
      rows[rows.length - 1] += GAP + piece;
      room -= columns + GAP.length;
    } else {
      rows.push(piece);
      room = cols - Math.min(cols, columns);
    }
  }
  return rows;
}
