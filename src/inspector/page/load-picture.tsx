import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import type { ReactNode } from "react";
import type { GroupView, RowView } from "../view.ts";
import { RowLinks } from "./row-links.tsx";

type Load = NonNullable<GroupView["load"]>;
type Point = Load["curve"][number];

const percentiles = ["p50", "p95", "p99"] as const;

const [WIDTH, HEIGHT] = [720, 300];
const plot = { left: 64, right: WIDTH - 48, top: 32, bottom: HEIGHT - 64 };
/** Failures have a strip of their own below the curve. */
const STRIP = { top: HEIGHT - 54, height: 12 };

interface LoadPictureProps {
  readonly load: GroupView["load"];
  readonly rows: readonly RowView[];
  readonly onOpen: (id: string) => void;
}

/** A load test: its latency over time, and examples of what failed. */
export function LoadPicture({ load, rows, onOpen }: LoadPictureProps): ReactNode {
  const examples = rows.filter(({ isExchange }) => isExchange);
  return (
    <>
      {load === null || load.curve.length === 0 ? null : <LatencyCurves {...load} />}
      {examples.length === 0 ? null : <RowLinks rows={examples} onOpen={onOpen} />}
    </>
  );
}

function LatencyCurves({ curve, latency }: Load): ReactNode {
  const width = Math.min(...curve.slice(1).map(({ fromMs }, index) => fromMs - (curve[index]?.fromMs ?? 0)), 60_000);
  const last = (curve.at(-1)?.fromMs ?? 0) + (Number.isFinite(width) ? width : 1000);
  const highest = Math.max(...curve.map((point) => point.latency?.p99 ?? 0), 1);
  const x = scaleLinear().domain([0, last]).range([plot.left, plot.right]);
  const y = scaleLinear().domain([0, highest]).nice(5).range([plot.bottom, plot.top]);
  const times = curve.filter(({ latency: known }) => known !== null);
  const pathOf = (name: (typeof percentiles)[number]) =>
    line<Point>(
      ({ fromMs }) => x(fromMs),
      (point) => y(point.latency?.[name] ?? 0),
    )(times) ?? "";
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <section className="diagram" tabIndex={0} aria-label="latency over time">
        <svg className="curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
          <title>Latency in milliseconds over the seconds of the load; the table below has the numbers</title>
          {y.ticks(5).map((ms) => (
            <g key={ms}>
              <line className="lane" x1={plot.left} x2={plot.right} y1={y(ms)} y2={y(ms)} />
              <text x={plot.left - 8} y={y(ms) + 4} textAnchor="end">
                {ms.toLocaleString("en-US")} ms
              </text>
            </g>
          ))}
          {x.ticks(8).map((ms) => (
            <text key={ms} x={x(ms)} y={HEIGHT - 26} textAnchor="middle">
              {ms / 1000} s
            </text>
          ))}
          {percentiles.map((name, index) => (
            <g key={name} className={`curve-${name}`}>
              <path d={pathOf(name)} />
              <path d={`M${plot.right - 216 + index * 80} 11h26`} />
              <text x={plot.right - 184 + index * 80} y={15}>
                {name}
              </text>
            </g>
          ))}
          {curve.map(({ fromMs, failed, count }) =>
            failed === 0 ? null : (
              <rect
                key={fromMs}
                className="failures"
                x={x(fromMs)}
                y={STRIP.top + STRIP.height * (1 - failed / count)}
                width={Math.max(2, x(fromMs + width) - x(fromMs) - 1)}
                height={STRIP.height * (failed / count)}
              />
            ),
          )}
          {curve.every(({ failed }) => failed === 0) ? null : (
            <text x={plot.right + 6} y={STRIP.top + STRIP.height - 1}>
              failed
            </text>
          )}
        </svg>
      </section>
      <LoadTable curve={curve} latency={latency} />
    </>
  );
}

function LoadTable({ curve, latency }: Load): ReactNode {
  return (
    <details>
      <summary>The numbers</summary>
      <table>
        <thead>
          <tr>
            {["From", "Deliveries", "Failed", ...percentiles, "max"].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {curve.map(({ fromMs, count, failed, latency: known }) => (
            <tr key={fromMs}>
              <th scope="row">{fromMs / 1000} s</th>
              <td>{count.toLocaleString("en-US")}</td>
              <td>{failed.toLocaleString("en-US")}</td>
              <Milliseconds latency={known} />
            </tr>
          ))}
          <tr>
            <th scope="row">in all</th>
            <td>{curve.reduce((sum, { count }) => sum + count, 0).toLocaleString("en-US")}</td>
            <td>{curve.reduce((sum, { failed }) => sum + failed, 0).toLocaleString("en-US")}</td>
            <Milliseconds latency={latency} />
          </tr>
        </tbody>
      </table>
    </details>
  );
}

function Milliseconds({ latency }: { latency: Point["latency"] }): ReactNode {
  return ([...percentiles, "max"] as const).map((name) => (
    <td key={name}>{latency === null ? "–" : `${Number(latency[name].toPrecision(3)).toLocaleString("en-US")} ms`}</td>
  ));
}
