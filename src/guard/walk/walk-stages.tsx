import { Box } from "ink";
import { columnsOf } from "../../output/layout.ts";
import { harmlessLine } from "../../protocol/harmless.ts";
import type { GuardResult } from "../guard-result.ts";
import { type LoginView, type StageView, stageName } from "../login/login-view.ts";

import { currentStage, shownStage, type WalkState } from "./walk-state.ts";
import { ends, Firm, inOrder, oneRow, type Tone, words } from "./walk-text.tsx";

/** A mark in front of a word, never instead of it. */
interface Sign {
  readonly mark: string;
  readonly tone: Tone;
  readonly word: string;
}

type Signs<Key extends string> = Readonly<Record<Key, Sign>>;

const stageSigns: Signs<StageView["status"]> = {
  passed: { mark: "✓", tone: "good", word: "passed" },
  denied: { mark: "✗", tone: "bad", word: "denied" },
  failed: { mark: "✗", tone: "bad", word: "failed" },
  skipped: { mark: "-", tone: "quiet", word: "skipped" },
  running: { mark: "●", tone: "caution", word: "calling the app" },
  "needs-user": { mark: "●", tone: "caution", word: "needs you" },
  waiting: { mark: "○", tone: "quiet", word: "not yet" },
};
/** The words that differ once the login has ended. */
const signsOfEnded: Partial<typeof stageSigns> = {
  "needs-user": { mark: "!", tone: "caution", word: "not completed" },
  waiting: { mark: "○", tone: "quiet", word: "not reached" },
};
export const accessSigns: Signs<GuardResult["outcome"]> = {
  granted: { mark: "✓", tone: "good", word: "granted" },
  denied: { mark: "✗", tone: "bad", word: "denied" },
  failed: { mark: "✗", tone: "bad", word: "not granted" },
  "needs-user": { mark: "!", tone: "caution", word: "not granted" },
};

/** The status of a stage. `isOver`: the login has ended. */
export function stageSign({ status }: StageView, isOver: boolean): Sign {
  return (isOver ? signsOfEnded[status] : undefined) ?? stageSigns[status];
}

/** A list with fewer rows has no room to say how many stages it leaves out. */
const ROWS_TO_COUNT = 5;
/** The pointer, the mark and the space after it. */
const BEFORE_NAME = 3;
const AFTER_NAME = 2;

/**
 * Every stage, and Access after them; if there are more than `limit` rows, those around the one that the panel
 * describes.
 */
export function stageList(state: WalkState, login: LoginView, cols: number, limit: number) {
  const count = login.stages.length + 1;
  const shown = shownStage(state);
  const start = Math.max(0, Math.min(count - limit, shown - Math.floor(limit / 2)));
  const end = Math.min(count, start + limit);
  const counts = limit >= ROWS_TO_COUNT;
  const [before, after] = [counts && start > 0 ? start + 1 : 0, counts && end < count ? count - end + 1 : 0];
  const [first, last] = [start + Math.min(before, 1), end - Math.min(after, 1)];
  const visible = Array.from({ length: last - first }, (_, row) => first + row);
  const names = [...login.stages.map(stageName), "Access"].map((name) => columnsOf(harmlessLine(name)));
  const width =
    limit > 1 ? Math.min(Math.max(...names), maxNameWidth(cols)) : Math.min(names[shown] ?? 0, cols - BEFORE_NAME);
  return (
    <Box flexShrink={0} flexDirection="column">
      {before > 0 && words(`   ↑ ${before} more`, "quiet")}
      {inOrder(visible.map((place) => stageRow(state, login, place, { row: cols, name: width })))}
      {after > 0 && words(`   ↓ ${after} more`, "quiet")}
    </Box>
  );
}

/** Width of the longest status word, and a space. */
const SIGN_COLUMNS = 14;

function maxNameWidth(cols: number): number {
  const besideSigns = cols - BEFORE_NAME - AFTER_NAME - SIGN_COLUMNS;
  return Math.max(Math.floor(cols / 3), Math.min(15, Math.floor(cols * 0.45)), Math.min(24, besideSigns));
}

interface RowWidths {
  /** Columns of the whole row. */
  readonly row: number;
  /** Columns of the name in it. */
  readonly name: number;
}

function stageRow(state: WalkState, { stages, result }: LoginView, place: number, widths: RowWidths) {
  const stage = stages[place];
  const access = result === null ? stageSigns.waiting : accessSigns[result.outcome];
  const { mark, tone, word } = stage === undefined ? access : stageSign(stage, result !== null);
  const name = stage === undefined ? "Access" : stageName(stage);
  const room = Math.max(1, widths.row - BEFORE_NAME - widths.name - AFTER_NAME);
  const reason = stage?.reason === undefined ? "" : `: ${stage.reason}`;
  // A truncated reason for a skipped stage says nothing; for a failure, the panel has the rest.
  const hasReason = tone === "bad" || columnsOf(harmlessLine(word + reason)) <= room;
  const left = (
    <Box>
      <Firm>
        {words(place === shownStage(state) ? "›" : " ", "strong")}
        {words(`${mark} `, tone)}
      </Firm>
      <Box width={widths.name} flexShrink={0} marginRight={AFTER_NAME}>
        {oneRow(name, widths.name, place === currentStage(state) ? "strong" : "plain")}
      </Box>
      <Firm>{oneRow(word, room, tone)}</Firm>
      {hasReason && oneRow(reason, room - word.length, tone === "bad" ? "plain" : "quiet")}
    </Box>
  );
  return ends(left, stage?.module === undefined ? "" : `${stage.module} · ${stage.type}`, widths.row);
}
