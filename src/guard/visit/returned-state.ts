import type { PageRequest } from "../../browser/form-request.ts";
import type { CallbackQuery } from "../rules/callback.ts";
import { lostParameters } from "./lost-parameters.ts";

/**
 * What became of the state of a guard's page on its way back, as a hint; null if it came back, or if nothing more is
 * known than that it did not.
 * @param page address of the page
 * @param form the last form that was sent; null: there was none
 */
export function lostStateHint({ state }: CallbackQuery, page: URL, form: PageRequest | null): string | null {
  const issued = page.searchParams.get("state");
  const [back, ...others] = state;
  if (issued === null || others.length > 0 || back === issued) return null;
  if (back === undefined)
    return form !== null && lostParameters(form, page).includes("state")
      ? "the form sent no `state`: it is in the page's address, but not in the form; carry it in a hidden field, or keep it in a session"
      : null;
  if (back === "") return "its `state` is empty: return the one of the page's address";
  return `the page got another \`state\` in its address than came back: ${differenceOf(issued, back)}`;
}

function differenceOf(issued: string, back: string): string {
  if (issued.startsWith(back)) return `only its first ${back.length} of ${issued.length} characters came back`;
  if (issued.toLowerCase() === back.toLowerCase()) return "its letter case was changed";
  if (issued === back.trim()) return "it came back with white space around it";
  if (encodeURIComponent(issued) === back || encodeURI(issued) === back) return "it was encoded twice";
  return "return that one unchanged";
}
