import { html } from "../web/html.ts";
import { layout, type Page } from "../web/layout.ts";
import type { Preview } from "./run/previews.ts";

/**
 * The page that shows the app's preview of a file (interface 2.4) in a frame that may do nothing (hardening S13).
 * @param address of the preview itself
 * @param frameOrigin the origin of that address
 */
export function previewPage({ file, module }: Preview, address: string, frameOrigin: string): Page {
  const title = `Preview of ${file}`;
  const content = html`<p>The HTML that the module <strong>${module}</strong> of the app made of this file.</p>
<p class="hint">No script runs in it, no form can be sent, and it loads nothing: its styles and images have to be within it.</p>
<iframe title="${title}" src="${address}" sandbox="" referrerpolicy="no-referrer"></iframe>
<p><a href="${address}">See it alone</a></p>`;
  return { document: layout({ title, content }), frameOrigin };
}
