import { bearerJwt } from "../journal/credentials.ts";
import type { Exchange, HeaderLines, RecordedBody, Timings } from "../journal/exchange.ts";
import { bodyBytes, bodyText } from "../journal/journal.ts";
import { readableBody } from "../journal/readable-body.ts";
import type { JournalRecord } from "../journal/record.ts";
import { timingPhases } from "../journal/timing-phases.ts";
import { hasFailed } from "../log/log-filter.ts";
import { exchangeRow, type LogRow, logRow } from "../log/log-rows.ts";
import { outcomeText, timingText } from "../output/exchange-text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { type Html, html } from "../web/html.ts";
import { loadHtml } from "./load-html.ts";
import type { ReportFacts } from "./report-facts.ts";
import type { ReportedImport } from "./reported-imports.ts";
import { shownText } from "./shown-text.ts";
import { signatureHtml } from "./signature-html.ts";
import { stringsHtml } from "./strings-html.ts";

/** The anchors of records on the page, by their ids in the journal. */
export type Anchors = ReadonlyMap<string, string>;

/** A record as HTML: its line, and its article on the page. */
export interface RenderedRecord {
  readonly row: LogRow;
  readonly article: Html;
  /** Findings about the strings of an import. */
  readonly hasFindings: boolean;
}

/** How a record is rendered. */
interface RenderOptions {
  /** Whether its folded content is printed on paper all the same. */
  readonly isPrinted: boolean;
  readonly anchors: Anchors;
  readonly facts: Pick<ReportFacts, "imports" | "redactor" | "signatureOf">;
}

/** A record as a part of the page: an exchange can be unfolded, and is unfolded if it failed. */
export function recordHtml(record: JournalRecord, { isPrinted, anchors, facts }: RenderOptions): RenderedRecord {
  const anchor = anchors.get(record.id) ?? "";
  if (record.type !== "exchange") {
    const row = logRow(record, facts.redactor);
    return {
      row,
      article: html`<article class="event" id="${anchor}"><p>${lineHtml(row)}</p>${eventHtml(record, anchors)}</article>\n`,
      hasFindings: false,
    };
  }
  // Redacting secrets takes most of the time of a report.
  const shown = facts.redactor.exchange(record);
  const row = exchangeRow(shown);
  const imported = facts.imports.of(record, shown);
  const findings = imported?.findings ?? [];
  const isOpen = (hasFailed(record) || findings.length > 0) && record.check === undefined;
  const article = html`<article${isPrinted ? html` class="printed"` : null}><details${isOpen ? html` open` : null}>
<summary><h3>${lineHtml(row)}${findings.length === 0 ? null : html` <span class="caution">with findings</span>`}</h3></summary>
<div class="inside" id="${anchor}">
${exchangeHtml(record, shown, imported, facts)}
</div>
</details></article>\n`;
  return { row, article, hasFindings: findings.length > 0 };
}

/** The details of an event: its exchanges, as links, and what was measured. */
function eventHtml(record: Exclude<JournalRecord, Exchange>, anchors: Anchors): Html | null {
  const links = (ids: readonly string[]) =>
    ids.length === 0 ? null : html`<p>Exchanges: ${ids.map((id) => exchangeLink(id, anchors))}</p>`;
  if (record.type === "login") {
    const { deniedBy, exchanges } = record;
    return html`${deniedBy === null ? null : html`<p>Denied by: ${harmlessLine(deniedBy)}</p>`}${links(exchanges)}`;
  }
  if (record.type === "oauth") return links([record.exchange]);
  return record.type === "load" ? html`${loadHtml(record)}${links(record.exchanges)}` : null;
}

/** The id of an exchange, linked if it is on the page; browsers unfold the target of a link. */
export function exchangeLink(id: string, anchors: Anchors): Html {
  const anchor = anchors.get(id);
  const name = html`<code>${harmlessLine(id)}</code>`;
  return anchor === undefined ? html`${name} ` : html`<a href="#${anchor}">${name}</a> `;
}

function lineHtml({ id, at, what, result, tone, ms, where }: LogRow): Html {
  return html`<span class="quiet">${clock(at)}</span> ${what} <strong class="${tone ?? "quiet"}">${result}</strong> <bdi>${where}</bdi>
<span class="quiet">${ms === "" ? null : `${ms} ms `}<code>${id}</code></span>`;
}

function clock(at: string): string {
  return harmlessLine(at.slice(at.indexOf("T") + 1).slice(0, 8));
}

function exchangeHtml(
  raw: Exchange,
  shown: Exchange,
  imported: ReportedImport | null,
  facts: RenderOptions["facts"],
): Html {
  const { request, response, outcome, timings, startedAt, check } = shown;
  const { redactor } = facts;
  const token = bearerJwt(raw);
  const signature = facts.signatureOf(raw);
  const { findings, strings } = imported ?? { findings: [], strings: null };
  return html`<dl>
<dt>Began</dt><dd>${harmlessLine(startedAt)}</dd>
<dt>Took</dt><dd>${timings.totalMs} ms: ${timingText(timings)}${waterfall(timings)}</dd>
${outcome.kind === "answered" ? null : html`<dt>Outcome</dt><dd class="bad">${outcomeText(outcome)}</dd>`}
${check === undefined ? null : html`<dt>Sent for</dt><dd>${harmlessLine(`${check.id ?? check.subject}: ${check.role}`)}</dd>`}
</dl>
${findings.length === 0 ? null : html`<h4>Findings</h4><ul>${findings.map((finding) => html`<li>${harmlessLine(finding)}</li>`)}</ul>`}
${strings === null ? null : stringsHtml(strings)}
${signature === null ? null : signatureHtml(signature)}
<h4>Request</h4>
<pre>${harmlessLine(`${request.method} ${request.url}`)}
${headerLines(request.headers)}</pre>
${
  token === null
    ? null
    : html`<p class="quiet">The token contains:</p>
<pre>${redactor.text(JSON.stringify(token.header))}
${redactor.text(JSON.stringify(token.claims, null, 2))}</pre>`
}
${bodyHtml(request.headers, request.body, raw.request.body.size)}
<h4>Answer</h4>
${
  response === null
    ? html`<p>None: ${outcomeText(outcome)}</p>`
    : html`<pre>${response.status}
${headerLines(response.headers)}</pre>
${bodyHtml(response.headers, response.body, raw.response?.body.size ?? 0)}`
}`;
}

/** The stages of an exchange, one below the other. */
function waterfall(timings: Timings): Html {
  const phases = timingPhases(timings);
  const bars = phases.map(({ startMs, ms }, index) => {
    const [x, width] = [startMs, ms].map((part) => Math.round((part / Math.max(timings.totalMs, 0.1)) * 1000) / 10);
    return html`<rect x="${x ?? 0}" y="${index * 3}" width="${Math.max(0.4, width ?? 0)}" height="2"/>`;
  });
  return html`<svg class="waterfall" viewBox="0 0 100 ${phases.length * 3}" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`;
}

function headerLines(headers: HeaderLines): string {
  return headers.map(([name, value]) => `${harmlessLine(name)}: ${harmlessLine(value)}`).join("\n");
}

function bodyHtml(headers: HeaderLines, body: RecordedBody, size: number): Html | null {
  if (size === 0) return html`<p class="quiet">No body</p>`;
  const { shown, isWhole: isWholeText } = shownText(prettyText(bodyText(readableBody(headers, body))));
  const isWhole = bodyBytes(body).length >= body.size && isWholeText;
  return html`<p class="quiet">${withCommas(size)} bytes${isWhole ? null : ", of which this is the beginning"}</p>
<pre>${shown}</pre>`;
}

function prettyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
