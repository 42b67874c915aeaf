import type { Browser, Frame, Page } from "playwright-core";
import type { Clock } from "../../../app-client/ports.ts";
import { type PageTrouble, pageTrouble } from "../../../browser/fill-form.ts";
import { allButtons } from "../../../browser/page-buttons.ts";
import { doingFirst, takeSteps } from "../../../browser/page-steps.ts";
import { visitIn } from "../../../browser/shared-browser.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { PageVisit } from "../../../guard/visit/page-visit.ts";
import { UsageError } from "../../../protocol/usage-error.ts";
import { unshownPage } from "./dead-end.ts";
import { FRAME_HOME, showInFrame } from "./frame-home.ts";
import { type BrowserWalk, hearPage, seenIn } from "./hear-page.ts";
import type { WayBack } from "./hear-return.ts";
import { unseen } from "./unseen.ts";
import type { MayWalkAgain, PlannedWalk, WalkedOnce } from "./walk.ts";

type Found = Omit<WalkedOnce, "exchanges" | "hasPressedAll">;

const never = new Promise<never>(() => {});
const nowhere = { ...unseen, outcome: null, callback: null, buttons: [], isDeadEnd: false };

/** How long a page may load or continue by itself before it counts as idle. */
const QUIET_MS = 1500;
/** How long a page that shows something may take to report something, too. */
const REPORTING_MS = 500;
/** How long it may take to read what was recorded. */
const RECORDING_MS = 5000;
/** How many times as long as a page takes to open a walk may take in addition, and what counts of that at most. */
const SLOWNESS = 5;
const MOST_OPENING_MS = 10_000;
/** What a walk does at first. */
const OPENING = "opening the page";
/** How long a page may take to ask its app something after the last button was pressed. */
const ASKING_MS = 4000;

/**
 * Walks the page of a guard in a headless Chromium: a redirect guard's as it is, a frame guard's in a frame of the
 * platform's origin (interface 4.2). The requests that the page makes of the app are recorded.
 * @param may for what reasons the walk ends early, to be repeated
 */
export async function walkInChromium(
  context: VerifyContext,
  walk: PlannedWalk,
  visit: PageVisit,
  may: MayWalkAgain,
): Promise<Found> {
  const opened = await context.chromium.open(undefined);
  if (!opened.ok) return { ...nowhere, trouble: opened };
  try {
    const platform = await context.listen();
    return await walkIn(opened.browser, context, { ...walk, platform, may }, visit);
  } catch (error) {
    // A port that is taken is not the page's fault.
    if (error instanceof UsageError) throw error;
    const [line = ""] = (error as Error).message.split("\n");
    const trouble = pageTrouble(`Chromium could not walk the app's page: ${visit.quote(line)}`, null);
    return { ...nowhere, trouble };
  } finally {
    await opened.release();
  }
}

async function walkIn(browser: Browser, context: VerifyContext, walk: BrowserWalk, visit: PageVisit): Promise<Found> {
  const { url, isBrief, shared, whenOpened, thenRight, platform, may } = walk;
  const isOver = new AbortController();
  const pause = (milliseconds: number) => context.clock.pause(milliseconds, isOver.signal);
  const limit = walkLimit(context.clock, visit.timeLeft() + (thenRight?.patienceMs ?? 0), pause);
  const { browserContext, newPage, leave } = await visitIn(browser, shared, context.clock);
  let buttons: readonly string[] = [];
  try {
    browserContext.setDefaultTimeout(0);
    const page = await newPage();
    const heard = await hearPage(context, page, walk, visit);
    const { recorder, back, refusal, again } = heard;
    let isShown = false;
    let isAtDeadEnd = async () => false;
    let textsNow = async (): Promise<string[]> => [];
    const doing = doingFirst(OPENING);
    const settle = () => Promise.race([page.waitForLoadState("networkidle"), pause(QUIET_MS)]);
    const steps = async (): Promise<PageTrouble | WayBack> => {
      const { opened, frame } = await openPage(page, url, walk.guard.module.type === "frame" ? platform : null);
      limit.markOpened();
      textsNow = () => textsOf(frame);
      isAtDeadEnd = async () => heard.watched.isDeadEnd(frame, buttons, await textsNow());
      await settle();
      await refusal?.look(frame);
      buttons = await textsOf(frame);
      recorder.markLoaded();
      const refused = await unshownPage(opened, frame);
      if (refused === null && whenOpened !== undefined) {
        doing.text = "waiting for another tab";
        await whenOpened();
      }
      const way = { frame, isLast: visit.isLast, doing, settle, pause };
      // A page whose call was refused may not get to the rest of the steps.
      const takeAll = () =>
        Promise.race([takeSteps({ ...way, work: visit.work }), refusal?.refused.then(() => null) ?? never]);
      const met = refused ?? (await takeAll()) ?? (await again?.answer(way)) ?? null;
      if (refusal === null) return met ?? (isBrief ? untilAsked(recorder, pause) : back);
      isShown = await refusal.isShown(frame);
      await pause(REPORTING_MS);
      return met ?? pageTrouble("the app refused its page's call", null);
    };
    const late = limit.over.then(() =>
      pageTrouble(`the app's page did not bring the user back in time: still ${doing.text}`, null),
    );
    const ended = await Promise.race([back, steps(), recorder.turnedAway, late]);
    if ("pause" in ended) return { ...nowhere, trouble: null, pause: ended.pause };
    if (limit.isOver() && doing.text === OPENING && may.unopened) return { ...nowhere, trouble: null, pause: 0 };
    const inTime = async <T>(read: Promise<T>) => (await Promise.race([read, pause(RECORDING_MS)])) ?? null;
    const isTrouble = "reason" in ended;
    const seen = {
      // What a page shows does not count if it has reported something, even something invalid.
      ...(await seenIn(page, heard, isShown && isTrouble, inTime)),
      buttons,
      endButtons: (isTrouble ? await inTime(textsNow()) : null) ?? [],
      isDeadEnd: isTrouble && (await inTime(isAtDeadEnd())) === true,
      pause: null,
    };
    if (isTrouble) return { ...seen, outcome: null, callback: null, misuse: null, trouble: ended };
    return { ...seen, ...ended, trouble: ended.misuse === null ? null : pageTrouble(ended.misuse, null) };
  } finally {
    isOver.abort();
    await leave();
  }
}

/** Ends a walk that takes too long. On a busy machine a page opens slowly, and everything else takes longer, too. */
function walkLimit(clock: Clock, milliseconds: number, pause: (milliseconds: number) => Promise<unknown>) {
  const started = clock.monotonic();
  let openingMs = 0;
  let isOver = false;
  const wait = async () => {
    await pause(milliseconds);
    await pause(SLOWNESS * Math.min(openingMs, MOST_OPENING_MS));
    isOver = true;
  };
  return {
    over: wait(),
    isOver: () => isOver,
    markOpened: () => {
      openingMs = clock.monotonic() - started;
    },
  };
}

/**
 * Opens the page of an app.
 * @param platform where it is shown in a frame; null: it is not
 */
async function openPage(page: Page, url: string, platform: string | null) {
  if (platform === null) return { opened: await page.goto(url, { waitUntil: "commit" }), frame: page.mainFrame() };
  const opened = await page.goto(`${platform}${FRAME_HOME}`, { waitUntil: "load" });
  return { opened, frame: await showInFrame(page, url) };
}

/** Gives a page time to ask its app something, and to report what comes. */
async function untilAsked(
  { asked }: { readonly asked: Promise<void> },
  pause: (milliseconds: number) => Promise<unknown>,
): Promise<PageTrouble> {
  await Promise.race([asked, pause(ASKING_MS)]);
  await pause(REPORTING_MS);
  return pageTrouble("the page reported nothing", null);
}

async function textsOf(frame: Frame): Promise<string[]> {
  const texts = await allButtons(frame).allInnerTexts();
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ""))];
}
