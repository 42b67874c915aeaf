import { addressText } from "../../browser/addresses.ts";

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

/**
 * The hint for a refused form that lacks query parameters of its page's address, because neither its action nor its
 * fields hold them; null: it lacks none.
 * @param page address of the page that the form was on
 * @param reports whether the page reports by a script, which may have sent the form by accident
 */
export function lostParametersHint(
  status: number,
  { method, url, body }: SentForm,
  page: URL,
  reports = false,
): string | null {
  if (!mayMissSomething(status)) return null;
  const { searchParams } = new URL(url);
  const lost = platformParameters.filter((name) => {
    const value = page.searchParams.get(name);
    return value !== null && !searchParams.has(name) && !Buffer.from(body).includes(value);
  });
  if (lost.length === 0) return null;
  const names = lost.join(" and ");
  if (method === "GET" && reports)
    return `the form's page was reloaded without the ${names} of its address: does the script that handles the form call preventDefault()?`;
  const carry = `carry ${lost.length === 1 ? "it in a hidden field" : "them in hidden fields"}`;
  return method === "POST"
    ? `the form's action lacks the ${names} of the page's address: leave the action out, or ${carry}`
    : `a form without method="post" replaces the query string, so the ${names} of the page's address got lost; use method="post", or ${carry}`;
}
