import { BASE_STYLE } from "../web/base-style.ts";

/** Style of an HTML report: dark and light, narrow and wide, and on paper, where folded content is shown. */
export const REPORT_STYLE = `${BASE_STYLE}@media (prefers-color-scheme: light) {
  :root { --back: #ffffff; --card: #f4f5f7; }
}
header, nav, main, footer { padding: 0 max(1rem, 50% - 32rem); }
header { padding-block: 1.5rem 0.5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0; padding: 0.5rem 0; list-style: none; border-block: 1px solid var(--line); }
main { padding-block: 0.5rem 2rem; }
footer { padding-block: 1rem; color: var(--quiet); font-size: 0.875rem; }
h1 { margin: 0 0 0.25rem; font-size: 1.6rem; line-height: 1.25; }
h1 code { font-size: 1.15rem; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.25rem; }
h3 { margin: 1.25rem 0 0.25rem; font-size: 1rem; }
h4 { margin: 0.75rem 0 0.25rem; font-size: 0.9rem; color: var(--quiet); }
p { margin: 0.25rem 0 0.5rem; }
a { color: inherit; }
code, pre { font: 0.85rem/1.45 ui-monospace, monospace; }
pre {
  margin: 0.25rem 0;
  padding: 0.5rem 0.75rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.375rem;
  white-space: pre-wrap;
  unicode-bidi: plaintext;
}
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.125rem 1rem; margin: 0.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
ol { margin: 0.25rem 0; padding-left: 1.5rem; }
del, ins { border-radius: 0.2rem; }
del { background: color-mix(in srgb, var(--bad) 22%, transparent); }
ins { background: color-mix(in srgb, var(--good) 25%, transparent); border-bottom: 2px solid var(--good); text-decoration: none; }
.scrolled { overflow-x: auto; }
.strings p { margin: 0; white-space: pre-wrap; }
.strings .sent::before { content: "− " / "sent: "; }
.strings .came::before { content: "+ " / "came back: "; }
.strings :is(.sent, .came)::before { color: var(--quiet); font-family: ui-monospace, monospace; }
.strings th > span { display: block; }
.curve { display: block; width: 100%; min-width: 36rem; max-width: 45rem; font-size: 13px; fill: var(--text); }
.curve :is(path, polyline) { fill: none; stroke: var(--line); stroke-linecap: round; }
.curve .at-end { text-anchor: end; }
.curve .at-middle { text-anchor: middle; }
.curve .p50 polyline { stroke: var(--good); stroke-width: 2; }
.curve .p95 polyline { stroke: var(--accent); stroke-width: 1.5; stroke-dasharray: 6 3; }
.curve .p99 polyline { stroke: var(--caution); stroke-width: 1.5; stroke-dasharray: 2 3; }
.curve .failures { fill: var(--bad); }
.waterfall { display: block; width: 100%; max-width: 32rem; height: 1.5rem; fill: var(--accent); }
table { width: 100%; margin: 0.5rem 0; border-collapse: collapse; }
caption { padding-bottom: 0.25rem; text-align: left; color: var(--quiet); font-size: 0.9rem; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
th { font-weight: 600; }
table.wide :is(td, th) { min-width: 8.5rem; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
bdi { unicode-bidi: isolate; }
.outcome { font-size: 1.1rem; font-weight: 600; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.caution { color: var(--caution); }
.quiet { color: var(--quiet); }
.finding { margin: 1rem 0; padding: 0.5rem 1rem; border-left: 0.25rem solid var(--line); }
.finding.fail { border-color: var(--bad); }
.finding.warn, .finding.inconclusive { border-color: var(--caution); }
.finding h3 { margin-top: 0.25rem; }
article:not(.event) > details { margin: 0.375rem 0; border: 1px solid var(--line); border-radius: 0.375rem; }
.event { margin: 0.375rem 0; padding: 0.375rem 0.75rem; border: 1px dashed var(--line); border-radius: 0.375rem; }
.event p { margin: 0; }
.inside { scroll-margin-top: 3rem; }
:is(details:has(> :target), .event:target) { border-color: var(--accent); }
summary { padding: 0.375rem 0.75rem; cursor: pointer; }
summary:focus-visible, a:focus-visible { outline: 2px solid currentcolor; outline-offset: 2px; }
summary h3 { display: inline; margin: 0; font-weight: 400; }
.inside { padding: 0 0.75rem 0.75rem; }
@media (min-width: 40rem) {
  .ids th { white-space: nowrap; }
}
@media (max-width: 40rem) {
  dl { grid-template-columns: 1fr; }
  dd { margin-bottom: 0.375rem; }
  table.wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.wide tr { display: block; padding: 0.25rem 0; border-bottom: 1px solid var(--line); }
  table.wide :is(td, th) { display: block; min-width: 0; padding: 0; border: 0; }
  table.wide td[data-of]::before { content: attr(data-of) ": "; color: var(--quiet); }
}
@media print {
  :root { --back: #ffffff; --card: #ffffff; --text: #000000; --quiet: #444444; --line: #999999; --accent: #1f5fbf; --good: #1a7340; --bad: #b3261e; --caution: #8a5300; }
  body { font-size: 10pt; }
  header, nav, main, footer { padding-inline: 0; }
  nav { display: none; }
  .printed > details::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
  h2, h3, h4, summary { break-after: avoid; }
  tr, .finding, .curve { break-inside: avoid; }
  .scrolled { overflow: visible; }
  .curve { min-width: 0; }
  del, ins { print-color-adjust: exact; }
}
`;
