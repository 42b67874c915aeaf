import type { Exchange } from "../../../journal/exchange.ts";
import { bodyText } from "../../../journal/journal.ts";
import { asksForSecret, holdsPasswordHash, isWordOf, unseenIn } from "../form/secret-fields.ts";
import { everythingIn } from "../walk/answer.ts";
import type { PageWalk } from "../walk/walk.ts";
import { answersLoaded } from "../walk/walked-code.ts";
import { loadedIn, mediaTypeOf } from "./loaded-parts.ts";

/** Where the password was that was typed in a walk. */
export interface SeenPassword {
  /** Whether a request of the page had it. */
  readonly isSent: boolean;
  /** Whether the page, its scripts or what they loaded had it before it was typed. */
  readonly isInside: boolean;
}

/** What is filled in, by the names of fields. */
type Filled = Readonly<Record<string, unknown>>;

/** The passwords among what was filled in on a page, with the names of their fields. */
export function passwordsTyped([shown]: readonly Exchange[], fill: Filled): [name: string, value: string][] {
  return Object.entries(fill).flatMap(([name, value]): [string, string][] => {
    if (shown === undefined || typeof value !== "string" || value === "") return [];
    return asksForSecret(shown, name) ? [[name, value]] : [];
  });
}

/** Where the first password was in a walk; empty: none was filled in. */
export function seenPassword(
  walk: Pick<PageWalk, "exchanges" | "loaded">,
  fill: Filled,
): { readonly password?: SeenPassword } {
  const { exchanges } = walk;
  const [typed] = passwordsTyped(exchanges, fill);
  if (typed === undefined) return {};
  const [, value] = typed;
  const sent = exchanges.map(({ request }) => `${request.url}\n${bodyText(request.body)}`);
  const isSent = sent.some((text) => text.includes(value) || text.includes(encodeURIComponent(value)));
  const parts = new Set([...loadedIn(exchanges), ...answersLoaded(walk)]);
  const isInside = [...parts].some(
    (exchange) =>
      isWordOf(sourceOf(exchange), value) || (isPage(exchange) && holdsPasswordHash(everythingIn(exchange))),
  );
  return { password: { isSent, isInside } };
}

/** What nobody sees of a page, and the whole of a script or of data. */
function sourceOf(exchange: Exchange): string {
  const text = everythingIn(exchange);
  return isPage(exchange) ? unseenIn(text) : text;
}

function isPage(exchange: Exchange): boolean {
  return mediaTypeOf(exchange).includes("html");
}
