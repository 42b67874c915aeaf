import { fold, indent, table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, markOf, plural, reasonText } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { LatencySummary } from "../webhook/latencies.ts";
import type { LoadError, LoadExpectation, LoadExportResult, LoadResult } from "./load-result.ts";
import { actualText } from "./rules/judge-load.ts";

/** A load as lines: the plan, what happened, how long it took, what went wrong, and the verdict. */
export function loadText(result: LoadResult, paint: Paint): string[] {
  const { sent, notSent, errors, expectations, choices } = result;
  const happened = [...countLines(result, paint), "", ...latencyLines(result, paint)];
  // If the load did not start, its plan is irrelevant.
  const asked = fold([{ text: askedText(result), paint: paint.strong }], paint.width, 2);
  return [
    ...(sent + notSent === 0 ? [] : [...asked, ...indent(happened, 2)]),
    ...errors.flatMap((error) => errorLines(error, paint)),
    ...expectations.flatMap((expectation) => expectationLines(expectation, paint)),
    ...(errors.length + expectations.length === 0 ? [] : [""]),
    ...verdict(result, paint),
    ...choicesLine(choices, paint),
  ];
}

/** What was written, and how to continue. */
export function loadExportText({ outcome, reason, hint, directory, files, choices }: LoadExportResult, paint: Paint) {
  if (outcome === "failed") return failedLines(reason, hint, paint);
  const place = harmlessLine(directory);
  return [
    paint.good(`Written to ${place}: ${files.join(", ")}`),
    `${place}/README.md says how to run it; nothing was sent`,
    ...choicesLine(choices, paint),
  ];
}

function askedText({ asked, seed }: LoadResult): string {
  const { rate, concurrency, durationMs, count, batch } = asked;
  const how = rate === null ? `from ${plural(concurrency ?? 0, "sender")}` : `${number(rate)} a second`;
  const until = durationMs === null ? deliveries(count ?? 0) : `for ${number(durationMs / 1000)} s`;
  return `Load ${how}, ${until}, ${plural(batch, "event")} each (seed ${seed})`;
}

function countLines({ asked, ...result }: LoadResult, paint: Paint): string[] {
  const { sent, notSent, acknowledged, failed, events, bytes, seconds, rate } = result;
  const missing = notSent === 0 ? "" : `, ${number(notSent)} never sent`;
  const wrong = failed === 0 ? "" : `, ${number(failed)} not`;
  const ofAsked = asked.rate === null ? "" : ` of ${number(asked.rate)} requested`;
  const sentText = `${deliveries(sent)} sent in ${number(seconds)} s, ${number(rate)} a second${ofAsked}${missing}`;
  const text = `${number(acknowledged)} acknowledged${wrong}; ${plural(events, "event")}, ${plural(bytes, "byte")}`;
  return [sentText, text].flatMap((line) => fold(line, paint.width - 2, 2));
}

const columns = ["min", "mean", "p50", "p90", "p95", "p99", "p999", "max"] as const satisfies (keyof LatencySummary)[];

/** A right-aligned table, transposed if the terminal is too narrow; empty if nothing was answered. */
function latencyLines({ asked, latency, serviceTime }: LoadResult, paint: Paint): string[] {
  if (latency === null) return [];
  const isOpen = asked.mode === "open";
  const rows = [
    ["ms", ...columns.map((column) => (column === "p999" ? "p99.9" : column))],
    ...rowOf(isOpen ? "from when due" : "latency", latency),
    ...rowOf("from when sent", isOpen ? serviceTime : null),
  ];
  const lines = table(rows, { hasNumbers: true });
  const isTooWide = lines.some((line) => line.length > paint.width - 2);
  return [...(isTooWide ? table(turned(rows), { hasNumbers: true }) : lines), ""];
}

function turned(rows: readonly (readonly string[])[]): string[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
}

function rowOf(name: string, summary: LatencySummary | null): string[][] {
  return summary === null ? [] : [[name, ...columns.map((column) => number(summary[column]))]];
}

function errorLines({ kind, count, status, reason, hint, exchange }: LoadError, paint: Paint): string[] {
  const head = `${markOf("denied", paint)} ${number(count)} × ${kind}${status === null ? "" : ` ${status}`}`;
  const why = `${reasonText(reason ?? "")}${exchange === null ? "" : ` (the first: app-sim log ${exchange})`}`;
  return [
    head,
    ...indent(fold(why, paint.width - 4), 4),
    ...(hint === null ? [] : indent(fold(`hint: ${reasonText(hint)}`, paint.width - 4, 2), 4)),
  ];
}

function expectationLines({ text, actual, met }: LoadExpectation, paint: Paint): string[] {
  const [first = "", ...rest] = fold(`${text}: ${actualText(actual)}`, paint.width - 2);
  return [`${markOf(met ? "passed" : "denied", paint)} ${first}`, ...indent(rest, 2)];
}

function verdict({ outcome, reason, hint, failure, acknowledged, errors }: LoadResult, paint: Paint): string[] {
  if (outcome === "ok") return [paint.good(`Held: ${deliveries(acknowledged)} acknowledged`)];
  if (failure === "interrupted") return [paint.bad("Interrupted before the end")];
  // The hint is shown with its error.
  return failedLines(reason, errors.some((error) => error.hint === hint) ? null : hint, paint);
}

function failedLines(reason: string | null, hint: string | null, paint: Paint): string[] {
  const hints = hint === null ? [] : fold(`hint: ${reasonText(hint)}`, paint.width, 2);
  return [...fold([{ text: `Failed: ${reasonText(reason ?? "")}`, paint: paint.bad }], paint.width, 2), ...hints];
}

function deliveries(count: number): string {
  return `${number(count)} ${count === 1 ? "delivery" : "deliveries"}`;
}

/** Three figures at least, and no more of a fraction than matters. */
function number(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2 });
}
