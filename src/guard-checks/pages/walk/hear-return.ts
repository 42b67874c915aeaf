import type { Page, Request } from "playwright-core";
import { destinationOf, type PageVisit } from "../../../guard/visit/page-visit.ts";
import type { PageWalk } from "./walk.ts";

/** How a page in a browser came back to the platform. */
export type WayBack = Pick<PageWalk, "outcome" | "callback" | "misuse">;

/** The parameters of a callback that say how the interaction ended. */
const outcomes = ["code", "error"];

/**
 * Resolves with the outcome with which the page of a redirect guard comes back; the platform does not learn of it. An
 * address outside the app that gets a code or an error is intended as the callback: checks judge whether it is right.
 */
export async function hearReturn(page: Page, visit: PageVisit): Promise<{ readonly back: Promise<WayBack> }> {
  const { promise, resolve } = defer<WayBack>();
  const isCallback = (url: URL) => destinationOf(url, visit.login).kind === "callback";
  const isIntended = (url: URL) => isCallback(url) || isAstray(url, visit);
  const isBack = (request: Request) => {
    const url = new URL(request.url());
    return isCallback(url) || (isAstray(url, visit) && isOfWholePage(request));
  };
  const come = (callback: URL) => {
    const [query, behind] = [callback.searchParams, new URLSearchParams(callback.hash.slice(1))];
    const read = (name: string) => query.get(name) ?? behind.get(name);
    resolve({ outcome: walkOutcome(read("code"), read("error")), callback, misuse: null });
  };
  // Playwright does not intercept the target of a redirect: the platform, which does not know this state, refuses it.
  page.on("request", (request) => {
    const url = new URL(request.url());
    // Nothing tells what follows # in the address of a request.
    if (isBack(request) && outcomes.some((name) => url.searchParams.has(name))) come(url);
  });
  page.on("framenavigated", (frame) => {
    const url = new URL(frame.url());
    if (frame === page.mainFrame() && isIntended(url)) come(url);
  });
  await page.route(isIntended, (route) =>
    isBack(route.request()) ? route.fulfill({ contentType: "text/plain", body: "back" }) : route.fallback(),
  );
  return { back: promise };
}

/** Whether an address is intended as the callback, but is another one. */
function isAstray(url: URL, visit: PageVisit): boolean {
  const { kind } = destinationOf(url, visit.login);
  if (kind === "wrong-callback") return true;
  const behind = new URLSearchParams(url.hash.slice(1));
  return kind === "elsewhere" && outcomes.some((name) => url.searchParams.has(name) || behind.has(name));
}

function isOfWholePage(request: Request): boolean {
  return request.isNavigationRequest() && request.frame().parentFrame() === null;
}

/** What a code or an error says; null: neither is one. */
export function walkOutcome(code: unknown, error: unknown): PageWalk["outcome"] {
  if (typeof code === "string" && code !== "") return { code };
  return typeof error === "string" && error !== "" ? { error } : null;
}

/** A promise, and the function that resolves it. */
export function defer<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
