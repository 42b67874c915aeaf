import type { Frame, Page, Request, Response } from "playwright-core";
import { type PageTrouble, pageTrouble } from "../../../browser/fill-form.ts";
import { allButtons, pressableLinks, pressables } from "../../../browser/page-buttons.ts";
import { fieldNames, isStill } from "../../../browser/page-steps.ts";

/** What else a person could do in a page: elements that take more than a click on a button. */
const OTHER_WORK = "canvas, video, audio, iframe, object, embed, [contenteditable], [draggable=true], input[type=file]";
/** A page that sends a request as often as this waits for something to happen elsewhere. */
const POLLS = 2;

/** Watches whether a page in Chromium has nothing but buttons, and waits for nothing. */
export function watchForDeadEnd(page: Page) {
  const begun: Request[] = [];
  const over = new Set<Request>();
  let hasSocket = false;
  page.on("request", (request) => begun.push(request));
  page.on("requestfinished", (request) => over.add(request));
  page.on("requestfailed", (request) => over.add(request));
  page.on("websocket", () => {
    hasSocket = true;
  });
  const timesSent = (request: Request) => begun.filter((each) => isSameCall(each, request)).length;
  return {
    /**
     * Whether this frame has nothing but buttons, all of which it had from the start, and waits for nothing.
     * @param buttons the texts of the buttons that it had
     * @param now the texts of those that it has
     */
    isDeadEnd: async (frame: Frame, buttons: readonly string[], now: readonly string[]): Promise<boolean> => {
      if (hasSocket || begun.some((request) => !over.has(request) || timesSent(request) >= POLLS)) return false;
      if (now.some((text) => !buttons.includes(text))) return false;
      const others = [pressableLinks(frame), frame.locator(OTHER_WORK)];
      const counts = await Promise.all([pressables(frame), allButtons(frame), ...others].map((each) => each.count()));
      const [all, plain, ...more] = counts;
      return all === plain && more.every((count) => count === 0) && (await fieldNames(frame)).length === 0;
    },
  };
}

/**
 * How the app refused to show its page, without anything to do in its place; null: it did not, or the page is just
 * being left.
 */
export async function unshownPage(opened: Response | null, frame: Frame): Promise<PageTrouble | null> {
  if (opened === null || !(await isBare(frame).catch(() => false))) return null;
  const answered = `the app answered ${opened.status()} to the request for its page`;
  if (opened.status() >= 400) return pageTrouble(answered, null);
  const isEmpty = (await pressableLinks(frame).count()) === 0 && (await isStill(frame).catch(() => false));
  return isEmpty ? pageTrouble(`${answered}, with nothing to do on it`, null) : null;
}

/** Whether a page has nothing to press or to fill in. */
async function isBare(frame: Frame): Promise<boolean> {
  return (await pressables(frame).count()) === 0 && (await fieldNames(frame)).length === 0;
}

function isSameCall(one: Request, other: Request): boolean {
  return one.method() === other.method() && new URL(one.url()).pathname === new URL(other.url()).pathname;
}
