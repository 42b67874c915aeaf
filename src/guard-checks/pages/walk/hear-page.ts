import type { Page, Request } from "playwright-core";
import { pauseAsked } from "../../../app-client/retry-after-gateway.ts";
import { refuseCall } from "../../../browser/refused-call.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import { destinationOf, type PageVisit } from "../../../guard/visit/page-visit.ts";
import { recordRequest } from "../../../guard/visit/record-browser.ts";
import { MESSAGES } from "../frame/open-messages.ts";
import { answeringAgain } from "./answer-again.ts";
import { hearBlocked } from "./blocked-parts.ts";
import { watchForDeadEnd } from "./dead-end.ts";
import { hearReports } from "./frame-home.ts";
import { defer, hearReturn } from "./hear-return.ts";
import { leftBehind, NOTHING_LEFT, withoutStackPlaces } from "./left-behind.ts";
import { keepScriptAnswers } from "./script-answers.ts";
import type { MayWalkAgain, PlannedWalk } from "./walk.ts";

/** A walk in Chromium. */
export interface BrowserWalk extends PlannedWalk {
  /** The address of the platform, which shows frames. */
  readonly platform: string;
  readonly may: MayWalkAgain;
}

/** Hears what the page does while it is walked. */
export async function hearPage(context: VerifyContext, page: Page, walk: BrowserWalk, visit: PageVisit) {
  const { guard, platform, toRefuse, thenRight, may } = walk;
  const posted: string[] = [];
  const recorder = await recordRequests(context, page, visit, may.turnedAway);
  const blocked = await hearBlocked(page, visit);
  const { back } =
    guard.module.type === "frame" ? await hearReports(page, platform, posted) : await hearReturn(page, visit);
  return {
    recorder,
    watched: watchForDeadEnd(page),
    said: hearConsole(page, visit),
    blocked,
    posted,
    back,
    refusal: toRefuse === undefined ? null : await refuseCall(page, toRefuse, context.clock),
    again: thenRight === undefined ? null : answeringAgain(page, thenRight),
  };
}

/**
 * What was heard of a page, and what it leaves behind, as far as that can be read in time.
 * @param isShown whether the page showed that its call was refused
 */
export async function seenIn(
  page: Page,
  { recorder, said, blocked, posted, refusal, again }: Awaited<ReturnType<typeof hearPage>>,
  isShown: boolean,
  inTime: <T>(read: Promise<T>) => Promise<T | null>,
) {
  const loaded = (await inTime(recorder.settled())) ?? [];
  const { readable, isAny: keepsData } = (await inTime(leftBehind(page.context(), page))) ?? NOTHING_LEFT;
  const tries = refusal?.tries() ?? 0;
  return {
    loaded,
    left: { ...readable, "the console": said.all.join("\n"), [MESSAGES]: posted.join("\n") },
    keepsData,
    blocked,
    refused: tries === 0 ? null : { tries, isShown },
    askedAgain: again?.asked() ?? ("no" as const),
    errors: said.errors,
  };
}

/** What the page writes to the browser's console, and the errors among it; both grow while the page is walked. */
function hearConsole(page: Page, { quote }: PageVisit) {
  const all: string[] = [];
  const errors: string[] = [];
  page.on("console", (message) => {
    // The browser's own messages, which no script has written, name the page's URL, too.
    if (message.args().length > 0) all.push(withoutStackPlaces(message.text()));
    if (message.type() === "error") errors.push(quote(message.text()));
  });
  page.on("pageerror", ({ message }) => errors.push(quote(message)));
  return { all, errors };
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
