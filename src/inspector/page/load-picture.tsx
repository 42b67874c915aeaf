import type { ReactNode } from "react";
import { latencyNumbers, latencyPicture } from "../../load/latency-picture.ts";
import type { GroupView, RowView } from "../view.ts";
import { RowLinks } from "./row-links.tsx";

type Load = NonNullable<GroupView["load"]>;

interface LoadPictureProps {
  readonly load: GroupView["load"];
  readonly rows: readonly RowView[];
  readonly onOpen: (id: string) => void;
}

/** A load test: its latency over time, and examples of failures. */
export function LoadPicture({ load, rows, onOpen }: LoadPictureProps): ReactNode {
  const examples = rows.filter(({ isExchange }) => isExchange);
  return (
    <>
      {load === null ? null : <LatencyCurves {...load} />}
      {examples.length === 0 ? null : <RowLinks rows={examples} onOpen={onOpen} />}
    </>
  );
}

function LatencyCurves(load: Load): ReactNode {
  const picture = latencyPicture(load.curve);
  if (picture === null) return null;
  const { width, height, levels, seconds, curves, failures, failuresLabel } = picture;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <section className="diagram" tabIndex={0} aria-label="latency over time">
        <svg className="curve" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img">
          <title>{picture.title}</title>
          {levels.map(({ text, x, y, left, right, lineY }) => (
            <g key={text}>
              <line className="lane" x1={left} x2={right} y1={lineY} y2={lineY} />
              <text x={x} y={y} textAnchor="end">
                {text}
              </text>
            </g>
          ))}
          {seconds.map(({ text, x, y }) => (
            <text key={text} x={x} y={y} textAnchor="middle">
              {text}
            </text>
          ))}
          {curves.map(({ name, points, sample, label }) => (
            <g key={name} className={`curve-${name}`}>
              <polyline points={points} />
              <polyline points={sample} />
              <text x={label.x} y={label.y}>
                {label.text}
              </text>
            </g>
          ))}
          {failures.map(({ fromMs, ...box }) => (
            <rect key={fromMs} className="failures" {...box} />
          ))}
          {failuresLabel === null ? null : (
            <text x={failuresLabel.x} y={failuresLabel.y}>
              {failuresLabel.text}
            </text>
          )}
        </svg>
      </section>
      <LoadTable {...load} />
    </>
  );
}

function LoadTable(load: Load): ReactNode {
  const { head, rows } = latencyNumbers(load);
  return (
    <details>
      <summary>The numbers</summary>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([from, ...numbers]) => (
            <tr key={from}>
              <th scope="row">{from}</th>
              {numbers.map((number, index) => (
                <td key={head[index + 1]}>{number}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
