import type { Problem } from "../protocol/usage-error.ts";
import { type Html, html } from "./html.ts";
import { layout, type Page, reasonAndHint } from "./layout.ts";

export interface Message {
  /** What is the matter, in a few words. */
  readonly title: string;
  readonly reason: string | null;
  readonly hint: string | null;
  readonly problems?: readonly Problem[];
  /** Where to go on. */
  readonly link?: Link;
}

interface Link {
  readonly address: string;
  readonly text: string;
}

/** A page that says one thing: what was refused and why, and where to go on. */
export function messagePage({ title, reason, hint, problems = [], link }: Message): Page {
  const content = html`${reasonAndHint(reason, hint)}
${problems.length === 0 ? null : html`<ul>${problems.map(problemItem)}</ul>`}
${link === undefined ? null : html`<p><a class="button" href="${link.address}">${link.text}</a></p>`}`;
  return { document: layout({ title, content }) };
}

function problemItem({ path, message }: Problem): Html {
  return html`<li>${path === "" ? null : html`<code>${path}</code> `}${message}</li>`;
}
