import type { LoadRecord } from "../journal/record.ts";
import { latencyNumbers, latencyPicture } from "../load/latency-picture.ts";
import { type Html, html } from "../web/html.ts";

/** The latency of a load over time, drawn and in numbers; null if nothing was due. */
export function loadHtml(load: LoadRecord): Html | null {
  const picture = latencyPicture(load.curve);
  if (picture === null) return null;
  const { title, width, height, levels, seconds, curves, failures, failuresLabel } = picture;
  return html`<div class="scrolled" tabindex="0" role="group" aria-label="latency over time">
<svg class="curve" viewBox="0 0 ${width} ${height}" role="img"><title>${title}</title>
${levels.map(({ text, x, y, left, right, lineY }) => html`<path class="level" d="M${left} ${lineY}H${right}"/><text class="at-end" x="${x}" y="${y}">${text}</text>\n`)}
${seconds.map(({ text, x, y }) => html`<text class="at-middle" x="${x}" y="${y}">${text}</text>\n`)}
${curves.map(({ name, points, sample, label }) => html`<g class="${name}"><polyline points="${points}"/><polyline points="${sample}"/><text x="${label.x}" y="${label.y}">${label.text}</text></g>\n`)}
${failures.map((box) => html`<rect class="failures" x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}"/>\n`)}
${failuresLabel === null ? null : html`<text x="${failuresLabel.x}" y="${failuresLabel.y}">${failuresLabel.text}</text>`}
</svg></div>
${numbersHtml(load)}`;
}

function numbersHtml(load: LoadRecord): Html {
  const { head, rows } = latencyNumbers(load);
  return html`<details><summary>The numbers</summary><div class="scrolled" tabindex="0" role="group" aria-label="numbers"><table>
<thead><tr>${head.map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
<tbody>
${rows.map(([from, ...numbers]) => html`<tr><th scope="row" class="number">${from}</th>${numbers.map((number) => html`<td class="number">${number}</td>`)}</tr>\n`)}</tbody></table></div></details>`;
}
