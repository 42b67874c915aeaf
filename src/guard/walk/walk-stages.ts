import type { LoginView, StageView } from "../login/login-view.ts";
import { stageName } from "../pages/stepper.ts";
import { lookedAt, placeOf, type WalkState } from "./walk-state.ts";
import { brief, cut, ends, type Row, row, rowWidth, span } from "./walk-text.ts";
import { accessSign, type Sign, stageSign } from "./walk-words.ts";

/** A list that is cut to fewer rows than this says nothing of what it leaves out: there is no room for that. */
const ROWS_TO_COUNT = 5;
/** The pointer, the sign and the space after it. */
const BEFORE_NAME = 3;

/** Every stage and Access after them, or as many of them as there may be rows, around the one that is looked at. */
export function stageRows(state: WalkState, login: LoginView, cols: number, limit: number): Row[] {
  const names = [...login.stages.map(stageName), "Access"].map((name) => row(name));
  const width = Math.min(Math.max(...names.map(rowWidth)), limit > 1 ? nameWidth(cols) : cols - BEFORE_NAME);
  const rows = names.map((name, index) => {
    const stage = login.stages[index];
    const sign = stage === undefined ? accessSign(login.result) : stageSign(stage, login.result !== null);
    const [pointer, tone] = [
      index === lookedAt(state) ? "›" : " ",
      index === placeOf(state) ? "strong" : "plain",
    ] as const;
    const shown = cut(name, width);
    const pad = " ".repeat(limit > 1 ? width - rowWidth(shown) : 0);
    const left = row(
      span(pointer, "strong"),
      span(sign.mark, sign.tone),
      " ",
      ...shown.spans.map(({ text }) => span(text, tone)),
      `${pad}  `,
      span(sign.word, sign.tone),
      ...reasonAfter(sign, stage),
    );
    return ends(left, keyAndType(stage), cols);
  });
  return around(rows, lookedAt(state), limit);
}

function nameWidth(cols: number): number {
  return Math.max(Math.floor(cols / 3), Math.min(15, Math.floor(cols * 0.45)));
}

function reasonAfter({ tone }: Sign, stage: StageView | undefined) {
  if (stage?.reason === undefined) return [];
  return [span(`: ${brief(stage.reason)}`, tone === "bad" ? "plain" : "quiet")];
}

function keyAndType(stage: StageView | undefined): Row {
  return stage?.module === undefined ? row() : row(span(`${stage.module} · ${stage.type}`, "quiet"));
}

/** So many of the rows, with the one at this place among them, and how many are left out at either end. */
function around(rows: readonly Row[], at: number, limit: number): Row[] {
  if (rows.length <= limit) return [...rows];
  const start = Math.min(rows.length - limit, Math.max(0, at - Math.floor(limit / 2)));
  const shown = rows.slice(start, start + limit);
  const after = rows.length - start - limit;
  if (limit < ROWS_TO_COUNT) return shown;
  if (start > 0) shown[0] = row(span(`   ↑ ${start + 1} more`, "quiet"));
  if (after > 0) shown[limit - 1] = row(span(`   ↓ ${after + 1} more`, "quiet"));
  return shown;
}
