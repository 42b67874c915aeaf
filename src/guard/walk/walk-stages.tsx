import { Box, Text } from "ink";
import stringWidth from "string-width";
import { harmlessLine } from "../../protocol/harmless.ts";
import type { GuardResult } from "../guard-result.ts";
import { type LoginView, type StageView, stageName } from "../login/login-view.ts";

import { currentStage, shownStage, type WalkState } from "./walk-state.ts";
import { Ends, Firm, type Tone, Words, words } from "./walk-text.tsx";

/** A mark in front of a word, never in place of it. */
interface Sign {
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
      return { mark: "●", tone: "caution", word: "calling the app" };
    case "needs-user":
      return isOver
        ? { mark: "!", tone: "caution", word: "not completed" }
        : { mark: "●", tone: "caution", word: "your turn" };
    case "waiting":
      return { mark: "○", tone: "quiet", word: isOver ? "not reached" : "to come" };
  }
}

function accessSign(result: GuardResult | null): Sign {
  if (result === null) return { mark: "○", tone: "quiet", word: "to come" };
  const signs = {
    granted: { mark: "✓", tone: "good", word: "granted" },
    denied: { mark: "✗", tone: "bad", word: "denied" },
    "needs-user": { mark: "!", tone: "caution", word: "not granted" },
  } as const;
  return signs[result.outcome];
}

/** A list of fewer rows than this does not say how many stages it leaves out: there is no room for that. */
const ROWS_TO_COUNT = 5;
/** The pointer, the mark and the space after it. */
const BEFORE_NAME = 3;

interface StageListProps {
  readonly state: WalkState;
  readonly login: LoginView;
  readonly cols: number;
  /** Rows to fill at most. */
  readonly limit: number;
}

/** Every stage, and Access after them, or those around the one that the panel describes. */
export function StageList({ state, login, cols, limit }: StageListProps) {
  const count = login.stages.length + 1;
  const shown = shownStage(state);
  const start = Math.max(0, Math.min(count - limit, shown - Math.floor(limit / 2)));
  const end = Math.min(count, start + limit);
  const counts = limit >= ROWS_TO_COUNT;
  const [before, after] = [counts && start > 0 ? start + 1 : 0, counts && end < count ? count - end + 1 : 0];
  const [first, last] = [start + Math.min(before, 1), end - Math.min(after, 1)];
  const visible = Array.from({ length: last - first }, (_, row) => first + row);
  const names = [...login.stages.map(stageName), "Access"].map((name) => stringWidth(harmlessLine(name)));
  const width =
    limit > 1 ? Math.min(Math.max(...names), maxNameWidth(cols)) : Math.min(names[shown] ?? 0, cols - BEFORE_NAME);
  return (
    <Box flexShrink={0} flexDirection="column">
      {before > 0 && words(`   ↑ ${before} more`, "quiet")}
      {visible.map((place) => (
        <StageRow key={place} state={state} login={login} place={place} width={width} />
      ))}
      {after > 0 && words(`   ↓ ${after} more`, "quiet")}
    </Box>
  );
}

function maxNameWidth(cols: number): number {
  return Math.max(Math.floor(cols / 3), Math.min(15, Math.floor(cols * 0.45)));
}

interface StageRowProps extends Pick<StageListProps, "state" | "login"> {
  readonly place: number;
  /** Columns of the name. */
  readonly width: number;
}

function StageRow({ state, login, place, width }: StageRowProps) {
  const stage = login.stages[place];
  const { mark, tone, word } = stage === undefined ? accessSign(login.result) : stageSign(stage, login.result !== null);
  const left = (
    <Box>
      <Firm>
        {words(place === shownStage(state) ? "›" : " ", "strong")}
        {words(`${mark} `, tone)}
      </Firm>
      <Box width={width} flexShrink={0} marginRight={2}>
        <Words
          text={stage === undefined ? "Access" : stageName(stage)}
          tone={place === currentStage(state) ? "strong" : "plain"}
          wrap="truncate"
        />
      </Box>
      <Text wrap="truncate">
        {words(word, tone)}
        {stage?.reason !== undefined && words(`: ${stage.reason}`, tone === "bad" ? "plain" : "quiet")}
      </Text>
    </Box>
  );
  const facts = stage?.module === undefined ? "" : `${stage.module} · ${stage.type}`;
  return <Ends left={left} right={facts} />;
}
