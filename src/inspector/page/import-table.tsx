import { type ReactNode, useState } from "react";
import { directionOf } from "../../output/text-direction.ts";
import { differingParts } from "../../output/word-diff.ts";
import {
  isChangedString,
  isNoted,
  isUnchangedText,
  type StringsTable,
  type TableString,
  type TableText,
} from "../../post-import/rules/table-strings.ts";
import { harmless } from "../../protocol/harmless.ts";
import type { RowView } from "../view.ts";
import { Toned } from "./parts.tsx";
import { RowLinks } from "./row-links.tsx";
import type { Server } from "./server.ts";
import { useExchanges } from "./use-exchanges.ts";
import { WordDiffSide } from "./word-diff-side.tsx";

const MOST_SHOWN = 500;

type Shown = "all" | "changed" | "hidden" | "warnings";

const filters: readonly Shown[] = ["all", "changed", "hidden", "warnings"];

const isOf: Readonly<Record<Shown, (string: TableString) => boolean>> = {
  all: () => true,
  changed: isChangedString,
  hidden: ({ isHidden }) => isHidden,
  warnings: isNoted,
};

interface ImportTableProps {
  readonly server: Server;
  readonly rows: readonly RowView[];
  readonly onOpen: (id: string) => void;
}

/** An import as a table of its strings: what was sent, and the module's changes, word by word. */
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
        const strings = views.get(id)?.strings ?? null;
        if (strings === null) return null;
        return typeof strings === "string" ? <p key={id}>No table: {strings}.</p> : <Strings key={id} view={strings} />;
      })}
    </>
  );
}

function Strings({ view: { languages, strings, isCut } }: { view: StringsTable }): ReactNode {
  const [chosen, choose] = useState<Shown>("all");
  const shown = strings.filter(isOf[chosen]);
  return (
    <>
      <fieldset className="choices" aria-label="which strings are shown">
        {filters.map((each) => (
          <button key={each} type="button" aria-pressed={each === chosen} onClick={() => choose(each)}>
            {each} {strings.filter(isOf[each]).length}
          </button>
        ))}
      </fieldset>
      {isCut ? <p className="quiet">The journal kept only the beginning of the strings, which is shown here.</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <section className="scrolled" tabIndex={0} aria-label="strings">
        <table className="strings">
          <thead>
            <tr>
              <th scope="col">Key</th>
              {languages.map((language, index) => (
                <th key={language} scope="col">
                  {harmless(language)}
                  {index === 0 ? " (source)" : ""}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, MOST_SHOWN).map((string) => (
              <StringRow key={`${string.id} ${string.category}`} string={string} languages={languages} />
            ))}
          </tbody>
        </table>
      </section>
      {shown.length > MOST_SHOWN ? <p className="quiet">and {shown.length - MOST_SHOWN} more</p> : null}
    </>
  );
}

function StringRow({
  string: { identifier, category, texts, notes, isHidden, isRemoved },
  languages,
}: {
  string: TableString;
  languages: readonly string[];
}): ReactNode {
  return (
    <tr>
      <th scope="row">
        <code>{harmless(identifier)}</code>
        {category === null ? null : <span className="quiet"> {harmless(category)}</span>}
        {isHidden ? <Toned tone="caution">hidden</Toned> : null}
        {isRemoved ? <Toned tone="bad">did not come back</Toned> : null}
        <Notes notes={notes} />
      </th>
      {languages.map((language, index) => (
        <TextCell key={language} text={texts[index] ?? null} language={language} isRemoved={isRemoved} />
      ))}
    </tr>
  );
}

/** What was sent, and below it what came back, if different. */
function TextCell({
  text,
  language,
  isRemoved,
}: {
  text: TableText | null;
  language: string;
  isRemoved: boolean;
}): ReactNode {
  if (text === null) return <td className="quiet">–</td>;
  const { before, after, notes } = text;
  const parts = differingParts(before, after);
  const isSame = isUnchangedText(text, { isRemoved });
  const { lang, dir } = directionOf(language);
  return (
    <td>
      {before === null ? null : (
        <p className={isSame ? "" : "sent"} lang={lang} dir={dir}>
          <WordDiffSide side="before" whole={before} parts={parts} />
        </p>
      )}
      {isSame ? null : after === null ? (
        notes.length > 0 ? null : (
          <p className="quiet">did not come back</p>
        )
      ) : (
        <p className="came" lang={lang} dir={dir}>
          <WordDiffSide side="after" whole={after} parts={parts} />
        </p>
      )}
      <Notes notes={notes} />
    </td>
  );
}

function Notes({ notes }: { notes: readonly string[] }): ReactNode {
  return notes.map((note) => (
    <Toned key={note} tone="caution">
      {harmless(note)}
    </Toned>
  ));
}
