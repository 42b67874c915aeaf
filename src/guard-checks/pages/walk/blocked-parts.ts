import type { Page } from "playwright-core";
import { destinationOf, type PageVisit } from "../../../guard/visit/page-visit.ts";

/** The name of an element that no app has in its pages, and the beginning of a name that no app has in its paths. */
export const CANARY = "app-sim-canary";

/** Parts of the page that its own policy blocks; the list grows while the page is walked. */
export async function hearBlocked(page: Page, { login }: PageVisit): Promise<readonly string[]> {
  const blocked: string[] = [];
  await page.exposeFunction("appSimBlocked", (directive: string, what: string) => {
    if (what === "inline") blocked.push(`inline code of the page, by ${directive}`);
    const address = URL.canParse(what) ? new URL(what) : null;
    if (address === null || destinationOf(address, login).kind !== "app") return;
    // The page works without its images.
    if (!directive.startsWith("img-") || address.pathname.includes(`/${CANARY}`))
      blocked.push(`${address.pathname}, by ${directive}`);
  });
  await page.addInitScript(tellBlocked);
  return blocked;
}

/** Runs in every frame. Ignores blocked styles: the page works without them, too. */
function tellBlocked(): void {
  const { document, appSimBlocked } = globalThis as unknown as FrameGlobals;
  document.addEventListener("securitypolicyviolation", ({ disposition, effectiveDirective, blockedURI }) => {
    const isTold = /^(connect|form|img|script)-/.test(effectiveDirective);
    if (disposition === "enforce" && isTold) appSimBlocked(effectiveDirective, blockedURI);
  });
}

/** What {@link tellBlocked} finds in a frame. */
interface FrameGlobals {
  readonly document: {
    addEventListener(
      type: "securitypolicyviolation",
      listener: (event: {
        readonly disposition: string;
        readonly effectiveDirective: string;
        readonly blockedURI: string;
      }) => void,
    ): void;
  };
  appSimBlocked(directive: string, what: string): void;
}
