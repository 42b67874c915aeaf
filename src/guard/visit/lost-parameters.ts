import { addressText } from "../../browser/addresses.ts";
import { NEEDS_BROWSER } from "../../browser/fill-form.ts";
import type { HtmlPage } from "../../browser/html-page.ts";
import { isNoValue } from "../../protocol/no-value.ts";

/** How apps answer a form without its token or state: 400 and 422 mean a malformed form. */
const missesSomething: readonly number[] = [400, 401, 403, 422];

/** Whether a form may have been refused because something is missing. */
export function mayMissSomething(status: number): boolean {
  return missesSomething.includes(status);
}

/** A form as it was sent. */
interface SentForm {
  readonly method: string;
  readonly url: string;
  readonly body: Uint8Array;
}

/** What to do if an app answers a form with JSON. */
export const FORM_ANSWER =
  "a browser shows the answer to a form, no script reads it: answer with 302 to the guard callback";

/** The query parameters of a guard's page that its answer needs. */
export const platformParameters = ["jwtToken", "state"];

/**
 * The hint for a page that is refused after a redirect that dropped query parameters of the guard's page; null: it
 * dropped none.
 * @param asked the address of the guard's page
 * @param end where its redirects led
 */
export function lostByRedirectHint(status: number, asked: URL, end: URL): string | null {
  if (!mayMissSomething(status)) return null;
  const lost = platformParameters.filter((name) => asked.searchParams.has(name) && !end.searchParams.has(name));
  if (lost.length === 0) return null;
  const them = lost.length === 1 ? "it" : "them";
  return `the redirect from ${addressText(asked)} dropped its ${lost.join(" and ")}: pass ${them} on, or keep ${them} in a session`;
}

/** The query parameters of a guard's page that a form neither has in its address nor in its fields. */
export function lostParameters({ url, body }: Pick<SentForm, "url" | "body">, page: URL): string[] {
  const { searchParams } = new URL(url);
  return platformParameters.filter((name) => {
    const value = page.searchParams.get(name);
    return value !== null && !searchParams.has(name) && !Buffer.from(body).includes(value);
  });
}

/** What is known about the page that a form was on. */
interface FormPage {
  /** Its address. */
  readonly url: URL;
  /** Whether the page reports by a script, which may have sent the form by accident. */
  readonly reports?: boolean;
  /** What it holds; null: unknown. */
  readonly html?: HtmlPage | null;
}

/** The hint for a refused form that lacks query parameters of its page's address; null: it lacks none. */
export function lostParametersHint(
  status: number,
  sent: SentForm,
  { url: page, reports = false, html = null }: FormPage,
): string | null {
  if (!mayMissSomething(status)) return null;
  const lost = lostParameters(sent, page);
  if (lost.length === 0) return null;
  const names = lost.join(" and ");
  if (sent.method === "GET" && reports)
    return `the form's page was reloaded without the ${names} of its address: does the script that handles the form call preventDefault()?`;
  // A form that replaces the query string leaves at least its question mark.
  if (sent.method === "GET" && !sent.url.includes("?"))
    return `the page leads to ${new URL(sent.url).pathname} without the ${names} of its address: add them to the link`;
  const valueless = lost.filter((name) => hasNoValue(sent, name));
  if (valueless.length > 0) {
    const others = lost.filter((name) => !valueless.includes(name));
    const missing = others.length === 0 ? "" : `; ${others.join(" and ")} is missing`;
    const fields = valueless.length === 1 ? `field ${valueless[0]} has` : `fields ${valueless.join(" and ")} have`;
    return `the form's hidden ${fields} no value${missing}: copy the ${names} of the page's address into hidden fields`;
  }
  const unnamed = lost.filter((name) => isUnnamed(html, page.searchParams.get(name)));
  if (unnamed.length > 0)
    return `a hidden field without a name is not sent: ${unnamed.map((name) => `name="${name}"`).join(" and ")} (an id is not enough)`;
  const carry = `carry ${lost.length === 1 ? "it in a hidden field" : "them in hidden fields"}`;
  if (sent.method === "POST")
    return `the form's action lacks the ${names} of the page's address: leave the action out, or ${carry}`;
  const script = html?.hasScripts === true ? `; or, if a script of the page handles the form, ${NEEDS_BROWSER}` : "";
  return `a form without method="post" replaces the query string, so the ${names} of the page's address got lost; use method="post", or ${carry}${script}`;
}

/** Whether a field was sent empty, or with what languages and templates print for a missing value. */
function hasNoValue({ body }: Pick<SentForm, "body">, name: string): boolean {
  const value = new URLSearchParams(Buffer.from(body).toString()).get(name);
  return value !== null && (value === "" || isNoValue(value));
}

function isUnnamed(html: HtmlPage | null, value: string | null): boolean {
  const controls = html?.forms.flatMap((form) => form.controls) ?? [];
  return controls.some((each) => each.kind === "hidden" && each.name === "" && each.value === value);
}
