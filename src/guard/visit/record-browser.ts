import type { BrowserContext, Request } from "playwright-core";
import { atMost } from "../../app-client/ports.ts";
import type { Exchange, HeaderLines, Timings } from "../../journal/exchange.ts";
import { recordBody } from "../../journal/journal.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { isOfApp, type PageVisit } from "./page-visit.ts";

/** How long the end of a visit waits for what Chromium has still to tell. */
const LAST_WORDS_MS = 500;

/** How long a page may take to read an answer that has come. */
const READING_MS = 300;

/** Writes into the journal what Chromium asks of the app, as its own events tell. */
export interface BrowserRecorder {
  /** Resolves once all is written that Chromium has told so far; to be called before it is closed. */
  finish(): Promise<void>;
}

/** Records the requests of a visit to the app, each as soon as it is answered. */
export function recordBrowser(context: SimulatorContext, browser: BrowserContext, visit: PageVisit): BrowserRecorder {
  const recording: Promise<void>[] = [];
  browser.on("request", (request) => {
    if (!isOfApp(new URL(request.url()), visit.login)) return;
    const recorded = recordRequest(context, request, visit).then((id) => {
      if (id !== null) visit.interaction.visited(id);
    });
    recording.push(recorded.catch(() => {}));
  });
  return {
    finish: async () => {
      // A question of its own: what Chromium told before its answer has arrived by then.
      const all = browser.cookies().then(() => Promise.all(recording));
      await atMost(
        context.clock,
        LAST_WORDS_MS,
        all.catch(() => {}),
      );
    },
  };
}

interface RequestFacts {
  readonly keptBody?: () => Buffer | null;
  readonly isPostponed?: (answer: { readonly status: number; readonly headers: HeaderLines }) => boolean;
}

/**
 * Records a request of Chromium once it is answered.
 * @param about.keptBody what was kept of the answer's body; null, as by default: Chromium is asked for it
 * @param about.isPostponed whether the request is made again because of such an answer; default: none is
 * @returns the id of the exchange; null: there was no answer
 */
export async function recordRequest(
  { journal, ids, clock }: Pick<SimulatorContext, "journal" | "ids" | "clock">,
  request: Request,
  visit: PageVisit,
  { keptBody = () => null, isPostponed = () => false }: RequestFacts = {},
): Promise<string | null> {
  const startedAt = new Date(clock.now()).toISOString();
  const response = await request.response();
  if (response === null) return null;
  const lines = (headers: { name: string; value: string }[]) =>
    headers.map(({ name, value }) => [name, value] as const);
  const [sent, received] = await Promise.all([request.headersArray(), response.headersArray()]);
  const kept = keptBody();
  // A body that was kept need not be read by the page, and what is not read does not end.
  await (kept === null ? response.finished() : atMost(clock, READING_MS, response.finished()));
  // A redirect has none that Chromium would tell.
  const body = kept ?? (await response.body().catch(() => Buffer.alloc(0)));
  const answer = { status: response.status(), headers: lines(received) };
  const exchange: Exchange = {
    type: "exchange",
    id: ids.next(),
    purpose: "guard-page",
    module: visit.interaction.guard.key,
    ...(isPostponed(answer) ? { postponed: true } : {}),
    startedAt,
    timings: timingsOf(request),
    request: {
      method: request.method(),
      url: request.url(),
      headers: lines(sent),
      body: recordBody(request.postDataBuffer() ?? Buffer.alloc(0)),
    },
    response: { ...answer, body: recordBody(body) },
    outcome: { kind: "answered" },
  };
  journal.append(exchange);
  return exchange.id;
}

/** A connection that Chromium had already has no times of its own. */
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

/** A time of Chromium, which is -1 where it has none. */
function tenths(ms: number): number {
  return Math.max(0, Math.round(ms * 10) / 10);
}
