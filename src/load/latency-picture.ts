import { scaleLinear } from "d3-scale";
import type { LoadRecord } from "../journal/record.ts";
import { withCommas } from "../protocol/with-commas.ts";

const [WIDTH, HEIGHT] = [720, 284];
const plot = { left: 64, right: WIDTH - 48, top: 32, bottom: HEIGHT - 48 };
/** Failures have a separate strip below the curve. */
const STRIP = { top: HEIGHT - 38, height: 12 };

/** How wide the only slice of a short load is drawn. */
const LONE_SLICE_MS = 1000;

const drawnPercentiles = ["p50", "p95", "p99"] as const;

/** Position of a label in the chart; `y` is its baseline. */
interface PlacedText {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** The latency of a load over time, as coordinates of a chart. */
export interface LatencyPicture {
  /** Alternative text. */
  readonly title: string;
  readonly width: number;
  readonly height: number;
  /** Horizontal lines, with right-aligned labels at their left. */
  readonly levels: readonly (PlacedText & { readonly left: number; readonly right: number; readonly lineY: number })[];
  /** Each label is centred at its time. */
  readonly seconds: readonly PlacedText[];
  /** Points of an SVG polyline, and of the sample in the legend. */
  readonly curves: readonly {
    readonly name: (typeof drawnPercentiles)[number];
    readonly points: string;
    readonly sample: string;
    readonly label: PlacedText;
  }[];
  /** Bars as high as the share of failures. */
  readonly failures: readonly {
    readonly fromMs: number;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
  /** null: nothing failed. */
  readonly failuresLabel: PlacedText | null;
}

/** @returns null where nothing was due */
export function latencyPicture(curve: LoadRecord["curve"]): LatencyPicture | null {
  if (curve.length === 0) return null;
  const gaps = curve.slice(1).map(({ fromMs }, index) => fromMs - (curve[index]?.fromMs ?? 0));
  const slice = gaps.length === 0 ? LONE_SLICE_MS : Math.min(...gaps);
  const last = (curve.at(-1)?.fromMs ?? 0) + slice;
  const highest = Math.max(...curve.map(({ latency }) => latency?.p99 ?? 0), 1);
  const x = scaleLinear().domain([0, last]).range([plot.left, plot.right]);
  const y = scaleLinear().domain([0, highest]).nice(5).range([plot.bottom, plot.top]);
  const timed = curve.filter(({ latency }) => latency !== null);
  // A single point would be invisible.
  const onlyOnce = timed.length === 1 ? timed.map((point) => ({ ...point, fromMs: point.fromMs + slice })) : [];
  const failed = curve.filter((point) => point.failed > 0);
  const { left, right } = plot;
  return {
    title: "Latency in milliseconds over the seconds of the load; the table below has the numbers",
    width: WIDTH,
    height: HEIGHT,
    levels: y.ticks(5).map((ms) => ({
      ...{ left, right, lineY: tenths(y(ms)), x: left - 8, y: tenths(y(ms) + 4) },
      text: `${ms.toLocaleString("en-US")} ms`,
    })),
    seconds: x.ticks(8).map((ms) => ({ x: tenths(x(ms)), y: HEIGHT - 10, text: `${ms / 1000} s` })),
    curves: drawnPercentiles.map((name, index) => ({
      name,
      points: [...timed, ...onlyOnce]
        .map(({ fromMs, latency }) => `${tenths(x(fromMs))},${tenths(y(latency?.[name] ?? 0))}`)
        .join(" "),
      sample: `${right - 216 + index * 80},11 ${right - 190 + index * 80},11`,
      label: { x: right - 184 + index * 80, y: 15, text: name },
    })),
    failures: failed.map(({ fromMs, failed: count, count: all }) => ({
      fromMs,
      x: tenths(x(fromMs)),
      y: tenths(STRIP.top + STRIP.height * (1 - count / all)),
      width: tenths(Math.max(2, x(fromMs + slice) - x(fromMs) - 1)),
      height: tenths(STRIP.height * (count / all)),
    })),
    failuresLabel: failed.length === 0 ? null : { x: right + 6, y: STRIP.top + STRIP.height - 1, text: "failed" },
  };
}

/** Enough precision for a drawing, and a small file. */
function tenths(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** The numbers of the chart, and of the whole load. */
export interface LatencyNumbers {
  readonly head: readonly string[];
  /** The first cell of each row is its start; the last row is the whole load. */
  readonly rows: readonly (readonly [from: string, ...numbers: string[]])[];
}

export function latencyNumbers({ curve, latency }: Pick<LoadRecord, "curve" | "latency">): LatencyNumbers {
  const measured = [...drawnPercentiles, "max"] as const;
  const row = (from: string, numbers: Omit<(typeof curve)[number], "fromMs">): [string, ...string[]] => [
    from,
    withCommas(numbers.count),
    withCommas(numbers.failed),
    ...measured.map((name) =>
      numbers.latency === null ? "–" : `${Number(numbers.latency[name].toPrecision(3)).toLocaleString("en-US")} ms`,
    ),
  ];
  const sumOf = (name: "count" | "failed") => curve.reduce((sum, point) => sum + point[name], 0);
  return {
    head: ["From", "Deliveries", "Failed", ...measured],
    rows: [
      ...curve.map(({ fromMs, ...numbers }) => row(`${fromMs / 1000} s`, numbers)),
      row("total", { count: sumOf("count"), failed: sumOf("failed"), latency }),
    ],
  };
}
