import type { Browser, Frame, Page, Request } from "playwright-core";
import { pauseAsked } from "../../../app-client/retry-after-gateway.ts";
import { type PageTrouble, pageTrouble } from "../../../browser/fill-form.ts";
import { allButtons } from "../../../browser/page-buttons.ts";
import { doingFirst, takeSteps } from "../../../browser/page-steps.ts";
import { refuseCall } from "../../../browser/refused-call.ts";
import { visitIn } from "../../../browser/shared-browser.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import { destinationOf, type PageVisit } from "../../../guard/visit/page-visit.ts";
import { recordRequest } from "../../../guard/visit/record-browser.ts";
import { UsageError } from "../../../protocol/usage-error.ts";
import { MESSAGES } from "../frame/open-messages.ts";
import { hearBlocked } from "./blocked-parts.ts";
import { unshownPage, watchForDeadEnd } from "./dead-end.ts";
import { defer, hearReturn, type WayBack, walkOutcome } from "./hear-return.ts";
import { leftBehind, NOTHING_LEFT, withoutStackPlaces } from "./left-behind.ts";
import { keepScriptAnswers } from "./script-answers.ts";
import { unseen } from "./unseen.ts";
import type { MayWalkAgain, PlannedWalk, WalkedOnce } from "./walk.ts";

type Found = Omit<WalkedOnce, "exchanges" | "hasPressedAll">;

const nowhere = { ...unseen, outcome: null, callback: null, buttons: [], isDeadEnd: false };

/** How long a page may load or continue by itself before it counts as idle. */
const QUIET_MS = 1500;
/** How long a page that shows something may take to report something, too. */
const REPORTING_MS = 500;
/** How long it may take to read what was recorded. */
const RECORDING_MS = 5000;
/** What a walk does at first. */
const OPENING = "opening the page";
/** How long a page may take to ask its app something after the last button was pressed. */
const ASKING_MS = 4000;
/** Where the platform shows the frame; no page of the platform has this address. */
const FRAME_HOME = "/app-sim-verify-frame";

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

async function walkIn(
  browser: Browser,
  context: VerifyContext,
  walk: PlannedWalk & { readonly platform: string; readonly may: MayWalkAgain },
  visit: PageVisit,
): Promise<Found> {
  const { guard, url, toRefuse, isBrief, shared, whenOpened, platform, may } = walk;
  const { browserContext, newPage, leave } = await visitIn(browser, shared, context.clock);
  const isFrame = guard.module.type === "frame";
  const isOver = new AbortController();
  const pause = (milliseconds: number) => context.clock.pause(milliseconds, isOver.signal);
  let buttons: readonly string[] = [];
  try {
    browserContext.setDefaultTimeout(0);
    const page = await newPage();
    const recorder = await recordRequests(context, page, visit, may.turnedAway);
    const watched = watchForDeadEnd(page);
    const said = hearConsole(page, visit);
    const blocked = await hearBlocked(page, visit);
    const posted: string[] = [];
    const { back } = isFrame ? await hearReports(page, platform, posted) : await hearReturn(page, visit);
    const refusal = toRefuse === undefined ? null : await refuseCall(page, toRefuse, context.clock);
    let isShown = false;
    let isAtDeadEnd = async () => false;
    const doing = doingFirst(OPENING);
    const settle = () => Promise.race([page.waitForLoadState("networkidle"), pause(QUIET_MS)]);
    const steps = async (): Promise<PageTrouble | WayBack> => {
      const { opened, frame } = await openPage(page, url, isFrame ? platform : null);
      isAtDeadEnd = async () => watched.isDeadEnd(frame, buttons, await textsOf(frame));
      await settle();
      await refusal?.look(frame);
      buttons = await textsOf(frame);
      recorder.markLoaded();
      const refused = await unshownPage(opened, frame);
      if (refused === null && whenOpened !== undefined) {
        doing.text = "waiting for another tab";
        await whenOpened();
      }
      const met = refused ?? (await takeSteps({ frame, work: visit.work, isLast: visit.isLast, doing, settle, pause }));
      if (refusal === null) return met ?? (isBrief ? untilAsked(recorder, pause) : back);
      isShown = await refusal.isShown(frame);
      await pause(REPORTING_MS);
      return met ?? pageTrouble("the app refused its page's call", null);
    };
    const ended = await Promise.race([
      back,
      steps(),
      recorder.turnedAway,
      pause(visit.timeLeft()).then(() =>
        pageTrouble(`the app's page did not bring the user back in time: still ${doing.text}`, null),
      ),
    ]);
    if ("pause" in ended) return { ...nowhere, trouble: null, pause: ended.pause };
    const isUnopened = "reason" in ended && visit.timeLeft() === 0 && doing.text === OPENING;
    if (isUnopened && may.unopened) return { ...nowhere, trouble: null, pause: 0 };
    const inTime = async <T>(read: Promise<T>) => (await Promise.race([read, pause(RECORDING_MS)])) ?? null;
    const loaded = (await inTime(recorder.settled())) ?? [];
    const { readable, isAny: keepsData } = (await inTime(leftBehind(browserContext, page))) ?? NOTHING_LEFT;
    const left = { ...readable, "the console": said.all.join("\n"), [MESSAGES]: posted.join("\n") };
    const isDeadEnd = "reason" in ended && (await inTime(isAtDeadEnd())) === true;
    const tries = refusal?.tries() ?? 0;
    // What a page shows does not count if it has reported something, even something invalid.
    const refused = tries === 0 ? null : { tries, isShown: isShown && "reason" in ended };
    const seen = { buttons, loaded, left, keepsData, blocked, refused, isDeadEnd, errors: said.errors, pause: null };
    if ("reason" in ended) return { ...seen, outcome: null, callback: null, misuse: null, trouble: ended };
    return { ...seen, ...ended, trouble: ended.misuse === null ? null : pageTrouble(ended.misuse, null) };
  } finally {
    isOver.abort();
    await leave();
  }
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

/** What the page writes to the browser's console, and the errors among it; both grow while the page is walked. */
function hearConsole(page: Page, { quote }: PageVisit) {
  const all: string[] = [];
  const errors: string[] = [];
  page.on("console", (message) => {
    all.push(withoutStackPlaces(message.text()));
    if (message.type() === "error") errors.push(quote(message.text()));
  });
  page.on("pageerror", ({ message }) => errors.push(quote(message)));
  return { all, errors };
}

/**
 * Resolves with what the page in the frame reports by host.js, read as the platform's page reads it.
 * @param posted gets what the page sends in messages of its own
 */
async function hearReports(
  page: Page,
  platform: string,
  posted: string[],
): Promise<{ readonly back: Promise<WayBack> }> {
  const { promise, resolve } = defer<WayBack>();
  await page.exposeFunction("appSimReport", (code: unknown, error: unknown) =>
    resolve({ outcome: walkOutcome(code, error), callback: null, misuse: null }),
  );
  await page.exposeFunction("appSimMisuse", (problem: string) =>
    resolve({ outcome: null, callback: null, misuse: problem }),
  );
  await page.exposeFunction("appSimPosted", (message: string) => void posted.push(message));
  // Chromium treats an intercepted page as one from the Internet, which may not show pages of this machine.
  const ofThisMachine = page.context().grantPermissions(["local-network-access"], { origin: platform });
  // An older Chromium neither knows nor needs this permission.
  await ofThisMachine.catch(() => undefined);
  const home = { contentType: "text/html", body: "<!doctype html><title>Verification</title><body></body>" };
  await page.route(`${platform}${FRAME_HOME}`, (route) => route.fulfill(home));
  return { back: promise };
}

/** Shows an address in a frame of the page that is open. */
async function showInFrame(page: Page, address: string): Promise<Frame> {
  await page.evaluate(showFrame, address);
  return onlyFrame(page);
}

/** Runs in the page. */
function showFrame(address: string): void {
  const { document, addEventListener, frames, appSimReport, appSimMisuse, appSimPosted } =
    globalThis as unknown as PageGlobals;
  addEventListener("message", ({ source, data }) => {
    if (source !== frames[0]) return;
    if (data?.type === "app-sim:verify-auth") appSimReport(data.code, data.error);
    else if (data?.type === "app-sim:misuse") appSimMisuse(String(data.problem));
    else appSimPosted(JSON.stringify(data) ?? "");
  });
  const frame = document.createElement("iframe");
  frame.setAttribute("src", address);
  frame.setAttribute("style", "width: 800px; height: 600px");
  document.body.replaceChildren(frame);
}

/** What {@link showFrame} finds in the page. */
interface PageGlobals {
  readonly document: {
    readonly body: { replaceChildren(element: unknown): void };
    createElement(name: string): { setAttribute(name: string, value: string): void };
  };
  readonly frames: readonly unknown[];
  addEventListener(
    type: "message",
    listener: (event: { readonly source: unknown; readonly data: Record<string, unknown> | null }) => void,
  ): void;
  appSimReport(code: unknown, error: unknown): void;
  appSimMisuse(problem: string): void;
  appSimPosted(message: string): void;
}

async function onlyFrame(page: Page): Promise<Frame> {
  const element = await page.locator("iframe").first().elementHandle();
  const frame = await element?.contentFrame();
  if (frame == null) throw new Error("the page has no frame");
  return frame;
}

async function textsOf(frame: Frame): Promise<string[]> {
  const texts = await allButtons(frame).allInnerTexts();
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ""))];
}

/** Writes the requests that a page makes of its app into the journal. */
async function recordRequests(context: VerifyContext, page: Page, visit: PageVisit, mayComeAgain: boolean) {
  const { promise: turnedAway, resolve: turnAway } = defer<{ readonly pause: number }>();
  const begun: Request[] = [];
  const recorded = new Map<Request, Promise<string | null>>();
  const { promise: asked, resolve: ask } = defer<void>();
  let loaded: ReadonlySet<Request> | null = null;
  const isApps = (request: Request) => destinationOf(new URL(request.url()), visit.login).kind === "app";
  const bodyOf = await keepScriptAnswers(page);
  page.on("request", (request) => {
    begun.push(request);
    if (loaded !== null && isApps(request)) ask();
  });
  page.on("response", (response) => {
    const request = response.request();
    if (!isApps(request)) return;
    // At once: a page that learns the same from its own call may report an error before the request is recorded.
    const answer = { status: response.status(), headers: Object.entries(response.headers()) };
    const pause = mayComeAgain ? pauseAsked(answer) : null;
    if (pause !== null) turnAway({ pause });
    const exchange = recordRequest(context, request, visit, {
      browser: page.context(),
      keptBody: () => bodyOf(request),
      isPostponed: pause !== null,
    });
    recorded.set(
      request,
      exchange.catch(() => null),
    );
  });
  return {
    /** Resolves when the app asks for a request again a moment later, with the milliseconds until then. */
    turnedAway,
    /** Resolves at the first request after those that were noted. */
    asked,
    /** Notes the requests that the app has answered so far. */
    markLoaded: () => {
      loaded = new Set(recorded.keys());
    },
    /**
     * Resolves when everything is recorded; then the visit has the requests in order.
     * @returns the ids of those that were noted as answered
     */
    settled: async () => {
      const noted: string[] = [];
      for (const request of begun) {
        const id = await recorded.get(request);
        if (id == null) continue;
        visit.interaction.visited(id);
        if (loaded?.has(request) === true) noted.push(id);
      }
      return noted;
    },
  };
}
