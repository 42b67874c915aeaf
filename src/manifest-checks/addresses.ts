import type { CheckFacts, Verdict } from "../checking/check.ts";
import { NOTHING_LISTENS, WHY_DOWN } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict, WAS_GONE, WENT_DOWN } from "../checking/verdict.ts";
import { type Exchange, headerValue, type Outcome } from "../journal/exchange.ts";
import { unpackedText } from "../journal/readable-body.ts";
import { parseUrl } from "../protocol/url.ts";

/** The role of the request to an address where no app serves anything. */
export const ELSEWHERE = "elsewhere";
/** The role of the request to the declared address. */
export const DECLARED = "declared";

const facts = { area: "manifest", severity: "must", section: "4.2" } as const;
const fix = "Compare the address in the manifest with the app's routes, including the trailing slash.";

/** The checks that each declared address answers, by what is declared. */
export const addressChecks = {
  guard: {
    ...facts,
    id: "manifest.address.guard",
    title: "The address of a guard accepts POST requests",
    why: "The platform posts to this address on every login. If nothing answers there, nobody can log in.",
    fix,
  },
  page: {
    ...facts,
    id: "manifest.address.page",
    title: "The address of a guard's page can be opened",
    why: "The platform sends the user to this address. If nothing answers there, nobody gets past the guard.",
    fix,
  },
  import: {
    ...facts,
    id: "manifest.address.import",
    title: "The address of an import module accepts POST requests",
    why: "The platform posts every imported file to this address. If nothing answers there, no file is processed.",
    fix,
  },
  webhook: {
    ...facts,
    id: "manifest.address.webhook",
    title: "The address of a webhook accepts POST requests",
    why: "The platform posts its events to this address. If nothing answers there, all of them are lost.",
    fix,
  },
} as const satisfies Record<string, CheckFacts>;

const notThere = [404, 410];
const notTaken = [405, 501];

/**
 * Whether an address answers. An app may hide pages from strangers, so 404 counts only if the app answers an undeclared
 * address in the same way.
 */
export function judgeAddress(check: CheckFacts, exchanges: readonly Exchange[]): Verdict {
  const of = (role: string) => exchanges.find((exchange) => exchange.check?.role === role);
  const [declared, elsewhere] = [of(DECLARED), of(ELSEWHERE)];
  if (declared === undefined) return skipVerdict("nothing was sent");
  if (declared.outcome.kind === "unreachable") {
    return { result: "inconclusive", reason: `the app was gone before it: ${NOTHING_LISTENS}` };
  }
  const { outcome, response, request } = declared;
  const lost = lostAfter(outcome.kind, elsewhere?.outcome.kind);
  if (lost !== null) return { ...faulty(check, lost), hint: WHY_DOWN };
  if (response === null) return PASSED;
  const { status, headers } = response;
  if (notTaken.includes(status)) return faulty(check, `the app answered ${status} to ${request.method}`);
  if (request.method === "POST" && leadsToSlash(request.url, headerValue(headers, "location"), status)) {
    return faulty(
      check,
      `the app answered ${status}: its own address differs from the declared one by a trailing slash`,
    );
  }
  if (!notThere.includes(status)) return PASSED;
  if (elsewhere === undefined || !isSameAnswer(declared, elsewhere)) return PASSED;
  return faulty(check, `the app answered ${status}, like an address that does not exist`);
}

/** What became of an app that stopped answering after the request to the declared address; null: it still answered. */
function lostAfter(declared: Outcome["kind"], elsewhere: Outcome["kind"] | undefined): string | null {
  const isCut = declared === "disconnected";
  if (elsewhere === "unreachable") return `${isCut ? `${WENT_DOWN} it` : WAS_GONE}: ${NOTHING_LISTENS}`;
  // While an app ends, it may still accept a connection, but only to close it.
  const isCutTwice = isCut && elsewhere === "disconnected";
  return isCutTwice ? "the app closed the connection without an answer, and that of the next request, too" : null;
}

function leadsToSlash(url: string, location: string | undefined, status: number): boolean {
  const target = status >= 300 && status < 400 && location !== undefined ? parseUrl(location, url) : null;
  if (target === null) return false;
  const bare = (path: string) => path.replace(/\/+$/, "");
  const { pathname } = new URL(url);
  return target.pathname !== pathname && bare(target.pathname) === bare(pathname);
}

/** An answer without parts of the request, times and ids. */
function isSameAnswer(one: Exchange, other: Exchange): boolean {
  if (one.response?.status !== other.response?.status) return false;
  const [first, second] = [one, other].map(({ request, response }) => {
    const { pathname, search } = new URL(request.url);
    const text = response === null ? "" : unpackedText(response);
    return [request.url, pathname + search, pathname]
      .reduce((rest, part) => rest.replaceAll(part, ""), text)
      .replaceAll(/\d+|[0-9a-f]{8,}/g, "");
  });
  return first === second;
}
