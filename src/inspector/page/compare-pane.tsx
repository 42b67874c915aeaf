import type { ReactNode } from "react";
import { differingParts } from "../../output/word-diff.ts";
import { harmless } from "../../protocol/harmless.ts";
import type { ExchangeView, MessageView, RowView } from "../view.ts";
import { useExchange } from "./exchange-pane.tsx";
import { indentedJson, readJsonText } from "./json-text.ts";
import { Toned } from "./parts.tsx";
import type { Server } from "./server.ts";
import { WordDiffSide } from "./word-diff-side.tsx";

/** How much of longer bodies is compared. */
const COMPARED_CHARACTERS = 50_000;

interface ComparePaneProps {
  readonly server: Server;
  readonly left: string;
  readonly right: string;
  readonly rowOf: (id: string) => RowView | null;
  readonly onOpen: (id: string) => void;
  readonly onSwap: () => void;
  readonly onClose: () => void;
}

/** Two exchanges side by side, with the differences marked. */
export function ComparePane({ server, left, right, rowOf, onOpen, onSwap, onClose }: ComparePaneProps): ReactNode {
  const [a, b] = [useExchange(server, left, rowOf(left)), useExchange(server, right, rowOf(right))];
  return (
    <article className="pane" aria-label="comparison" aria-busy={a === null || b === null}>
      <div className="pane-head">
        <h2>Compared</h2>
        <span className="buttons">
          <button type="button" className="plain" onClick={onSwap}>
            Swap
          </button>
          <button type="button" className="plain close" onClick={onClose}>
            Close
          </button>
        </span>
      </div>
      {[a, b].map((each) =>
        each instanceof Error ? (
          <p key={each.message} className="reason">
            {each.message}
          </p>
        ) : null,
      )}
      {a === null || b === null || a instanceof Error || b instanceof Error ? null : (
        <Compared a={a} b={b} onOpen={onOpen} />
      )}
    </article>
  );
}

interface Line {
  readonly name: string;
  /** null: it is missing on this side. */
  readonly before: string | null;
  readonly after: string | null;
}

function Compared({ a, b, onOpen }: { a: ExchangeView; b: ExchangeView; onOpen: (id: string) => void }): ReactNode {
  const heads = [a, b].map(({ row }) => (
    <button key={row.id} type="button" className="link" onClick={() => onOpen(row.id)}>
      <code>{row.id}</code> {row.kind} {row.at}
    </button>
  ));
  const sections = [
    {
      title: "Outcome",
      lines: [line("result", a.row.result, b.row.result), line("time", `${a.totalMs} ms`, `${b.totalMs} ms`)],
    },
    { title: "Token", lines: tokenLines(a, b) },
    {
      title: "Request",
      lines: [line("line", `${a.method} ${a.url}`, `${b.method} ${b.url}`), ...messageLines(a.request, b.request)],
    },
    {
      title: "Answer",
      lines: [line("status", text(a.status), text(b.status)), ...messageLines(a.response, b.response)],
    },
  ];
  const different = sections.flatMap(({ lines }) => lines).filter(({ before, after }) => before !== after).length;
  return (
    <>
      <p>
        <Toned tone={different === 0 ? "good" : "caution"}>
          {different === 0 ? "nothing differs" : `${different} ${different === 1 ? "part differs" : "parts differ"}`}
        </Toned>
      </p>
      <table className="compared">
        <thead>
          <tr>
            <th scope="col">Part</th>
            {heads.map((head, index) => (
              <th scope="col" key={index === 0 ? "left" : "right"}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {sections.map(({ title, lines }) =>
          lines.length === 0 ? null : (
            <tbody key={title}>
              <tr>
                <th colSpan={3} scope="colgroup" className="part">
                  {title}
                </th>
              </tr>
              {lines.map((each) => (
                <ComparedLine key={each.name} line={each} />
              ))}
            </tbody>
          ),
        )}
      </table>
    </>
  );
}

function ComparedLine({ line: { name, before, after } }: { line: Line }): ReactNode {
  const isDifferent = before !== after;
  const parts = differingParts(before, after);
  const side = (which: "before" | "after", whole: string | null) =>
    whole === null ? (
      <td className="quiet">not there</td>
    ) : (
      <td>
        <bdi className="compared-text">
          <WordDiffSide side={which} whole={whole} parts={parts} />
        </bdi>
      </td>
    );
  return (
    <tr className={isDifferent ? "is-different" : ""}>
      <th scope="row">
        {harmless(name)}
        {isDifferent ? <span className="sr-only"> (differs)</span> : null}
      </th>
      {side("before", before)}
      {side("after", after)}
    </tr>
  );
}

function line(name: string, before: string | null, after: string | null): Line {
  return { name, before, after };
}

function text(status: number | null): string | null {
  return status === null ? null : String(status);
}

function messageLines(a: MessageView | null, b: MessageView | null): Line[] {
  const [before, after] = [headersOf(a), headersOf(b)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return [
    ...names.map((name) => line(name, before.get(name) ?? null, after.get(name) ?? null)),
    line("body", bodyOf(a), bodyOf(b)),
  ];
}

/** By lower-case name; repeated names are numbered. */
function headersOf(message: MessageView | null): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of message?.headers ?? []) {
    const lower = name.toLowerCase();
    const count = [...headers.keys()].filter((known) => known.split(" ")[0] === lower).length;
    headers.set(count === 0 ? lower : `${lower} (${count + 1})`, value);
  }
  return headers;
}

function bodyOf(message: MessageView | null): string | null {
  if (message === null) return null;
  const { text: body, base64 } = message.body;
  const node = body === null ? null : readJsonText(body);
  return (node === null ? (body ?? base64) : indentedJson(node)).slice(0, COMPARED_CHARACTERS);
}

function tokenLines(a: ExchangeView, b: ExchangeView): Line[] {
  const membersOf = ({ tokens: [token] }: ExchangeView) =>
    new Map([
      ...(token === undefined ? [] : [["signature", token.signature] as const]),
      ...(token?.header ?? []).map(({ name, value }) => [`header ${name}`, value] as const),
      ...(token?.claims ?? []).map(({ name, value }) => [name, value] as const),
    ]);
  const [before, after] = [membersOf(a), membersOf(b)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.map((name) => line(name, before.get(name) ?? null, after.get(name) ?? null));
}
