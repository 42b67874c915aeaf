import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Clock } from "../app-client/ports.ts";
import { closeContext, closePages } from "./close-context.ts";

/** A browser for several walks: what one of them leaves behind is there in the next. */
export interface SharedBrowser {
  /** Its context in this Chromium, with its cookies and storage. */
  contextIn(chromium: Browser): Promise<BrowserContext>;
  /**
   * Opens a tab. It goes on from the tab that was left last, if any.
   * @throws Error if that is not possible
   */
  openTab(chromium: Browser): Promise<Page>;
  /** Closes the tab of a walk. The next one goes on from it, as if the user had stayed in one tab. */
  leaveTab(tab: Page, clock: Clock): Promise<void>;
  close(clock: Clock): Promise<void>;
}

/** How long Chromium may take to open a tab from another. */
const OPENING_MS = 5_000;

/** Creates a browser that keeps what walks leave behind until it is closed. */
export function sharedBrowser(): SharedBrowser {
  let opened: Promise<BrowserContext> | null = null;
  let next: Promise<Page> | null = null;
  const contextIn = (chromium: Browser) => {
    opened ??= newContext(chromium);
    return opened;
  };
  return {
    contextIn,
    openTab: async (chromium) => {
      const tab = next;
      next = null;
      return tab ?? (await contextIn(chromium)).newPage();
    },
    leaveTab: async (tab, clock) => {
      // A page may close its own tab. The user then opens another one.
      next = tab.isClosed() ? null : openFrom(tab);
      // The walk that needs it says why it cannot be opened.
      await next?.catch(() => {});
      await closePages([tab], clock);
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
      tab = note(await shared.openTab(chromium));
      return tab;
    },
    leave: async () => {
      // The next tab is one of this one's popups, too.
      const own = [...popups];
      if (tab !== null) await shared.leaveTab(tab, clock);
      await closePages(own, clock);
    },
  };
}

/** Opens a tab that begins with the same sessionStorage as another, and in which nobody listens yet. */
async function openFrom(before: Page): Promise<Page> {
  const opening = before.waitForEvent("popup", { timeout: OPENING_MS });
  const [tab] = await Promise.all([opening, before.evaluate("open('about:blank').opener = null")]);
  return tab;
}

function newContext(chromium: Browser): Promise<BrowserContext> {
  return chromium.newContext({ acceptDownloads: false, serviceWorkers: "block" });
}
