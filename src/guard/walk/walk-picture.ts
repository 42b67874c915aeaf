import { blocksHeight, paragraph, stack } from "./walk-blocks.ts";
import { type Binding, bindings } from "./walk-keys.ts";
import { type Moment, type Panel, panelOf } from "./walk-panel.ts";
import { stageRows } from "./walk-stages.ts";
import { exchangesOf, shownExchange, type WalkState } from "./walk-state.ts";
import { blank, cut, ends, type Row, row, rowWidth, type Span, span } from "./walk-text.ts";

/** Room to draw in, in columns and rows. */
export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Fewer columns than this are treated as so many: what is more than there are is not seen. */
const COLUMNS = 20;
/** In fewer rows than this there is neither a title nor a line that parts the stages from the rest. */
const ROWS_FOR_TITLES = 7;
/** So much of a title is worth more than what it ends in. */
const LETTERS_OF_TITLE = 8;

/**
 * The whole picture: exactly as many rows as there are, none wider than they are.
 * @param exchange the rows of the exchange that is shown, if one is
 */
export function picture(state: WalkState, moment: Moment, exchange: readonly Row[], size: Size): Row[] {
  const cols = Math.max(COLUMNS, size.cols);
  const above = Math.max(0, size.rows - 1);
  const rows = body(state, moment, exchange, cols, above).slice(0, above);
  const filled = [...rows, ...Array.from({ length: above - rows.length }, () => blank)];
  return [...filled, footer(bindings(state), cols)].map((each) => cut(each, cols));
}

/** Rows of an exchange that are seen at once. */
export function exchangeHeight({ rows }: Size): number {
  return Math.max(1, rows - 1 - (rows < ROWS_FOR_TITLES ? 1 : 2));
}

function body(state: WalkState, moment: Moment, exchange: readonly Row[], cols: number, limit: number): Row[] {
  if (state.cover?.type === "help") return helpRows(state, cols, limit);
  if (state.cover?.type === "exchange") return exchangeBody(state, state.cover.scroll, exchange, cols, limit);
  const inner = cols < 60 ? { indent: "", cols } : { indent: "  ", cols: cols - 2 };
  const panel = panelOf(state, moment, inner.cols);
  const hasTitles = limit + 1 >= ROWS_FOR_TITLES;
  const title = hasTitles ? [titleRow(state, cols)] : [];
  const heading = hasTitles || state.login === null ? [rule(panel, cols)] : [];
  const room = limit - title.length - heading.length;
  const wanted = blocksHeight(panel.blocks);
  const stages = stagesWithin(state, cols, room, wanted);
  const shown = stack(panel.blocks, room - stages.length, inner.cols).map((each) => indented(each, inner.indent));
  // Where there is room, the parts stand apart from each other.
  const spare = room - stages.length - shown.length;
  const gap = spare >= 4 ? [blank] : [];
  return [...title, ...gap, ...stages, ...gap, ...heading, ...gap, ...shown];
}

/** The stages in what the panel leaves, but so that some of them are always seen. */
function stagesWithin(state: WalkState, cols: number, room: number, wanted: number): Row[] {
  if (state.login === null) return [];
  const least = room >= 8 ? 5 : room >= 5 ? 3 : 1;
  return stageRows(state, state.login, cols, Math.max(least, room - wanted));
}

function titleRow({ login, round }: WalkState, cols: number): Row {
  const which = round > 1 ? [`login ${round}`] : [];
  if (login === null) return ends(row(span("Login", "strong")), row(span(which.join(""), "quiet")), cols);
  const { user, ipAddress, domain } = login;
  const who = row(span(`Login as ${user.login}`, "strong"), ` (${user.role}, user ${user.id}) from ${ipAddress}`);
  return ends(who, row(span([...which, domain].join(" · "), "quiet")), cols);
}

function rule({ title, state, tone, aside }: Panel, cols: number): Row {
  const right = aside === "" ? [] : [span(` ${aside} `), span("──", "quiet")];
  const room = Math.max(1, cols - rowWidth(row("──  ", ...right)));
  // In a narrow window it is left to the list of the stages to tell the state.
  const end = rowWidth(row(state)) + LETTERS_OF_TITLE > room ? row() : row(span(state, tone));
  const name = cut(row(span(title, tone)), room - rowWidth(end));
  const line = "─".repeat(Math.max(0, room - rowWidth(name) - rowWidth(end)));
  const spans = [span("── ", "quiet"), ...name.spans, ...end.spans, span(` ${line}`, "quiet"), ...right];
  return { spans, spoken: `${title}${state} ${aside}`.trim() };
}

function indented(each: Row, indent: string): Row {
  return indent === "" || each.spans.length === 0 ? each : { ...each, spans: [span(indent), ...each.spans] };
}

function exchangeBody(state: WalkState, scroll: number, rows: readonly Row[], cols: number, limit: number): Row[] {
  const id = shownExchange(state);
  const all = exchangesOf(state);
  const seen = exchangeHeight({ cols, rows: limit + 1 });
  const start = Math.min(scroll, Math.max(0, rows.length - seen));
  const place = `Exchange ${id === null ? 0 : all.indexOf(id) + 1} of ${all.length}`;
  const lines = `rows ${start + 1}-${Math.min(rows.length, start + seen)} of ${rows.length}`;
  const panel: Panel = { title: place, state: "", tone: "strong", aside: lines, blocks: [] };
  const title = limit + 1 < ROWS_FOR_TITLES ? [] : [titleRow(state, cols)];
  const content = rows.length === 0 ? paragraph("Nothing was sent yet.", cols).rows : rows.slice(start, start + seen);
  return [...title, rule(panel, cols), ...content];
}

function helpRows(state: WalkState, cols: number, limit: number): Row[] {
  const shown = bindings({ ...state, cover: null }).filter(({ shown: key }) => key !== "");
  const lines = shown.map(({ shown: key, label }) => row(span(key.padEnd(8), "strong"), label));
  const panel: Panel = { title: "Keys", state: "", tone: "strong", aside: "", blocks: [] };
  return [rule(panel, cols), ...lines].slice(0, limit);
}

/** As many of the keys as there is room for, and how to see the others. */
function footer(all: readonly Binding[], cols: number): Row {
  const shown = all.filter(({ shown: key, action }) => key !== "" && action !== "help" && action !== "interrupt");
  const whole = keyHints(shown);
  if (rowWidth(whole) <= cols) return whole;
  const help = all.filter(({ action }) => action === "help");
  for (let count = shown.length - 1; count > 0; count--) {
    const hints = keyHints([...shown.slice(0, count), ...help]);
    if (rowWidth(hints) <= cols) return hints;
  }
  const rest = keyHints(help).spans;
  if (rest.length === 0) return whole;
  const end = [span("   "), ...rest];
  return { spans: [...cut(whole, cols - rowWidth({ spans: end })).spans, ...end] };
}

function keyHints(shown: readonly Binding[]): Row {
  const spans = shown.flatMap(({ shown: key, label }, index): Span[] => [
    ...(index === 0 ? [] : [span("   ")]),
    span(key, "strong"),
    span(` ${label}`, "quiet"),
  ]);
  return { spans };
}
