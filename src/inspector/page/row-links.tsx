import type { ReactNode } from "react";
import type { RowView } from "../view.ts";
import { Toned, timeText } from "./parts.tsx";

interface RowLinksProps {
  readonly rows: readonly RowView[];
  /** Id of the one that is already shown. */
  readonly own?: string;
  readonly onOpen: (id: string) => void;
}

/** Rows as a list of links. */
export function RowLinks({ rows, own, onOpen }: RowLinksProps): ReactNode {
  return (
    <ol className="siblings">
      {rows.map((row) => (
        <li key={row.id} aria-current={row.id === own ? "true" : undefined}>
          <span className="quiet">{timeText(row.at)}</span> <Toned tone={row.tone}>{row.result}</Toned>{" "}
          {row.isExchange && row.id !== own ? (
            <button type="button" className="link" onClick={() => onOpen(row.id)}>
              {row.kind} {row.what}
            </button>
          ) : (
            <span>
              {row.kind} {row.what}
            </span>
          )}
          {row.note === null ? null : <span className="quiet"> {row.note}</span>}
        </li>
      ))}
    </ol>
  );
}
