import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Clock } from "../app-client/ports.ts";
import { closeContext, closePages } from "./close-context.ts";

/** A browser for several walks: what one of them leaves behind is there in the next. */
export interface SharedBrowser {
  /** Its context in this Chromium, with its cookies and storage. */
  contextIn(chromium: Browser): Promise<BrowserContext>;
  close(clock: Clock): Promise<void>;
}

/** Creates a browser that keeps what walks leave behind until it is closed. */
export function sharedBrowser(): SharedBrowser {
  let opened: Promise<BrowserContext> | null = null;
  return {
    contextIn: (chromium) => {
      opened ??= newContext(chromium);
      return opened;
    },
    close: async (clock) => {
      // Chromium may have gone down: the walks in it say so.
      const context = await opened?.catch(() => null);
      if (context != null) await closeContext(context, clock).catch(() => {});
    },
  };
}

/** The browser of one walk. */
interface Visitor {
  readonly browserContext: BrowserContext;
  /** Opens a tab. */
  newPage(): Promise<Page>;
  /** Ends the walk: closes a browser of its own, or else its tabs. */
  leave(): Promise<unknown>;
}

/** Provides the browser of a walk: the shared one, or one in which nothing has been opened before. */
export async function visitIn(chromium: Browser, shared: SharedBrowser | undefined, clock: Clock): Promise<Visitor> {
  if (shared === undefined) {
    const browserContext = await newContext(chromium);
    return {
      browserContext,
      newPage: () => browserContext.newPage(),
      leave: () => closeContext(browserContext, clock),
    };
  }
  const browserContext = await shared.contextIn(chromium);
  const pages: Page[] = [];
  const note = (page: Page) => {
    pages.push(page);
    page.on("popup", note);
    return page;
  };
  return {
    browserContext,
    newPage: async () => note(await browserContext.newPage()),
    leave: () => closePages(pages, clock),
  };
}

function newContext(chromium: Browser): Promise<BrowserContext> {
  return chromium.newContext({ acceptDownloads: false, serviceWorkers: "block" });
}
