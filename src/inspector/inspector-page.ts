import { randomIds } from "../app-client/ports.ts";
import { HOME_TITLE, homeContent } from "../web/home-page.ts";
import { type Html, html } from "../web/html.ts";
import { layout, type Page } from "../web/layout.ts";
import type { PathDomain } from "../web/login-paths.ts";
import { findInspectorPage } from "./page-file-routes.ts";

/**
 * The page at the platform's root address, which becomes the inspector in a browser with the key of this run. Without
 * the key, or without scripts, it lists what the platform serves.
 */
export function inspectorHome(domain: PathDomain, address: string): Page {
  return withInspector(HOME_TITLE, homeContent(domain, address));
}

/** The same page for a saved journal. */
export function savedHome(): Page {
  const content = html`<p>app-sim shows a saved journal here, to anyone with the link that it printed.</p>`;
  return withInspector("A saved journal", content);
}

function withInspector(title: string, content: Html): Page {
  const nonce = randomIds.secret();
  const page = findInspectorPage();
  const head =
    page === null
      ? null
      : html`<link rel="stylesheet" href="${page.style}" nonce="${nonce}">
<script src="${page.script}" nonce="${nonce}"></script>`;
  return { document: layout({ title, content, nonce, ...(head === null ? {} : { head }) }), nonce };
}
