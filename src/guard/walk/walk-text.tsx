import { Box, Text, type TextProps, Transform } from "ink";
import { createContext, createElement, Fragment, type ReactNode, useContext } from "react";
import wrapAnsi from "wrap-ansi";
import { hyperlink } from "../../output/hyperlink.ts";
import { truncate } from "../../output/layout.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";

/** The style of a text. It never carries a meaning that the words do not. */
export type Tone = "plain" | "strong" | "quiet" | "good" | "bad" | "caution";

const styles: Record<Tone, TextProps> = {
  plain: {},
  strong: { bold: true },
  quiet: { dimColor: true },
  good: { color: "green" },
  bad: { color: "red" },
  caution: { color: "yellow" },
};

/** Capabilities of the terminal. */
export interface Abilities {
  readonly color: boolean;
  /** Whether it supports hyperlinks (OSC 8). */
  readonly links: boolean;
}

export const AbilitiesContext = createContext<Abilities>({ color: false, links: false });

/** Apps may send long texts; only this much of one is shown. */
const MAX_CHARACTERS = 500;

interface WordsProps extends Pick<TextProps, "wrap" | "aria-hidden"> {
  readonly text: string;
  readonly tone?: Tone;
}

/**
 * A text made harmless (hardening S15): draws every text of the walk except links and pages. It is measured in the
 * normalization form in which Ink wraps it, which may take more columns.
 */
function Words({ text, tone = "plain", ...props }: WordsProps) {
  const { color } = useContext(AbilitiesContext);
  return (
    <Text {...props} {...(color ? styles[tone] : {})}>
      {clip(harmlessLine(text.normalize()), MAX_CHARACTERS)}
    </Text>
  );
}

/** A text that wraps. */
export function words(text: string, tone: Tone = "plain") {
  const drawn = <Words text={text} tone={tone} />;
  return text.startsWith(" ") ? drawn : <Transform transform={withoutLeadingSpace}>{drawn}</Transform>;
}

/** Ink starts a row with the space at which it wrapped the previous one. */
function withoutLeadingSpace(row: string): string {
  return row.replace(LEADING_SPACE, "$1");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a coloured row starts with these
const LEADING_SPACE = /^((?:\u001b\[[\d;]*m)*) /;

/**
 * A text on one row of at most `columns` columns, ending in `…` if it does not fit. Ink cuts it where it has even less
 * room, but takes a letter with a vowel sign (की) for one column less than it is.
 */
export function oneRow(text: string, columns: number, tone: Tone = "plain") {
  return <Words text={truncate(harmlessLine(text.normalize()), columns)} tone={tone} wrap="truncate" />;
}

/** Decoration that means nothing to a screen reader. */
function ornament(text: string, tone: Tone = "quiet") {
  return <Words text={text} tone={tone} aria-hidden />;
}

/** A text after a label, with its further rows indented below its first. */
export function labelled(label: string, text: string, tone: Tone) {
  return (
    <Firm>
      <Firm>{words(label, tone)}</Firm>
      {words(text)}
    </Firm>
  );
}

/** Elements identified by their position in the list, so they need no keys. */
export function inOrder(elements: readonly ReactNode[]) {
  return createElement(Fragment, null, ...elements);
}

/** Content that keeps its size when there is too little room. */
export function Firm({ children }: { readonly children: ReactNode }) {
  return <Box flexShrink={0}>{children}</Box>;
}

/** An empty row that is dropped first when there is too little room. */
export function Gap() {
  return <Box height={1} flexShrink={1} />;
}

/** One row with a text at either end; the right one wraps out of sight if there is no room for both. */
export function ends(left: ReactNode, right: string, cols: number) {
  return (
    <Box flexShrink={0} height={1} flexWrap="wrap" justifyContent="space-between" columnGap={2} overflow="hidden">
      <Box>{left}</Box>
      {right !== "" && oneRow(right, cols, "quiet")}
    </Box>
  );
}

/** A title line across the screen; `aside`: text at its right end. */
export function heading(title: string, aside: string, cols: number, tone: Tone = "strong") {
  const room = cols - "── ".length - " ".length - (aside === "" ? 0 : ` ${aside} ──`.length);
  return (
    <Firm>
      <Firm>{ornament("── ")}</Firm>
      {oneRow(title, room, tone)}
      <Line />
      <Firm>
        {aside !== "" && words(` ${aside} `)}
        {aside !== "" && ornament("──")}
      </Firm>
    </Firm>
  );
}

function Line() {
  const { color } = useContext(AbilitiesContext);
  const sides = { borderBottom: false, borderLeft: false, borderRight: false };
  return <Box flexGrow={1} flexBasis={0} marginLeft={1} borderStyle="single" borderDimColor={color} {...sides} />;
}

const MAX_BAR_COLUMNS = 40;
const MIN_BAR_COLUMNS = 4;

/** A fraction from 0 to 1, as a bar if there is room, and in numbers. */
export function bar(part: number, numbers: string, cols: number, tone: Tone = "plain") {
  const room = Math.min(MAX_BAR_COLUMNS, cols - numbers.length - 2);
  const full = Math.round(room * Math.min(1, Math.max(0, part)));
  const drawn = room >= MIN_BAR_COLUMNS;
  return (
    <Firm>
      {drawn && ornament("█".repeat(full), tone)}
      {drawn && ornament(`${"░".repeat(room - full)}  `)}
      {words(numbers)}
    </Firm>
  );
}

/** An address, or text for it, clickable in a terminal that supports it. */
export function Hyperlink({ url, rows }: { readonly url: string; readonly rows: readonly string[] }) {
  const { color, links } = useContext(AbilitiesContext);
  const text = <Text {...(color ? styles.strong : {})}>{rows.map(harmlessLine).join("\n")}</Text>;
  if (!links) return text;
  return <Transform transform={(row) => hyperlink(url, row)}>{text}</Transform>;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own reports are coloured with these
const STYLE = /(\u001b\[[\d;]*m)/;

/**
 * Lines of our own reports, with their colours, as rows of at most `cols` columns, each indented like its line;
 * everything else is made harmless.
 */
export function toRows(lines: readonly string[], cols: number): string[] {
  return lines.flatMap((line) => {
    const parts = line.split(STYLE).map((part, index) => (index % 2 === 1 ? part : harmlessLine(part)));
    const text = parts.join("");
    const indented = text.search(/[^ ]|$/);
    // A row that is mostly indentation would show nothing.
    const kept = indented <= cols / 2 ? indented : 0;
    const rows = wrapAnsi(text.slice(indented), cols - kept, { hard: true }).split("\n");
    return rows.map((row) => (row === "" ? "" : " ".repeat(kept) + row));
  });
}
