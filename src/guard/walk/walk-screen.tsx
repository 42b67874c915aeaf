import { stripVTControlCharacters } from "node:util";
import { Box, type DOMElement, measureElement, Text } from "ink";
import { useLayoutEffect, useRef, useState } from "react";
import { columnsOf, truncate } from "../../output/layout.ts";
import { type Binding, bindings } from "./walk-keys.ts";
import { type Moment, type PanelRoom, panel } from "./walk-panel.tsx";
import { stageList } from "./walk-stages.tsx";
import { exchangeIds, openExchange, type WalkState } from "./walk-state.ts";
import { ends, Firm, Gap, Hyperlink, heading, inOrder, oneRow, toRows, words } from "./walk-text.tsx";

/** The drawing area, in columns and rows. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Narrower terminals are treated as if they had this many columns. */
const MIN_COLUMNS = 20;
/** With fewer rows there is neither a title nor a heading. */
const MIN_ROWS_FOR_TITLES = 7;
const MIN_COLUMNS_FOR_INDENT = 60;
const MIN_COLUMNS_FOR_QUIT = 60;
/** With fewer, the title has the user's name and address only. */
const MIN_COLUMNS_FOR_ROLE = 70;

interface WalkScreenProps {
  readonly state: WalkState;
  readonly moment: Moment;
  /** The rows of the open page (`pageRows`). */
  readonly page: readonly string[];
  /** The latest exchange in short, as lines of our own reports; shown if there is room. */
  readonly latest: readonly string[];
  readonly size: Size;
}

/** The full screen, in exactly the given size. */
export function WalkScreen({ state, moment, page, latest, size }: WalkScreenProps) {
  const cols = Math.max(MIN_COLUMNS, size.cols);
  return (
    <Box flexDirection="column" width={cols} height={size.rows}>
      <Box flexDirection="column" flexGrow={1} flexBasis={0} overflow="hidden">
        {state.page === null
          ? stages(state, moment, latest, { ...size, cols })
          : openPage(state, page, { ...size, cols })}
      </Box>
      {footer(state, cols)}
    </Box>
  );
}

function title({ login, round }: WalkState, cols: number) {
  const which = round > 1 ? [`login ${round}`] : [];
  if (login === null) return ends(words("Login", "strong"), which.join(""), cols);
  const { user, ipAddress, domain } = login;
  if (cols < MIN_COLUMNS_FOR_ROLE) {
    const short = (
      <Text wrap="truncate">
        {words(user.login, "strong")}
        {words(` from ${ipAddress}`)}
      </Text>
    );
    return ends(short, which.join(""), cols);
  }
  const who = (
    <Text wrap="truncate">
      {words(`Login as ${user.login}`, "strong")}
      {words(` (${user.role}, user ${user.id}) from ${ipAddress}`)}
    </Text>
  );
  return ends(who, [...which, domain].join(" · "), cols);
}

/** Rows that the panel keeps when the stages get more than half of them. */
const PANEL_ROWS = 8;

/** The stages leave the panel its rows; the rows that the panel does not need show the latest exchange. */
function stages(state: WalkState, moment: Moment, latest: readonly string[], { cols, rows }: Size) {
  const hasTitles = rows >= MIN_ROWS_FOR_TITLES;
  const hasHeading = hasTitles || state.login === null;
  const free = rows - 1 - (hasTitles ? 2 : 0);
  const count = (state.login?.stages.length ?? -1) + 1;
  const limit = Math.min(count, free, Math.max(1, Math.floor(free / 2), free - PANEL_ROWS));
  const indent = cols < MIN_COLUMNS_FOR_INDENT ? 0 : 2;
  const room: PanelRoom = { cols: cols - indent, indent, rows: free - limit, hasHeading };
  return (
    <>
      {hasTitles && title(state, cols)}
      {hasTitles && <Gap />}
      {state.login !== null && limit > 0 && stageList(state, state.login, cols, limit)}
      {hasTitles && <Gap />}
      {panel({ state, moment, room })}
      <LatestExchange lines={latest} room={room} />
    </>
  );
}

/** A blank row, the heading, and at least two rows below it. */
const MIN_ROWS_FOR_EXCHANGE = 4;

/** As many rows as there is room for: a long request leaves out its last ones, so that the answer is seen. */
function fitting(rows: readonly string[], { count, cols }: { readonly count: number; readonly cols: number }) {
  const found = rows.findIndex((row) => stripVTControlCharacters(row).trimStart().startsWith("←"));
  const answer = found < 0 ? rows.length : found;
  const before = Math.max(1, count - (rows.length - answer));
  const sent = firstOf(rows.slice(0, answer), before, cols);
  return [...sent, ...firstOf(rows.slice(answer), count - sent.length, cols)];
}

/** The first rows; if there are more, the last one shown ends with `…`. */
function firstOf(rows: readonly string[], count: number, cols: number): readonly string[] {
  const shown = rows.slice(0, Math.max(0, count));
  if (shown.length === rows.length) return shown;
  return shown.map((row, index) => (index < shown.length - 1 ? row : cutRow(row, cols)));
}

function cutRow(row: string, cols: number): string {
  const plain = stripVTControlCharacters(row);
  return columnsOf(plain) < cols ? `${plain}…` : truncate(plain, cols - 1);
}

/** Fills the remaining space, if it is worth it. */
function LatestExchange({ lines, room }: { readonly lines: readonly string[]; readonly room: PanelRoom }) {
  const box = useRef<DOMElement>(null);
  const [height, setHeight] = useState(0);
  // Only the layout knows how many rows are left.
  useLayoutEffect(() => {
    if (box.current !== null) setHeight(measureElement(box.current).height);
  });
  const rows = fitting(toRows(lines, room.cols), { count: Math.max(0, height - 2), cols: room.cols });
  return (
    <Box ref={box} flexDirection="column" flexGrow={1} flexBasis={0} overflow="hidden">
      {rows.length > 0 && height >= MIN_ROWS_FOR_EXCHANGE && (
        <Box flexDirection="column" flexShrink={0} paddingTop={1}>
          {heading("Latest exchange", "d shows all", room.indent + room.cols)}
          <Box paddingLeft={room.indent} flexShrink={0}>
            <Text wrap="truncate">{rows.join("\n")}</Text>
          </Box>
        </Box>
      )}
    </Box>
  );
}

/** The rows of the open page. `exchange`: the lines of the exchange on it. */
export function pageRows(state: WalkState, exchange: readonly string[], cols: number): string[] {
  const { page, link } = state;
  switch (page?.type) {
    case undefined:
      return [];
    case "help": {
      const keys = bindings({ ...state, page: null }).filter(({ shown }) => shown !== "");
      const lines = keys.map(({ shown, help }) => `${shown.padEnd(8)}${help}`);
      return toRows(lines, cols);
    }
    case "link":
      return toRows([link.url ?? link.trouble?.reason ?? "Looking for the link …"], cols);
    case "exchange":
      return toRows(exchange.length === 0 ? ["Nothing was sent yet."] : exchange, cols);
  }
}

/** Rows of a page that fit on the screen. */
export function pageHeight({ rows }: Size): number {
  return Math.max(1, rows - 1 - (rows < MIN_ROWS_FOR_TITLES ? 0 : 2));
}

function openPage(state: WalkState, rows: readonly string[], size: Size) {
  const height = pageHeight(size);
  const start = Math.min(state.page?.scroll ?? 0, Math.max(0, rows.length - height));
  const shown = rows.slice(start, start + height);
  const url = state.page?.type === "link" ? state.link.url : null;
  const aside = rows.length > height ? `rows ${start + 1}-${start + shown.length} of ${rows.length}` : "";
  return (
    <>
      {size.rows >= MIN_ROWS_FOR_TITLES && title(state, size.cols)}
      {size.rows >= MIN_ROWS_FOR_TITLES && heading(pageTitle(state), aside, size.cols)}
      <Firm>
        {url === null ? <Text wrap="truncate">{shown.join("\n")}</Text> : <Hyperlink url={url} rows={shown} />}
      </Firm>
    </>
  );
}

function pageTitle(state: WalkState): string {
  if (state.page?.type === "help") return "Keys";
  if (state.page?.type === "link") return "Open this link in a browser";
  const id = openExchange(state);
  const all = exchangeIds(state);
  return `Exchange ${id === null ? 0 : all.indexOf(id) + 1} of ${all.length}`;
}

/** As many keys as fit: the others wrap out of sight, except `?`, which shows them all. */
function footer(state: WalkState, cols: number) {
  const shown = bindings(state).filter(({ shown: key, action }) => key !== "" && action !== "interrupt");
  const isLast = ({ shown: key }: Binding) => key === "?" || (key === "q" && cols >= MIN_COLUMNS_FOR_QUIT);
  return (
    <Firm>
      <Box flexWrap="wrap" flexGrow={1} flexBasis={0} height={1} columnGap={2} overflow="hidden">
        {inOrder(shown.filter((binding) => !isLast(binding)).map((binding) => hint(binding, cols)))}
      </Box>
      <Box flexShrink={0} columnGap={2} paddingLeft={2}>
        {inOrder(shown.filter(isLast).map((binding) => hint(binding, cols)))}
      </Box>
    </Firm>
  );
}

function hint({ shown, label }: Binding, cols: number) {
  return (
    <Box>
      <Firm>{words(shown, "strong")}</Firm>
      {oneRow(` ${label}`, cols, "quiet")}
    </Box>
  );
}
