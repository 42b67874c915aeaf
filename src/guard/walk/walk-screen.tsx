import { Box, Text, type TextProps } from "ink";
import { createElement, type ReactElement } from "react";
import { harmlessLine } from "../../protocol/harmless.ts";
import type { Row, Span, Tone } from "./walk-text.ts";

const styles: Record<Tone, TextProps> = {
  plain: {},
  strong: { bold: true },
  quiet: { dimColor: true },
  good: { color: "green" },
  bad: { color: "red" },
  caution: { color: "yellow" },
};

interface WalkScreenProps {
  readonly rows: readonly Row[];
  readonly hasColor: boolean;
}

/** Rows that fit the screen, one below the other; without colours there is nothing but text. */
export function WalkScreen({ rows, hasColor }: WalkScreenProps): ReactElement {
  // A row is known by its place alone: as children of their own, rows need no keys.
  return createElement(Box, { flexDirection: "column" }, ...rows.map((row) => line(row, hasColor)));
}

function line({ spans, spoken }: Row, hasColor: boolean) {
  const said = spoken === undefined ? {} : { "aria-label": harmlessLine(spoken), "aria-hidden": spoken === "" };
  // A row without anything in it would take no room.
  const pieces = spans.every(({ text }) => text === "") ? [" "] : spans.map((span) => piece(span, hasColor));
  return createElement(Text, { wrap: "truncate-end", ...said }, ...pieces);
}

function piece({ text, tone }: Span, hasColor: boolean) {
  return <Text {...(hasColor ? styles[tone] : {})}>{text}</Text>;
}
