import type { ReactNode } from "react";
import type { RowView } from "../view.ts";

const lanes = ["user", "app", "platform"] as const;
type Lane = (typeof lanes)[number];

/** Who calls whom (interface 4.1, 5.2 to 5.4); a `visit` is a user's browser at the app. */
const sides: Readonly<Record<string, readonly [from: Lane, to: Lane]>> = {
  visit: ["user", "app"],
  authorize: ["user", "platform"],
  consent: ["user", "platform"],
  token: ["app", "platform"],
  revoke: ["app", "platform"],
  introspect: ["app", "platform"],
  api: ["app", "platform"],
};

const WIDTH = 720;
const STEP = 58;
const HEAD = 44;
const laneX = (lane: Lane) => 90 + lanes.indexOf(lane) * 270;
const LABEL_CHARACTERS = 46;

/** An OAuth flow: user, app and platform, and who called whom for what; every arrow links to its exchange. */
export function SequenceDiagram({
  rows,
  onOpen,
}: {
  rows: readonly RowView[];
  onOpen: (id: string) => void;
}): ReactNode {
  const steps = rows.filter(({ isExchange, kind }) => isExchange && Object.hasOwn(sides, kind));
  const height = HEAD + steps.length * STEP + 20;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
    <section className="diagram" tabIndex={0} aria-label="sequence diagram">
      <svg viewBox={`0 0 ${WIDTH} ${height}`} width={WIDTH} height={height}>
        <title>User, app and platform</title>
        {lanes.map((lane) => (
          <g key={lane}>
            <line className="lane" x1={laneX(lane)} x2={laneX(lane)} y1={HEAD - 8} y2={height} />
            <text className="lane-name" x={laneX(lane)} y={24} textAnchor="middle">
              {lane}
            </text>
          </g>
        ))}
        {steps.map((row, index) => (
          <Arrow key={row.id} row={row} top={HEAD + index * STEP} onOpen={onOpen} />
        ))}
      </svg>
    </section>
  );
}

function Arrow({ row, top, onOpen }: { row: RowView; top: number; onOpen: (id: string) => void }): ReactNode {
  const [from, to] = sides[row.kind] ?? ["user", "app"];
  const [start, end] = [laneX(from), laneX(to)];
  const path = row.what.replace(/\?.*$/, "");
  const label = path.length > LABEL_CHARACTERS ? `${path.slice(0, LABEL_CHARACTERS - 1)}…` : path;
  const open = () => onOpen(row.id);
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG image cannot contain a button
    <g
      role="button"
      tabIndex={0}
      className="arrow"
      aria-description={`${from} asks ${to}`}
      onClick={open}
      onKeyDown={({ key }) => {
        if (key === "Enter") open();
      }}
    >
      <rect
        className="hit"
        x={Math.min(start, end) - 6}
        y={top}
        width={Math.abs(end - start) + 12}
        height={STEP - 4}
        rx={6}
      />
      <text x={(start + end) / 2} y={top + 16} textAnchor="middle">
        {row.kind} <tspan className="mono">{label}</tspan>
      </text>
      <path className="there" d={`M${start} ${top + 24}H${end - 8}`} />
      <path className="head" d={`M${end - 9} ${top + 19}l9 5l-9 5z`} />
      <path className={`back is-${row.tone}`} d={`M${end} ${top + 38}H${start + 8}`} />
      <path className={`head is-${row.tone}`} d={`M${start + 9} ${top + 33}l-9 5l9 5z`} />
      <text className={`answer is-${row.tone}`} x={(start + end) / 2} y={top + 51} textAnchor="middle">
        {" "}
        {row.result}
        {row.ms === null ? "" : ` in ${row.ms} ms`}
      </text>
    </g>
  );
}
