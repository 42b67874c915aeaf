import { type ReactNode, useCallback, useEffect, useState } from "react";
import { harmless } from "../../protocol/harmless.ts";
import type { ExchangeView, FindingView, HiddenPart, MessageView, RowView } from "../view.ts";
import { BodyPart } from "./body-part.tsx";
import { CodeBox, CommandLine, CopyButton, Toned } from "./parts.tsx";
import { SignaturePart, TokenPart } from "./proof-parts.tsx";
import { RowLinks } from "./row-links.tsx";
import { hiddenIn, OneSecret, RevealContext, WithSecrets } from "./secrets.tsx";
import type { Server } from "./server.ts";

export interface PaneProps {
  readonly server: Server;
  readonly id: string;
  /** The exchange's row in the list: when it changes, so has the exchange. */
  readonly row: RowView | null;
  readonly onOpen: (id: string) => void;
  readonly onCompare: (id: string, other: string) => void;
  readonly onFlow: (group: string) => void;
  /** Sends a delivery again; null if there is no platform to do so. */
  readonly onReplay: ((id: string, body: string) => void) | null;
  readonly onClose: () => void;
}

/** An exchange from the platform; an error if it is not available, null while it is loading. */
export function useExchange(server: Server, id: string, row: RowView | null): ExchangeView | Error | null {
  const [loaded, setLoaded] = useState<{ readonly id: string; readonly result: ExchangeView | Error } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that changed has a new decision or finding
  useEffect(() => {
    let isWanted = true;
    server.exchange(id).then(
      (result) => isWanted && setLoaded({ id, result }),
      (error: Error) => isWanted && setLoaded({ id, result: error }),
    );
    return () => {
      isWanted = false;
    };
  }, [server, id, row]);
  return loaded !== null && loaded.id === id ? loaded.result : null;
}

/** One exchange in full. */
export function ExchangePane({ server, id, row, ...actions }: PaneProps): ReactNode {
  const exchange = useExchange(server, id, row);
  const reveal = useCallback((part: HiddenPart) => server.reveal(id, part), [server, id]);
  return (
    <article className="pane" aria-label="exchange" aria-busy={exchange === null}>
      <div className="pane-head">
        <h2>
          {row === null ? id : <Toned tone={row.tone}>{row.result}</Toned>} {row?.what ?? ""}
        </h2>
        <button type="button" className="plain close" onClick={actions.onClose}>
          Close
        </button>
      </div>
      {exchange instanceof Error ? <p className="reason">{exchange.message}</p> : null}
      {exchange === null || exchange instanceof Error ? null : (
        <RevealContext value={reveal}>
          <ExchangeParts exchange={exchange} {...actions} key={id} />
        </RevealContext>
      )}
    </article>
  );
}

type Actions = Omit<PaneProps, "server" | "id" | "row">;

function ExchangeParts({
  exchange,
  onOpen,
  onCompare,
  onFlow,
  onReplay,
}: Actions & { exchange: ExchangeView }): ReactNode {
  const { row, group, siblings, request, response, findings, tokens, signature } = exchange;
  const earlier = siblings.findLast((each) => each.isExchange && each.at <= row.at && each.id !== row.id);
  const control = findings.find((finding) => finding.control !== null)?.control ?? null;
  return (
    <>
      <dl className="facts">
        <Fact name="Exchange">
          <code>{row.id}</code> <CopyButton text={location.href} label="Copy link" />
        </Fact>
        <Fact name="At">{row.at}</Fact>
        <Fact name="What">
          {row.kind}
          {row.module === null ? "" : ` ${row.module}`}
        </Fact>
        {group === null ? null : (
          <Fact name="Part of">
            <button type="button" className="link" onClick={() => onFlow(group.id)}>
              {group.title}
            </button>
          </Fact>
        )}
      </dl>
      <p className="buttons">
        {control === null ? null : (
          <button type="button" className="plain" onClick={() => onCompare(control, row.id)}>
            Compare with its control
          </button>
        )}
        {earlier === undefined ? null : (
          <button type="button" className="plain" onClick={() => onCompare(earlier.id, row.id)}>
            Compare with the previous one
          </button>
        )}
        {row.kind === "webhook" && onReplay !== null ? (
          <button type="button" className="plain" onClick={() => onReplay(row.id, request.body.text ?? "")}>
            Send again
          </button>
        ) : null}
      </p>
      <Explanation exchange={exchange} />
      {findings.length === 0 ? null : <Findings findings={findings} onOpen={onOpen} />}
      <Timing exchange={exchange} />
      <div className="messages">
        <Message title="Request" line={exchange.method} url={exchange.url} message={request} side="request" />
        {response === null ? (
          <section className="message">
            <h3>Answer</h3>
            <p className="reason">{exchange.outcome}</p>
          </section>
        ) : (
          <Message title="Answer" line={String(exchange.status)} url={null} message={response} side="response" />
        )}
      </div>
      {tokens.map((token) => (
        <TokenPart key={token.place} token={token} />
      ))}
      {signature === null ? null : <SignaturePart signature={signature} />}
      <section>
        <h3>In a shell</h3>
        {exchange.curl === null ? (
          <p className="quiet">No command: {exchange.noCurl}.</p>
        ) : (
          <>
            <CodeBox label="command for curl">{exchange.curl}</CodeBox>
            <p className="buttons">
              <CopyButton text={exchange.curl} label="Copy as curl" />
            </p>
          </>
        )}
        <CommandLine command={`app-sim log ${row.id}`} />
      </section>
      {siblings.length < 2 ? null : (
        <section>
          <h3>What belongs to it</h3>
          <RowLinks rows={siblings} own={row.id} onOpen={onOpen} />
        </section>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Explanation({ exchange: { explanation, outcome } }: { exchange: ExchangeView }): ReactNode {
  if (explanation === null) return null;
  return (
    <div className="finding is-fail">
      <p>
        <Toned tone="bad">{outcome}</Toned> {explanation.reason}
      </p>
      {explanation.hint === null ? null : <p className="quiet">Hint: {explanation.hint}</p>}
    </div>
  );
}

const toneOf = { pass: "good", warn: "caution", fail: "bad", skip: "plain", inconclusive: "caution" } as const;
const order = ["fail", "warn", "inconclusive", "pass", "skip"];

function Findings({ findings, onOpen }: { findings: readonly FindingView[]; onOpen: (id: string) => void }): ReactNode {
  const sorted = [...findings].sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result));
  return (
    <section aria-label="findings">
      <h3>Findings</h3>
      {sorted.map((finding, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <div key={index} className={`finding is-${finding.result}`}>
          <p>
            <Toned tone={toneOf[finding.result]}>{finding.result}</Toned> <strong>{finding.title}</strong>
          </p>
          {finding.reason === null ? null : <p>{harmless(finding.reason)}</p>}
          {finding.hint === null ? null : <p className="quiet">Hint: {harmless(finding.hint)}</p>}
          <p className="quiet">
            <code>{finding.check}</code>
            {finding.section === "" ? "" : `, ${/^\d/.test(finding.section) ? "interface " : ""}${finding.section}`}
            {[
              { name: "its control", id: finding.control },
              { name: "its twin", id: finding.twin },
            ].map(({ name, id }) =>
              id === null ? null : (
                <span key={name}>
                  {", "}
                  <button type="button" className="link" onClick={() => onOpen(id)}>
                    {name}
                  </button>
                </span>
              ),
            )}
          </p>
        </div>
      ))}
    </section>
  );
}

/** How the time was spent, as far as it was measured. */
function Timing({ exchange: { phases, totalMs } }: { exchange: ExchangeView }): ReactNode {
  const whole = Math.max(totalMs, 0.1);
  return (
    <section>
      <h3>Time: {totalMs} ms</h3>
      <dl className="waterfall">
        {phases.map(({ name, startMs, ms }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect x={(startMs / whole) * 100} y={0} width={Math.max(0.4, (ms / whole) * 100)} height={1} />
              </svg>
              <span>{ms} ms</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface MessageProps {
  readonly title: string;
  readonly line: string;
  readonly url: string | null;
  readonly message: MessageView;
  readonly side: "request" | "response";
}

function Message({ title, line, url, message, side }: MessageProps): ReactNode {
  return (
    <section className="message">
      <h3>{title}</h3>
      <p className="first-line">
        <strong>{line}</strong>{" "}
        {url === null ? null : <WithSecrets text={url} where={{ side, place: "url", line: 0 }} />}
      </p>
      <dl className="headers">
        {message.headers.map(([name, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header is known by its line
          <div key={index}>
            <dt>{harmless(name)}</dt>
            <dd>
              <HeaderValue value={value} part={{ side, place: "header", line: index, nth: 0 }} />
            </dd>
          </div>
        ))}
      </dl>
      <BodyPart body={message.body} where={{ side, place: "body", line: 0 }} />
    </section>
  );
}

/**
 * A header contains at most one secret: the signature of a token is cut off, other credentials are hidden completely.
 */
function HeaderValue({ value, part }: { value: string; part: HiddenPart }): ReactNode {
  return hiddenIn(value) > 0 ? <OneSecret part={part} label={value} /> : harmless(value);
}
