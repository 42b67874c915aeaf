import { type Html, html } from "../web/html.ts";
import type { SignatureSteps } from "../webhook/signature-steps.ts";
import { shownText } from "./shown-text.ts";

/** The derivation of a delivery's signature, step by step. */
export function signatureHtml({ steps, isRight, verdict }: SignatureSteps): Html {
  const items = steps.map(
    ({ title, text, isCode }) =>
      html`<li>${title}${isCode ? html`<pre>${shownText(text).shown}</pre>` : html`: ${text}`}</li>\n`,
  );
  return html`<h4>Signature, step by step</h4>
<p><strong class="${isRight ? "good" : "bad"}">${isRight ? "✓" : "✗"} ${verdict}</strong></p>
<ol>
${items}</ol>`;
}
