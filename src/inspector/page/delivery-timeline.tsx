import type { ReactNode } from "react";
import type { RowView } from "../view.ts";
import { countWords, Toned } from "./parts.tsx";

/** Of a long run, only the first deliveries are drawn; the list has them all. */
const MOST_DRAWN = 200;

/** A run of deliveries on a time axis: a line for each delivery, a bar for each attempt. */
export function DeliveryTimeline({
  rows,
  onOpen,
}: {
  rows: readonly RowView[];
  onOpen: (id: string) => void;
}): ReactNode {
  const attempts = rows.filter(({ isExchange }) => isExchange);
  const starts = attempts.map(({ at }) => Date.parse(at));
  const start = Math.min(...starts);
  const end = Math.max(...attempts.map(({ ms }, index) => (starts[index] ?? 0) + (ms ?? 0)), start + 1);
  const deliveries = new Map<string, RowView[]>();
  for (const row of attempts) {
    const id = row.attempt?.id ?? row.id;
    deliveries.set(id, [...(deliveries.get(id) ?? []), row]);
  }
  const percent = (ms: number) => `${Math.round((ms / (end - start)) * 10_000) / 100}%`;
  return (
    <>
      <p className="quiet">
        {deliveries.size === 1 ? "1 delivery" : `${deliveries.size} deliveries`},{" "}
        {countWords(attempts.length, "request")},{" "}
        {end - start < 2000 ? `${Math.round(end - start)} ms` : `${((end - start) / 1000).toFixed(1)} s`} in all
      </p>
      <ol className="timeline">
        {[...deliveries].slice(0, MOST_DRAWN).map(([id, own]) => (
          <li key={id}>
            <span className="timeline-name">
              <code>{id}</code> <Toned tone={own.at(-1)?.tone ?? "plain"}>{own.at(-1)?.result}</Toned>
            </span>
            <span className="timeline-axis">
              {own.map((row, index) => (
                <button
                  key={row.id}
                  type="button"
                  className={`bar-of is-${row.tone}`}
                  style={{ left: percent(Date.parse(row.at) - start), width: percent(row.ms ?? 0) }}
                  aria-label={`attempt ${row.attempt?.attempt ?? index + 1} at ${id}: ${row.result} in ${row.ms} ms`}
                  title={`${row.result} in ${row.ms} ms`}
                  onClick={() => onOpen(row.id)}
                />
              ))}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
