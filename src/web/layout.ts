import { type Html, html } from "./html.ts";

/** Addresses of files that every page loads; they contain a dot, so no organization's name can be the same. */
export const STYLE_PATH = "/pages.css";
export const ICON_PATH = "/icon.svg";
export const PAGE_SCRIPT_PATH = "/pages.js";

export interface Page {
  readonly document: Html;
  /** The origin whose page it may show in a frame. */
  readonly frameOrigin?: string;
  /** Required to load scripts and styles; without one, all of the platform's own are allowed. */
  readonly nonce?: string;
}

export interface PageParts {
  /** What the page is about, in a few words: its heading and title. */
  readonly title: string;
  readonly content: Html;
  /** Further elements for the head, such as a script. */
  readonly head?: Html;
  /** Attributes of the main element, for a script of the page. */
  readonly main?: Html;
  /** The nonce of the page. */
  readonly nonce?: string;
}

/** The layout of every page of the platform; it loads nothing from elsewhere (hardening A28). */
export function layout({ title, content, head, main, nonce }: PageParts): Html {
  const allowed = nonce === undefined ? null : html` nonce="${nonce}"`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · app-sim</title>
<link rel="stylesheet" href="${STYLE_PATH}"${allowed}>
<link rel="icon" href="${ICON_PATH}" type="image/svg+xml">
${head ?? null}
<script src="${PAGE_SCRIPT_PATH}" defer${allowed}></script>
</head>
<body>
<header><a href="/">app-sim</a> <span>a simulator: no real account is behind these pages</span></header>
<main${main ?? null}>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}

/** What happens next, or why it does not; screen readers announce its changes. */
export function status(content: Html): Html {
  return html`<div class="status" role="status">${content}</div>`;
}

/** A reason and what to try. */
export function reasonAndHint(reason: string | null, hint: string | null): Html {
  return html`${reason === null ? null : html`<p class="reason">${withCode(reason)}</p>`}
${hint === null ? null : html`<p class="hint">Hint: ${withCode(hint)}</p>`}`;
}

/** Command-line text in prose: between backticks, a flag with its value, a command of app-sim, or a variable. */
const CODE = /(`[^`]+`|--[a-z][a-z-]*(?:[ =][A-Z][A-Za-z]*(?:=[a-z]+)?)?|\b[A-Z]+(?:_[A-Z]+)+\b)/;

/** A text with its command-line parts marked up as code. */
export function withCode(text: string): Html {
  const parts = text.split(CODE);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part.replaceAll("`", "")}</code>` : part))}`;
}
