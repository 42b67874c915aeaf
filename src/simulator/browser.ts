import type { Browser, Frame, Page } from "playwright-core";
import { UsageError } from "../protocol/usage-error.ts";
import { allButtons, buttonsText } from "./browser-buttons.ts";
import { type Doing, takeSteps } from "./browser-steps.ts";
import type { Chromium } from "./chromium.ts";
import type { SimulatorContext } from "./context.ts";
import { shown } from "./fill-fields.ts";
import type { LoginSession } from "./login-session.ts";
import type { PageVisit, VisitTrouble } from "./page-visit.ts";
import { textOf, type Watch, watchPage } from "./watch-page.ts";

/** How long a page without anything to fill in may take to come back by itself. */
const SETTLE_MS = 2_000;

/**
 * Walks the page of a guard in a headless Chromium: opens the login's page of the platform, and does in the app's
 * page, or in its frame, what a person would be asked to, until the user is back (interface 3.1, 4.2). Whatever
 * stands in the way ends the login with the reason. Each visit has cookies of its own.
 * @param executable path of the Chromium to start; undefined: one that is installed
 */
export async function walkInBrowser(
  context: SimulatorContext,
  chromium: Chromium,
  login: LoginSession,
  visit: PageVisit,
  executable: string | undefined,
): Promise<void> {
  const { signal } = visit.interaction;
  const opened = await chromium.open(executable);
  if (!opened.ok) return visit.leave({ reason: opened.reason, hint: opened.hint, failure: "other" });
  try {
    if (signal.aborted) return;
    const trouble = await walk(context, opened.browser, login, visit);
    if (trouble !== null) visit.leave(trouble);
  } catch (error) {
    // What is under way in a page when the visit ends, fails.
    if (signal.aborted) return;
    visit.leave(opened.browser.isConnected() ? failedStep(error, visit) : endedByItself);
  } finally {
    await opened.release();
  }
}

async function walk(
  { clock }: SimulatorContext,
  browser: Browser,
  login: LoginSession,
  visit: PageVisit,
): Promise<VisitTrouble | null> {
  const { signal, guard } = visit.interaction;
  const browserContext = await browser.newContext({ acceptDownloads: false });
  try {
    browserContext.setDefaultTimeout(0);
    const page = await browserContext.newPage();
    const isFrame = guard.type === "frame";
    const watch = watchPage(page, visit, (frame) => (isFrame ? frame.parentFrame() : frame) === page.mainFrame());
    const doing: Doing = { text: "opening the page", isLooking: false };
    const settle = async () => {
      await Promise.race([page.waitForLoadState("networkidle"), clock.pause(SETTLE_MS, signal)]);
    };
    const steps = async () => {
      await page.goto(await login.link(), { waitUntil: "commit" });
      return takeSteps(isFrame ? await frameOf(page) : page.mainFrame(), visit, doing, settle);
    };
    return await Promise.race([
      ended(signal),
      watch.fault,
      clock
        .pause(visit.timeLeft(), signal)
        .then(() => (signal.aborted ? null : stuck(page, isFrame, doing, visit, hintsOf(login, watch)))),
      steps().then((trouble) => trouble ?? ended(signal)),
    ]);
  } finally {
    await browserContext.close();
  }
}

/** The frame in which the platform shows the app's page. */
async function frameOf(page: Page): Promise<Frame> {
  const element = await page.locator("iframe").first().elementHandle();
  const frame = await element?.contentFrame();
  if (frame == null) throw new Error("the platform's page has no frame");
  return frame;
}

/** Resolves when the user is back, or the login over. */
function ended(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}

/** What the platform's page found out about its frame says more than what a script complained of. */
function hintsOf(login: LoginSession, { notes }: Watch): readonly string[] {
  const found = login.view().interaction?.troubles.find(({ reason }) => !notes.includes(reason));
  return found === undefined ? notes.slice(-1) : [found.reason, ...(found.hint === null ? [] : [found.hint])];
}

/** The time is over: what a person would see in the page now. */
async function stuck(
  page: Page,
  isFrame: boolean,
  { text, isLooking }: Doing,
  visit: PageVisit,
  hints: readonly string[],
): Promise<VisitTrouble> {
  const frame = (isFrame ? page.mainFrame().childFrames()[0] : undefined) ?? page.mainFrame();
  const [title, content, buttons] = [await frame.title(), await textOf(frame), await buttonsText(allButtons(frame))];
  const seen = content.trim() === "" ? "is empty" : `shows: ${visit.quote(content)}`;
  return {
    reason: `the app's page did not bring the user back in time: still ${text}; the page ${shown(title)} ${seen}`,
    hint: (isLooking ? [buttons, ...hints] : hints.length === 0 ? [buttons] : hints).join("; "),
    failure: isLooking ? "other" : "timed-out",
  };
}

function failedStep(error: unknown, visit: PageVisit): VisitTrouble {
  // The platform could not listen for the browser.
  if (error instanceof UsageError) return { reason: error.message, hint: error.hint, failure: "other" };
  const { message } = error as Error;
  const code = /net::\w+/.exec(message)?.[0];
  const reason =
    code === undefined
      ? `Chromium could not walk the app's page: ${visit.quote(message.split("\n")[0] ?? "")}`
      : `Chromium could not open the app's page: ${code}`;
  return { reason, hint: code === "net::ERR_ABORTED" ? "did the app answer without a page?" : null, failure: "other" };
}

const endedByItself: VisitTrouble = {
  reason: "Chromium ended while it walked the app's page",
  hint: "was it killed, or is there too little memory?",
  failure: "other",
};
