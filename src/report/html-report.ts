import { createHash } from "node:crypto";
import { mapYielding } from "../journal/map-yielding.ts";
import type { JournalRecord } from "../journal/record.ts";
import { verificationTones } from "../log/event-words.ts";
import { plural } from "../output/text.ts";
import { harmless, harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { type Html, html } from "../web/html.ts";
import { type Anchors, exchangeLink, type RenderedRecord, recordHtml } from "./exchange-html.ts";
import {
  countKinds,
  failuresIn,
  outcomeOf,
  type ReportedCommand,
  type ReportedFinding,
  type ReportedVerification,
  type ReportFacts,
} from "./report-facts.ts";
import { REPORT_STYLE } from "./report-style.ts";

/** No browser scrolls a page with more records well; the last ones are shown. */
const MOST_RECORDS = 2000;
/**
 * On paper, up to this many exchanges are printed in full; if there are more, only those that a finding refers to or
 * that failed.
 */
const MOST_PRINTED = 40;
/** The most failures listed above the exchanges, which include them all. */
const MOST_FAILURES = 100;

/**
 * A report as one page that loads and runs nothing: it is read from a disk, an e-mail or a CI archive, and on paper.
 * All text from an app is escaped.
 */
export async function htmlReport(facts: ReportFacts, signal: AbortSignal): Promise<string> {
  const { records, command, verifications, choices, versions, madeAt, apps, notes } = facts;
  const shown = records.slice(-MOST_RECORDS);
  const anchors = new Map(shown.map(({ id }, index) => [id, `x${index}`]));
  const outcome = outcomeOf(facts);
  const named = new Set(
    verifications.flatMap(({ findings }) => findings.flatMap((finding) => finding.facts.exchanges)),
  );
  const isShort = shown.length <= MOST_PRINTED;
  const rendered = new Map(
    await mapYielding(shown, signal, (record) => {
      const isPrinted = isShort || named.has(record.id);
      return [record, recordHtml(record, { isPrinted, anchors, facts })] as const;
    }),
  );
  const failed = failuresIn(shown);
  const failures = [
    ...failed,
    ...shown.filter((record) => rendered.get(record)?.hasFindings && !failed.includes(record)),
  ];
  const leftOut = records.length - shown.length;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="app-sim ${versions.appSim}">
<meta name="referrer" content="no-referrer">
<title>${command === null ? "Journal" : harmlessLine(command.line)} · app-sim</title>
<style>${{ source: REPORT_STYLE }}</style>
</head>
<body>
<header>
<h1>${command === null ? "What the journal contains" : html`<code>${harmlessLine(command.line)}</code>`}</h1>
<p class="outcome ${outcome.isGood === null ? "quiet" : outcome.isGood ? "good" : "bad"}">${outcome.text}</p>
<dl>
<dt>App</dt><dd>${apps.map(harmlessLine).join(", ")}</dd>
<dt>Written</dt><dd>${madeAt}</dd>
<dt>Contains</dt><dd>${plural(records.length, "record")}${periodText(records)}</dd>
</dl>
${notes.map((note) => html`<p class="caution">${harmlessLine(note)}</p>`)}
</header>
<nav aria-label="Contents"><ul>
<li><a href="#summary">Summary</a></li>
${verifications.length === 0 ? null : html`<li><a href="#findings">Findings</a></li>`}
<li><a href="#failures">What needs attention</a></li>
${command === null ? null : html`<li><a href="#printed">What was printed</a></li>`}
<li><a href="#exchanges">Exchanges</a></li>
<li><a href="#choices">Choices</a></li>
<li><a href="#versions">Versions</a></li>
</ul></nav>
<main>
${summarySection(records)}
${
  verifications.length === 0
    ? null
    : html`<section aria-labelledby="findings">
<h2 id="findings">Findings</h2>
${verifications.map((verification) => verificationHtml(verification, anchors))}
</section>`
}
<section aria-labelledby="failures">
<h2 id="failures">What needs attention</h2>
${failures.length === 0 ? html`<p>Nothing.</p>` : failureList(failures, anchors, rendered)}
</section>
${command === null ? null : printedSection(command)}
<section aria-labelledby="exchanges">
<h2 id="exchanges">Exchanges</h2>
<p class="quiet">The oldest first, in UTC. Secrets are hidden.${leftOut === 0 ? null : ` ${plural(leftOut, "earlier record")} left out: a report in NDJSON has all.`}</p>
${[...rendered.values()].map(({ article }) => article)}
</section>
<section aria-labelledby="choices">
<h2 id="choices">Choices</h2>
<p class="quiet">What the interface leaves open, and how it was decided${command === null ? ", if not the default" : ", if the result relied on it"}.</p>
${choices.length === 0 ? html`<p>None.</p>` : choiceTable(facts)}
</section>
<section aria-labelledby="versions">
<h2 id="versions">Versions</h2>
<dl><dt>app-sim</dt><dd>${versions.appSim}</dd><dt>Node</dt><dd>${versions.node}</dd></dl>
</section>
</main>
<footer>Written by app-sim. This page loads nothing and runs no script.</footer>
</body>
</html>
`;
  return page.source;
}

/** Nothing may be loaded or run, and only our own styles apply, whatever gets into the page. */
function contentPolicy(): string {
  const hash = createHash("sha256").update(REPORT_STYLE).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

function periodText(records: readonly JournalRecord[]): string {
  const timeOf = (record: JournalRecord | undefined) =>
    record === undefined ? "" : harmlessLine(record.type === "exchange" ? record.startedAt : record.at);
  return records.length === 0 ? "" : `, from ${timeOf(records[0])} to ${timeOf(records.at(-1))}`;
}

function summarySection(records: readonly JournalRecord[]): Html {
  const rows = countKinds(records).map(
    ({ kind, count, failed }) => html`<tr><th scope="row">${kind}</th><td class="number">${count}</td>
<td class="number${failed > 0 ? html` caution` : null}">${failed}</td></tr>\n`,
  );
  return html`<section aria-labelledby="summary">
<h2 id="summary">Summary</h2>
${
  records.length === 0
    ? html`<p>There are no records.</p>`
    : html`<table><thead><tr><th scope="col">What</th><th scope="col" class="number">Count</th><th scope="col" class="number">Failed or refused</th></tr></thead>
<tbody>
${rows}</tbody></table>`
}
</section>`;
}

function printedSection({ text, warnings }: ReportedCommand): Html {
  return html`<section aria-labelledby="printed">
<h2 id="printed">What was printed</h2>
${warnings.map((warning) => html`<p class="caution">warning: ${harmlessLine(warning)}</p>`)}
<pre>${text.map((line) => harmless(line)).join("\n")}</pre>
</section>`;
}

function verificationHtml({ outcome, reason, seed, counts, findings }: ReportedVerification, anchors: Anchors): Html {
  return html`<p>The verification <strong class="${verificationTones[outcome]}">${outcome}</strong>: ${counts}; seed ${seed}.${reason === null ? null : ` ${harmlessLine(reason)}`}</p>
${findings.map((finding) => findingHtml(finding, anchors))}`;
}

const signs: Readonly<Record<string, string>> = { fail: "✗ failed", warn: "! warning", inconclusive: "? inconclusive" };

function findingHtml({ check, facts }: ReportedFinding, anchors: Anchors): Html {
  const tone = check.result === "fail" ? "bad" : "caution";
  const differences = facts.differences.map(
    ({
      property,
      control,
      twin,
    }) => html`<tr><th scope="row">${property}</th><td data-of="accepted"><bdi>${control ?? "not there"}</bdi></td>
<td data-of="sent"><bdi>${twin ?? "left out"}</bdi></td></tr>\n`,
  );
  return html`<section class="finding ${check.result}">
<h3><strong class="${tone}">${signs[check.result] ?? check.result}</strong> <code>${check.id}</code> ${harmlessLine(check.title)}</h3>
<dl>
<dt>At</dt><dd>${harmlessLine(check.subject)}</dd>
${check.reason === null ? null : html`<dt>Found</dt><dd><bdi>${harmlessLine(check.reason)}</bdi></dd>`}
${facts.why === "" ? null : html`<dt>Why it matters</dt><dd>${facts.why}</dd>`}
${facts.fix === "" ? null : html`<dt>How to fix it</dt><dd>${facts.fix}</dd>`}
${facts.again.length === 0 ? null : html`<dt>Again</dt><dd>${facts.again.map((line) => html`<code>${line}</code> `)}</dd>`}
<dt>Section</dt><dd>${facts.section}</dd>
<dt>Exchanges</dt><dd>${facts.exchanges.length === 0 ? "none" : facts.exchanges.map((id) => exchangeLink(id, anchors))}</dd>
</dl>
${
  differences.length === 0
    ? null
    : html`<table class="wide"><caption>How the request differs from the one that was accepted</caption>
<thead><tr><th scope="col">Property</th><th scope="col">Accepted</th><th scope="col">Sent</th></tr></thead>
<tbody>
${differences}</tbody></table>`
}
${facts.sent.length === 0 ? null : html`<h4>Sent</h4><pre>${facts.sent.join("\n")}</pre>`}
${facts.came.length === 0 ? null : html`<h4>Received</h4><pre>${facts.came.join("\n")}</pre>`}
</section>`;
}

function failureList(
  failures: readonly JournalRecord[],
  anchors: Anchors,
  rendered: ReadonlyMap<JournalRecord, RenderedRecord>,
): Html {
  const rows = failures.slice(0, MOST_FAILURES).flatMap((record) => {
    const { row, hasFindings } = rendered.get(record) ?? {};
    if (row === undefined) return [];
    const { id, what, result, where } = row;
    const tone = hasFindings === true && row.tone === "good" ? "caution" : row.tone;
    return html`<tr><th scope="row">${what}</th><td data-of="result" class="${tone ?? "quiet"}">${result}${hasFindings === true ? ", with findings" : null}</td><td data-of="where"><bdi>${where}</bdi></td>
<td data-of="exchange">${exchangeLink(id, anchors)}</td></tr>\n`;
  });
  const more = failures.length - rows.length;
  return html`<table class="wide"><thead><tr><th scope="col">What</th><th scope="col">Result</th><th scope="col">Where or why</th><th scope="col">Exchange</th></tr></thead>
<tbody>
${rows}</tbody></table>
${more > 0 ? html`<p class="quiet">And ${withCommas(more)} more below.</p>` : null}`;
}

function choiceTable({ choices }: ReportFacts): Html {
  const rows = choices.map(
    ({
      id,
      value,
      isDefault,
      reason,
      section,
    }) => html`<tr><th scope="row"><code>${id}</code></th><td data-of="value"><code>${value}</code>${isDefault ? html` <span class="quiet">(default)</span>` : null}</td>
<td data-of="reason">${reason} (interface ${section})</td></tr>\n`,
  );
  return html`<table class="wide ids"><thead><tr><th scope="col">Choice</th><th scope="col">Value</th><th scope="col">Reason</th></tr></thead>
<tbody>
${rows}</tbody></table>`;
}
