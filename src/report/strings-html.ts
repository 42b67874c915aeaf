import { directionOf } from "../output/text-direction.ts";
import { differingParts, isSame, type Part } from "../output/word-diff.ts";
import {
  isChangedString,
  isNoted,
  isUnchangedText,
  type StringsTable,
  type TableString,
  type TableText,
} from "../post-import/rules/table-strings.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { type Html, html } from "../web/html.ts";

/** The journal has the rest. */
const MOST_STRINGS = 200;

/** The notable strings of an import, with the module's changes word by word; null if all came back unchanged. */
export function stringsHtml({ languages, strings, isCut }: StringsTable): Html | null {
  const notable = strings.filter((each) => isChangedString(each) || isNoted(each) || each.isHidden);
  const shown = notable.slice(0, MOST_STRINGS);
  if (notable.length === 0) return null;
  const heads = languages.map((id, index) => html`<th scope="col">${harmlessLine(id)}${sourceWord(index)}</th>`);
  const unchangedCount = strings.length - notable.length;
  return html`<h4>Strings</h4>
<div class="scrolled" tabindex="0" role="group" aria-label="strings"><table class="wide strings"><thead><tr><th scope="col">Key</th>${heads}</tr></thead>
<tbody>
${shown.map((string) => rowHtml(string, languages))}</tbody></table></div>
${notable.length === shown.length ? null : html`<p class="quiet">And ${withCommas(notable.length - shown.length)} more.</p>`}
${unchangedCount === 0 ? null : html`<p class="quiet">${withCommas(unchangedCount)} came back unchanged.</p>`}
${isCut ? html`<p class="quiet">The journal kept only the beginning of the strings, which is shown here.</p>` : null}`;
}

function sourceWord(index: number): string | null {
  return index === 0 ? " (source)" : null;
}

function rowHtml(string: TableString, languages: readonly string[]): Html {
  const { identifier, category, isHidden, isRemoved, notes, texts } = string;
  const cells = languages.map((language, index) => {
    const text = texts[index] ?? null;
    const name = harmlessLine(language);
    return text === null
      ? html`<td class="quiet" data-of="${name}">–</td>`
      : html`<td data-of="${name}">${textHtml(text, language, string)}</td>`;
  });
  return html`<tr><th scope="row"><code>${identifier}</code>${category === null ? null : html` <span class="quiet">${category}</span>`}
${isHidden ? html`<span class="caution">hidden</span>` : null}${isRemoved ? html`<span class="bad">did not come back</span>` : null}
${notesHtml(notes)}</th>${cells}</tr>\n`;
}

/** What was sent, and below it what came back, if different. */
function textHtml(text: TableText, language: string, string: TableString): Html {
  const { before, after, notes } = text;
  const parts = differingParts(before, after);
  const { lang, dir } = directionOf(language);
  const side = (name: string, content: Html | string) =>
    html`<p class="${name}" dir="${dir}"${lang === undefined ? null : html` lang="${lang}"`}>${content}</p>`;
  const isOne = isUnchangedText(text, string);
  return html`${before === null ? null : side(isOne ? "same" : "sent", sideHtml("before", before, parts))}${
    isOne
      ? null
      : after === null
        ? html`<p class="quiet">did not come back</p>`
        : side("came", sideHtml("after", after, parts))
  }${notesHtml(notes)}`;
}

/** One of two texts, with the words marked that the other lacks. */
function sideHtml(side: keyof Part, whole: string, parts: readonly Part[] | null): Html | string {
  if (parts === null) return whole;
  return html`${parts.map((part) => {
    const text = part[side];
    if (isSame(part) || text === "") return text;
    return side === "before" ? html`<del>${text}</del>` : html`<ins>${text}</ins>`;
  })}`;
}

function notesHtml(notes: readonly string[]): Html {
  return html`${notes.map((note) => html`<p class="caution">! ${note}</p>`)}`;
}
