import type { BrowserContext, Request } from "playwright-core";
import { atMost } from "../../app-client/ports.ts";
import type { Exchange, Timings } from "../../journal/exchange.ts";
import { recordBody } from "../../journal/journal.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { isOfApp, type PageVisit } from "./page-visit.ts";

/** How long the end of a visit waits for Chromium's last events. */
const LAST_WORDS_MS = 500;

/** How long a page may take to read an answer that has arrived. */
const READING_MS = 300;

/** Records Chromium's requests to the app in the journal, from its own events. */
export interface BrowserRecorder {
  /**
   * Resolves once all events of Chromium so far are written; call it before closing Chromium.
   * @param limitMs how long that may take, if less than usual
   */
  finish(limitMs?: number): Promise<void>;
}

/** Records the requests of a visit to the app, each when it is answered. */
export function recordBrowser(context: SimulatorContext, browser: BrowserContext, visit: PageVisit): BrowserRecorder {
  const recording: Promise<void>[] = [];
  browser.on("request", (request) => {
    if (!isOfApp(new URL(request.url()), visit.login)) return;
    const recorded = recordRequest(context, request, visit, { browser }).then((id) => {
      if (id !== null) visit.interaction.visited(id);
    });
    recording.push(recorded.catch(() => {}));
  });
  return {
    finish: async (limitMs = LAST_WORDS_MS) => {
      // A round trip: events that Chromium sent before its answer have arrived by then.
      const all = browser.cookies().then(() => Promise.all(recording));
      await atMost(
        context.clock,
        Math.min(limitMs, LAST_WORDS_MS),
        all.catch(() => {}),
      );
    },
  };
}

interface RequestFacts {
  /** The visit in which the request was made. */
  readonly browser: BrowserContext;
  /** The kept part of the answer's body; null (default): Chromium is asked for it. */
  readonly keptBody?: () => Buffer | null;
  /** Whether the request is repeated because of its answer; default false. */
  readonly isPostponed?: boolean;
}

/**
 * Records a request of Chromium once it is answered.
 * @returns the id of the exchange; null: there was no answer, or its page was left before it had ended
 */
export async function recordRequest(
  { journal, ids, clock }: Pick<SimulatorContext, "journal" | "ids" | "clock">,
  request: Request,
  visit: PageVisit,
  { browser, keptBody = () => null, isPostponed = false }: RequestFacts,
): Promise<string | null> {
  const startedAt = new Date(clock.now()).toISOString();
  const response = await request.response();
  if (response === null) return null;
  const lines = (headers: { name: string; value: string }[]) =>
    headers.map(({ name, value }) => [name, value] as const);
  const [sent, received] = await Promise.all([request.headersArray(), response.headersArray()]);
  const kept = keptBody();
  // The page need not read a body that was kept, and an unread body never ends.
  if (kept !== null) await atMost(clock, READING_MS, response.finished());
  const failure = kept === null ? await Promise.race([response.finished(), failureOf(request, browser)]) : null;
  if (failure === LEFT) return null;
  // Chromium does not report the body of a redirect.
  const body = kept ?? (failure === null ? await response.body().catch(() => NOTHING) : NOTHING);
  const answer = { status: response.status(), headers: lines(received) };
  const exchange: Exchange = {
    type: "exchange",
    id: ids.next(),
    purpose: "guard-page",
    module: visit.interaction.guard.key,
    ...(isPostponed ? { postponed: true } : {}),
    startedAt,
    timings: timingsOf(request),
    request: {
      method: request.method(),
      url: request.url(),
      headers: lines(sent),
      body: recordBody(request.postDataBuffer() ?? Buffer.alloc(0)),
    },
    response: { ...answer, body: recordBody(body) },
    outcome: failure === null ? { kind: "answered" } : { kind: "cut-off", detail: `Chromium: ${failure}` },
  };
  journal.append(exchange);
  return exchange.id;
}

const NOTHING = Buffer.alloc(0);
/** Chromium's error for a request that its page did not wait for. */
const LEFT = "net::ERR_ABORTED";

/** Resolves with the reason why Chromium did not read an answer, such as one that may not be framed; else never. */
function failureOf(request: Request, browser: BrowserContext): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      const failure = request.failure();
      if (failure === null) return;
      browser.off("requestfailed", look);
      resolve(failure.errorText);
    };
    browser.on("requestfailed", look);
    look();
  });
}

/** A reused connection has no connection times. */
function timingsOf(request: Request): Timings {
  const { connectEnd, secureConnectionStart, responseStart, responseEnd } = request.timing();
  const isSecured = secureConnectionStart >= 0;
  return {
    ...(connectEnd < 0 ? {} : { connectMs: tenths(isSecured ? secureConnectionStart : connectEnd) }),
    ...(isSecured ? { tlsMs: tenths(connectEnd) } : {}),
    headersMs: tenths(responseStart),
    totalMs: tenths(Math.max(responseStart, responseEnd)),
  };
}

/** A time of Chromium, which is -1 if it has none. */
function tenths(ms: number): number {
  return Math.max(0, Math.round(ms * 10) / 10);
}
