import type { ObservationCheck } from "../../../checking/check.ts";
import { TWIN } from "../../../checking/evidence.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { platformParameters } from "../../../guard/visit/lost-parameters.ts";
import { claimsOf } from "../../../journal/credentials.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { redirectTarget } from "../../../journal/redirect-target.ts";
import { everythingIn } from "../walk/answer.ts";

/** A token or state of the platform, which is not in a page by chance; the states of other checks have other forms. */
const ofPlatform = /^[\w.-]{24,}$/;

/** A page from a cache is that of another login. */
export const ownLoginCheck: ObservationCheck = {
  id: "page.answer.own-login",
  area: "page",
  title: "The page has no token and no state of another login",
  section: "5.1",
  severity: "must",
  why: "Users open the page at the same time. A user who gets another's page acts on behalf of that user.",
  fix: "Render the page for each request, or keep a login's data out of it; and do not cache it in the app.",
  observe: (exchanges) => {
    const pages = exchanges.filter(({ purpose, check }) => purpose === "guard-page" && check?.role !== TWIN);
    if (pages.length === 0) return skipVerdict("the page was not answered");
    const keys = pages.map((page) => keysOf(page, pages));
    const known = new Set(keys.flat().filter((key) => ofPlatform.test(key)));
    const isForeign = pages.some((page, index) => {
      const text = everythingIn(page);
      const own = keys[index] ?? [];
      const isKnown = [...known].some((key) => !own.includes(key) && text.includes(key));
      return isKnown || own.some((token) => holdsOtherToken(text, token));
    });
    return isForeign ? faulty(ownLoginCheck, "a page held the token or the state of another login") : PASSED;
  },
};

/** The token and the state with which a page was requested: in its own URL, or in those that redirected there. */
function keysOf({ request }: Exchange, pages: readonly Exchange[]): string[] {
  const own = keysIn(request.url);
  if (own.length > 0) return own;
  return pages
    .filter((page) => redirectTarget(page)?.url.href === request.url)
    .flatMap((page) => keysIn(page.request.url));
}

function keysIn(address: string): string[] {
  const { searchParams } = new URL(address);
  return platformParameters.flatMap((name) => searchParams.getAll(name));
}

/** Whether a text has another token for the same app and module; other tokens may be the app's own. */
function holdsOtherToken(text: string, token: string): boolean {
  const own = claimsOf(token);
  if (own?.aud === undefined || own.module === undefined) return false;
  const tokens = text.match(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/g) ?? [];
  return tokens.some((other) => {
    // Some pages write a text with its length before it, and go on directly after it.
    const claims = other.startsWith(token) ? null : claimsOf(other);
    return claims?.aud === own.aud && claims?.module === own.module;
  });
}
