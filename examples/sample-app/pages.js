import { Refusal, text } from "./http.js";

/**
 * @typedef {{ source: string }} Html HTML that goes into a page unescaped
 *
 * @typedef Layout what the pages of one part of the app have in common
 * @property {string} policy the Content-Security-Policy: what they may load and do, and who may frame them
 * @property {string} root the path to the app's root, relative because a proxy in front of this app may add a prefix
 * @property {string} errorTitle
 * @property {Html} advice what the user can do after an error
 */

/** Creates HTML; text in its content, or in a quoted attribute, is escaped. @returns {Html} */
export function html(literals, ...values) {
  const sources = values.map((value) =>
    typeof value === "string"
      ? escapeHtml(value)
      : [value]
          .flat()
          .map(({ source }) => source)
          .join(""),
  );
  return { source: String.raw({ raw: literals }, ...sources) };
}

function escapeHtml(value) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return value.replace(/[&<>"']/g, (character) => entities[character]);
}

/** @param {Layout} layout @param {string} title @param {Html} content */
export function page({ policy, root }, title, content, { status = 200, headers = {} } = {}) {
  const { source } = html`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>${title}</title>
    <link rel="stylesheet" href="${root}/style.css">
    </head>
    <body>
    <h1>${title}</h1>
    ${content}
    </body>
    </html>
`;
  const contentPolicy = `default-src 'none'; style-src 'self'; base-uri 'none'; ${policy}`;
  return text(status, "text/html; charset=utf-8", source, { "content-security-policy": contentPolicy, ...headers });
}

/**
 * Shows the handler's refusals as pages, because people read them.
 *
 * @param {Layout} layout @param {import("./http.js").Handler} handler @returns {import("./http.js").Handler}
 */
export function withErrorPage(layout, handler) {
  return async (request, signal) => {
    try {
      return await handler(request, signal);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return page(layout, layout.errorTitle, html`<p>${error.message}</p>${layout.advice}`, error);
    }
  };
}

export const STYLE = `body { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; }
button { font: inherit; padding: 0.4rem 1rem; margin: 0 0.5rem 0.5rem 0; }
`;
