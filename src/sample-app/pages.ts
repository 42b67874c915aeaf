import { Refusal, type Reply, text } from "./request.ts";

/** HTML that may stand in a page as it is. */
interface Html {
  readonly source: string;
}

/** Writes HTML; a text that is put into it, or into a quoted attribute, is escaped. */
export function html(literals: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  const parts = values.map((value) => (typeof value === "string" ? escapeHtml(value) : sourceOf(value)));
  return { source: String.raw({ raw: literals }, ...parts) };
}

function sourceOf(value: Html | readonly Html[]): string {
  return "source" in value ? value.source : value.map(({ source }) => source).join("");
}

function escapeHtml(value: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return value.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

interface PageOptions {
  readonly headers?: Reply["headers"];
  /** Where this app's root is, seen from the page; "../.." by default, as for the pages of guards. */
  readonly root?: string;
}

/**
 * A page for the user.
 * @param policy what the page may load and do, and who may frame it: a Content-Security-Policy
 */
export function page(
  status: number,
  title: string,
  content: Html,
  policy: string,
  { headers = {}, root = "../.." }: PageOptions = {},
): Reply {
  // The addresses in pages are relative: in front of this app there may be a proxy that adds a path.
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
  return text(status, "text/html; charset=utf-8", source, {
    "content-security-policy": `default-src 'none'; style-src 'self'; base-uri 'none'; ${policy}`,
    ...headers,
  });
}

interface ErrorPageOptions extends Pick<PageOptions, "root"> {
  readonly title?: string;
  /** What the user can do now. */
  readonly advice?: Html;
}

/** Waits for the answer; shows a refusal as a page, because it is a person who reads it. */
export async function orErrorPage(
  answer: Promise<Reply>,
  policy: string,
  options: ErrorPageOptions = {},
): Promise<Reply> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const {
      title = "This login cannot go on here",
      advice = html`<p>Go back to the platform and log in again.</p>`,
      ...rest
    } = options;
    const content = html`<p>${error.message}</p>
      ${advice}`;
    return page(error.status, title, content, policy, { ...rest, headers: error.headers });
  }
}

export const STYLE = `body { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; }
button { font: inherit; padding: 0.4rem 1rem; margin: 0 0.5rem 0.5rem 0; }
`;
