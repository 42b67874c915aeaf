import type { Browser, Frame, Page } from "playwright-core";
import { closeContext } from "../../browser/close-context.ts";
import { type PageTrouble, pageTrouble, withHint } from "../../browser/fill-form.ts";
import { type Doing, doingFirst, isStill, takeSteps } from "../../browser/page-steps.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { LoginSession } from "../login/login-face.ts";
import type { PageVisit } from "./page-visit.ts";
import type { VisitContext } from "./page-visitor.ts";
import { recordBrowser } from "./record-browser.ts";
import { type Ask, BUSY_MACHINE, hintsOf, stuck } from "./stuck-page.ts";
import { noFieldNamed } from "./walk-troubles.ts";
import { watchPage } from "./watch-page.ts";

/** How long a page without anything to fill in may take to return by itself. */
const SETTLE_MS = 2_000;
/** How long a page that called host.js wrongly may take to call it again. */
const SECOND_CALL_MS = 1_000;
/** How long a page has to say what it shows when the time is over: if its script never ends, it does not answer. */
const LAST_ANSWER_MS = 2_000;

/**
 * Walks the page of a guard in a headless Chromium: opens the platform's login page, and does on the app's page, or in
 * its frame, what a person would be asked to do, until the user is back (interface 3.1, 4.2). Any obstacle ends the
 * login with the reason. Each visit has its own cookies.
 * @param executable path of the Chromium to start; undefined: an installed one
 */
export async function walkInBrowser(
  context: VisitContext,
  login: LoginSession,
  visit: PageVisit,
  executable: string | undefined,
): Promise<void> {
  const { clock, underWay } = context;
  const opening = openPage(context, visit, executable);
  const isOver = clock.pause(visit.timeLeft(), visit.interaction.signal).then(() => TOO_SLOW);
  const opened = await Promise.race([opening, isOver]);
  // The login continues meanwhile.
  const close = () => void underWay.add(opening.then((late) => (late.ok ? late.close() : undefined)));
  if (!opened.ok) {
    close();
    return visit.leave(opened.trouble);
  }
  const { browser, page } = opened;
  try {
    await walk(context, page, login, visit);
  } catch (error) {
    visit.leave(browser.isConnected() ? failedStep(error, visit) : endedByItself);
  } finally {
    close();
  }
}

/** An empty page in a Chromium; call `close` when the visit is over. */
interface OpenedPage {
  readonly ok: true;
  readonly browser: Browser;
  readonly page: Page;
  close(): Promise<void>;
}

interface UnopenedPage {
  readonly ok: false;
  readonly trouble: PageTrouble;
}

const TOO_SLOW: UnopenedPage = {
  ok: false,
  trouble: {
    reason: "Chromium did not open a page in time",
    hint: BUSY_MACHINE,
    failure: "timed-out",
  },
};

/** Opens a page with cookies of its own. */
async function openPage(
  { chromium, clock }: VisitContext,
  visit: PageVisit,
  executable: string | undefined,
): Promise<OpenedPage | UnopenedPage> {
  const opened = await chromium.open(executable);
  if (!opened.ok) return { ok: false, trouble: pageTrouble(opened.reason, opened.hint) };
  const { browser, release } = opened;
  try {
    const browserContext = await browser.newContext({ acceptDownloads: false });
    browserContext.setDefaultTimeout(0);
    const page = await browserContext.newPage();
    // Closing the context of a Chromium that has exited fails harmlessly.
    const close = () => closeContext(browserContext, clock).catch(() => {});
    return { ok: true, browser, page, close: () => close().then(release) };
  } catch (error) {
    const trouble = browser.isConnected() ? failedStep(error, visit) : endedByItself;
    await release().catch(() => {});
    return { ok: false, trouble };
  }
}

async function walk(context: SimulatorContext, page: Page, login: LoginSession, visit: PageVisit): Promise<void> {
  const { clock } = context;
  const { signal, guard } = visit.interaction;
  const recorder = recordBrowser(context, page.context(), visit);
  try {
    const isFrame = guard.type === "frame";
    const watch = watchPage(page, visit, (frame) => (isFrame ? frame.parentFrame() : frame) === page.mainFrame());
    const doing = doingFirst("opening the page");
    const pressesBefore = visit.work.presses.count;
    const settle = async () => {
      await Promise.race([page.waitForLoadState("networkidle"), clock.pause(SETTLE_MS, signal)]);
    };
    const navigation = watchNavigation(page);
    // After a press the next page may be on its way, however long it takes.
    const mayChange = () => visit.work.presses.count > pressesBefore || navigation.isToRefresh();
    const steps = async () => {
      await page.goto(await login.link(), { waitUntil: "commit" });
      const frame = isFrame ? await frameOf(page) : page.mainFrame();
      const pause = (milliseconds: number) => clock.pause(milliseconds, signal);
      return takeSteps({ frame, work: visit.work, isLast: visit.isLast, doing, settle, pause });
    };
    const beginAsking = (isOver: boolean): Ask => {
      // Before the time is over, the page has as long as that takes; then it is asked once more.
      if (!isOver) return (question, fallback) => question.catch(() => fallback);
      const over = clock.pause(Math.min(LAST_ANSWER_MS, visit.interaction.timeLeft() / 2), signal);
      return (question, fallback) => Promise.race([question.catch(() => fallback), over.then(() => fallback)]);
    };
    const isStuckAt = (isOver: boolean) =>
      stuck(
        { page, visit, doing, isOver, hints: hintsOf(login, watch, doing), hasSentForm: watch.hasSentForm },
        beginAsking(isOver),
      );
    const wait = () => clock.pause(SECOND_CALL_MS, signal).then(() => !signal.aborted);
    const misused = watch.misuse.then((trouble) => whenIdle(wait, doing, trouble));
    const trouble = await Promise.race([
      ended(signal),
      watch.fault,
      misused,
      clock.pause(visit.timeLeft(), signal).then(() => (signal.aborted ? null : isStuckAt(true))),
      ...(isFrame
        ? []
        : [
            untilStill(wait, page, doing, { ...navigation, mayChange }).then((isIn) =>
              isIn ? isStuckAt(false) : null,
            ),
          ]),
      steps().then(
        (met) => met ?? ended(signal),
        (error) => (page.context().browser()?.isConnected() ? failedStep(error, visit) : endedByItself),
      ),
    ]);
    if (trouble === null) {
      // As over HTTP: the app's reaction to a form without them is not what was asked for.
      const overlooked = visit.work.presses.count > pressesBefore && visit.isLast() ? overlookedIn(visit) : null;
      return overlooked === null ? undefined : login.leave(overlooked);
    }
    // The report shows only what the login learns before it ends.
    await recorder.finish(visit.timeLeft());
    // Before closing the page, which may take longer than the platform waits.
    visit.leave(withHint(withError(trouble, watch.lastError), watch.signIn));
  } finally {
    await recorder.finish();
  }
}

/** The fields that no page had before the user came back; null: there are none. */
function overlookedIn({ work, guards }: PageVisit): PageTrouble | null {
  const open = Object.keys(work.fill).filter((name) => !work.filled.has(name));
  return open.length === 0 ? null : noFieldNamed(open, [...work.seen], guards);
}

/** Waits for as long as a page may take to react; false when the visit is over. */
type Wait = () => Promise<boolean>;

/**
 * Resolves with the misuse once nothing is in progress that might lead to a correct call; null when the visit is over.
 */
async function whenIdle(wait: Wait, doing: Doing, misuse: PageTrouble): Promise<PageTrouble | null> {
  for (;;) {
    const { isWaiting, text } = doing;
    if (!(await wait())) return null;
    if (isWaiting && doing.isWaiting && doing.text === text) return misuse;
  }
}

/** Resolves once what is looked for cannot come any more; false when the visit is over. */
async function untilStill(
  wait: Wait,
  page: Page,
  doing: Doing,
  { count, mayChange }: Pick<Navigation, "count"> & { mayChange(): boolean },
): Promise<boolean> {
  for (;;) {
    const { text } = doing;
    const before = count();
    if (!(await wait())) return false;
    const isSame = () => doing.text === text && count() === before;
    const isIdle = () => doing.isLooking && doing.isWaiting && isSame() && !mayChange();
    if (!isIdle() || !(await isStill(page.mainFrame()).catch(() => false))) continue;
    // On a busy machine, it may be there before the visit has noticed it.
    const isThere = await doing.isThere().catch(() => true);
    if (!isThere && isIdle()) return true;
  }
}

/** How a browser went from page to page. */
interface Navigation {
  /** Pages so far: a page that has only just come may not have been searched yet. */
  count(): number;
  /** Whether the page has a Refresh header, by which a browser goes on by itself; its document does not show it. */
  isToRefresh(): boolean;
}

function watchNavigation(page: Page): Navigation {
  let count = 0;
  let isToRefresh = false;
  page.on("framenavigated", (frame) => {
    if (frame === page.mainFrame()) count += 1;
  });
  page.on("response", (response) => {
    const request = response.request();
    if (request.isNavigationRequest() && request.frame() === page.mainFrame())
      isToRefresh = response.headers().refresh !== undefined;
  });
  return { count: () => count, isToRefresh: () => isToRefresh };
}

/** The frame in which the platform shows the app's page. */
async function frameOf(page: Page): Promise<Frame> {
  const element = await page.locator("iframe").first().elementHandle();
  const frame = await element?.contentFrame();
  if (frame == null) throw new Error("the platform's page has no frame");
  return frame;
}

/** Resolves when the user is back, or the login is over. */
function ended(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}

/** An error of a script may have kept the page from returning. */
function withError(trouble: PageTrouble, error: string | null): PageTrouble {
  const { hint } = trouble;
  if (error === null || hint?.includes(error) || isSaidBy(trouble, error)) return trouble;
  return { ...trouble, hint: hint === null ? error : `${hint}; ${error}` };
}

/** A call that host.js refused is itself the reason. */
function isSaidBy({ reason }: PageTrouble, error: string): boolean {
  const [, call] = /(AP\.verifyAuth\(\).*)$/.exec(reason) ?? [];
  return call !== undefined && error.includes(call);
}

function failedStep(error: unknown, visit: PageVisit): PageTrouble {
  // The platform could not start listening for the browser.
  if (error instanceof UsageError) return pageTrouble(error.message, error.hint);
  const { message } = error as Error;
  if (message.includes("Download is starting")) {
    const hint = "let it answer with text/html, and without Content-Disposition: attachment";
    return pageTrouble("the app answered with a download instead of a page", hint);
  }
  const code = /net::\w+/.exec(message)?.[0];
  const reason =
    code === undefined
      ? `Chromium could not walk the app's page: ${visit.quote(message.split("\n")[0] ?? "")}`
      : `Chromium could not open the app's page: ${code}`;
  return pageTrouble(reason, code === "net::ERR_ABORTED" ? "did the app answer without an HTML page?" : null);
}

const endedByItself = pageTrouble(
  "Chromium exited while walking the app's page",
  "was it killed, or did it run out of memory?",
);
