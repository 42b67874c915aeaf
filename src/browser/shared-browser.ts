import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Clock } from "../app-client/ports.ts";
import { closeContext, closePages } from "./close-context.ts";

/** A browser for several walks: what one of them leaves behind is there in the next. */
export interface SharedBrowser {
  /** Its context in this Chromium, with its cookies and storage. */
  contextIn(chromium: Browser): Promise<BrowserContext>;
  /** Opens a tab. It goes on from the tab that was left last, if any, and closes that one. */
  openTab(chromium: Browser, clock: Clock): Promise<Page>;
  /** Leaves a tab open for the next walk. */
  leaveTab(tab: Page): void;
  close(clock: Clock): Promise<void>;
}

/** How long Chromium may take to open a tab from another. */
const OPENING_MS = 5_000;

/** Creates a browser that keeps what walks leave behind until it is closed. */
export function sharedBrowser(): SharedBrowser {
  let opened: Promise<BrowserContext> | null = null;
  let left: Page | null = null;
  const contextIn = (chromium: Browser) => {
    opened ??= newContext(chromium);
    return opened;
  };
  return {
    contextIn,
    openTab: async (chromium, clock) => {
      const before = left;
      left = null;
      const tab = before === null ? null : await openFrom(before).catch(() => null);
      if (before !== null) await closePages([before], clock);
      return tab ?? (await contextIn(chromium)).newPage();
    },
    leaveTab: (tab) => {
      left = tab;
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
  const popups: Page[] = [];
  const note = (page: Page) => {
    page.on("popup", (popup) => {
      popups.push(popup);
      note(popup);
    });
    return page;
  };
  let tab: Page | null = null;
  return {
    browserContext: await shared.contextIn(chromium),
    newPage: async () => {
      tab = note(await shared.openTab(chromium, clock));
      return tab;
    },
    leave: () => {
      if (tab !== null) shared.leaveTab(tab);
      return closePages(popups, clock);
    },
  };
}

/**
 * Opens a tab that goes on from another: it begins with the same sessionStorage, as if the user had stayed in one tab.
 * It is a new one nevertheless, in which nobody listens yet.
 */
async function openFrom(before: Page): Promise<Page> {
  const opening = before.waitForEvent("popup", { timeout: OPENING_MS });
  const [tab] = await Promise.all([opening, before.evaluate("open('about:blank').opener = null")]);
  return tab;
}

function newContext(chromium: Browser): Promise<BrowserContext> {
  return chromium.newContext({ acceptDownloads: false, serviceWorkers: "block" });
}
