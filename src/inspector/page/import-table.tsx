import { type ReactNode, useState } from "react";
import { harmless } from "../../protocol/harmless.ts";
import type { RowView } from "../view.ts";
import { type StringLine, stringLines } from "./import-strings.ts";
import { Toned } from "./parts.tsx";
import { RowLinks } from "./row-links.tsx";
import type { Server } from "./server.ts";
import { useExchanges } from "./use-exchanges.ts";
import { differingParts, WordDiffSide } from "./word-diff-side.tsx";

const MOST_SHOWN = 500;

type Shown = "all" | "changed" | "hidden" | "warnings";

const isOf: Readonly<Record<Shown, (line: StringLine) => boolean>> = {
  all: () => true,
  changed: ({ before, after }) => before !== after,
  hidden: ({ isHidden }) => isHidden,
  warnings: ({ lost, after }) => lost.length > 0 || after === null,
};

interface ImportTableProps {
  readonly server: Server;
  readonly rows: readonly RowView[];
  readonly onOpen: (id: string) => void;
}

/** An import as the table of its strings: what was sent, and what the module made of it, word by word. */
export function ImportTable({ server, rows, onOpen }: ImportTableProps): ReactNode {
  const jobs = rows.filter(({ kind }) => kind === "post-import");
  const views = useExchanges(
    server,
    jobs.map(({ id }) => id),
  );
  return (
    <>
      <RowLinks rows={rows} onOpen={onOpen} />
      {jobs.map(({ id }) => {
        const view = views.get(id);
        const lines = view === undefined ? null : stringLines(view);
        if (lines === null) return null;
        return typeof lines === "string" ? <p key={id}>No table: {lines}.</p> : <Strings key={id} lines={lines} />;
      })}
    </>
  );
}

function Strings({ lines }: { lines: readonly StringLine[] }): ReactNode {
  const counts = (shown: Shown) => lines.filter(isOf[shown]).length;
  const [chosen, choose] = useState<Shown>("all");
  const filters: readonly Shown[] = ["all", "changed", "hidden", "warnings"];
  const shown = lines.filter(isOf[chosen]);
  return (
    <>
      <fieldset className="choices" aria-label="which strings are shown">
        {filters.map((each) => (
          <button key={each} type="button" aria-pressed={each === chosen} onClick={() => choose(each)}>
            {each} {counts(each)}
          </button>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <section className="scrolled" tabIndex={0} aria-label="strings">
        <table className="strings">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Language</th>
              <th scope="col">Sent</th>
              <th scope="col">Came back</th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, MOST_SHOWN).map((line) => (
              <StringRow key={`${line.id} ${line.language}`} line={line} />
            ))}
          </tbody>
        </table>
      </section>
      {shown.length > MOST_SHOWN ? <p className="quiet">and {shown.length - MOST_SHOWN} more</p> : null}
    </>
  );
}

function StringRow({ line: { identifier, language, before, after, isHidden, lost } }: { line: StringLine }): ReactNode {
  const parts = differingParts(before, after);
  const side = (which: "before" | "after", whole: string | null) =>
    whole === null ? (
      <span className="quiet">not there</span>
    ) : (
      <WordDiffSide side={which} whole={whole} parts={parts} />
    );
  return (
    <tr>
      <th scope="row">
        <code>{harmless(identifier)}</code>
        {isHidden ? <Toned tone="caution">hidden</Toned> : null}
        {lost.length === 0 ? null : <Toned tone="bad">lost {lost.map(harmless).join(" ")}</Toned>}
      </th>
      <td>{language}</td>
      {/* A text in a right-to-left language begins at the right. */}
      <td dir="auto">{side("before", before)}</td>
      <td dir="auto">{side("after", after)}</td>
    </tr>
  );
}
