import { EventEmitter } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import type { Clock } from "../../src/app-client/ports.ts";
import type { Choices } from "../../src/config/choices.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { type AppCall, type CallHandler, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import type { Simulation } from "../rig/simulation.ts";

/** The code with which the guard of the app passes. */
export const CODE = "the-code";

/** A redirect guard, `terms`, with its page at /page. */
export const redirectGuard = manifestOf({ guards: [guardEntry("terms", { type: "redirect", url: "/page" })] });

/** A request for a page of the app. */
export interface PageCall {
  readonly call: AppCall;
  readonly query: URLSearchParams;
  /** The body, as a form that was sent. */
  readonly form: URLSearchParams;
  /** Address of the platform, without a trailing slash. */
  readonly platform: string;
  /** Address of the guard callback, with this query. */
  callback(query: Readonly<Record<string, string>>): string;
}

/** Pages by method and path, such as `GET /page`. */
export type Pages = Readonly<Record<string, (page: PageCall) => void | Promise<void>>>;

export interface PageAppOptions {
  /** The app's manifest; {@link redirectGuard} unless it is given. */
  readonly serves?: unknown;
  /** Host name of the app's address. */
  readonly host?: string;
  /** Where the app may be beside its own address. */
  readonly fileOrigins?: string[];
  /** The clock of the machine; the real one unless it is given. */
  readonly realTime?: Clock;
  /** Choices of the simulator; the defaults unless they are given. */
  readonly choices?: Partial<Choices>;
}

/** An app with pages, and a simulator that has it installed. */
export interface PageApp extends Simulation {
  pages: Pages;
  /** Emits the method and path of each call for a page that the app has. */
  readonly called: EventEmitter;
  /** Keys of the guards that pass without asking for their user. */
  readonly passes: Set<string>;
}

/** Starts an app whose guards ask for their user and pass with CODE, and a simulator. */
export async function startPageApp(pages: Pages, options: PageAppOptions = {}): Promise<PageApp> {
  const answer: CallHandler = (call) => {
    const { pathname, searchParams: query } = new URL(call.path, "http://app");
    if (call.method === "POST" && call.header("content-type") === "application/json") {
      const { code, moduleKey } = call.json() as { code?: string; moduleKey: string };
      call.reply({ success: code === CODE || run.passes.has(moduleKey), message: "no such code" });
      return;
    }
    const page = run.pages[`${call.method} ${pathname}`];
    if (page === undefined) {
      call.send("nothing here", { status: 404, headers: { "content-type": "text/plain" } });
      return;
    }
    const form = new URLSearchParams(call.body.toString());
    const callback: PageCall["callback"] = (query) =>
      `${run.sim.url}/acme/guard/callback?${new URLSearchParams(query)}`;
    run.called.emit(`${call.method} ${pathname}`);
    return page({ call, query, form, platform: run.sim.url, callback });
  };
  const app = await startFakeApp({ manifest: options.serves ?? redirectGuard });
  app.answer(answer);
  const url = `http://${options.host ?? "127.0.0.1"}:${app.port}`;
  const { fileOrigins = [], choices = {}, realTime } = options;
  const sim = await startPlatform({ app: { url, fileOrigins }, choices }, realTime);
  const run: PageApp = {
    pages,
    called: new EventEmitter(),
    passes: new Set(),
    app,
    sim,
    async [Symbol.asyncDispose]() {
      await sim.close();
      await app.close();
    },
  };
  return run;
}

/** Answers with an HTML page. */
export function html(call: AppCall, body: string, headers: OutgoingHttpHeaders = {}): void {
  const page = `<!doctype html><title>Terms</title>${body}`;
  call.send(page, { headers: { "content-type": "text/html; charset=utf-8", ...headers } });
}

/** Answers with a redirect. */
export function redirect(call: AppCall, location: string, status = 302, headers: OutgoingHttpHeaders = {}): void {
  call.send("", { status, headers: { location, ...headers } });
}

/** A page with a form that posts to /send, along with the state of the page. */
export function formWith(fields: string, attributes = 'method="post" action="/send"'): Pages[string] {
  return ({ call, query }) =>
    html(call, `<form ${attributes}><input type=hidden name=state value="${query.get("state")}">${fields}</form>`);
}

/** A form that asks for a pin, which {@link judgePin} wants to be 1234. */
export const pinForm = formWith("<label>Your pin <input name=pin required></label><button>Go on</button>");

/** Pages that send the user back by a redirect that answers their form. */
const back = (status: number): Pages => ({
  "GET /page": formWith("<button>Go on</button>"),
  "POST /send": ({ call, form, callback }) =>
    redirect(call, callback({ state: form.get("state") ?? "", code: CODE }), status),
});

/** A page that leads back by itself. */
const byPage = (write: (address: string) => string): Pages => ({
  "GET /page": ({ call, query, callback }) =>
    html(call, write(callback({ state: query.get("state") ?? "", code: CODE }).replaceAll("&", "&amp;"))),
});

const byItself =
  "the app sent the user back by a link, form, script or refresh of its page, expected HTTP 302 (interface 4.2)";
const with30x = (status: number) => `the app sent the user back with HTTP ${status}, expected HTTP 302 (interface 4.2)`;

/** Ways back to the guard callback, and the warning about each: the same whoever walks the page. */
export const waysBack: readonly [what: string, pages: Pages, warning: string | null][] = [
  ["302", back(302), null],
  ["301", back(301), with30x(301)],
  ["303", back(303), with30x(303)],
  [
    "307 without a form",
    {
      "GET /page": ({ call, query, callback }) =>
        redirect(call, callback({ state: query.get("state") ?? "", code: CODE }), 307),
    },
    with30x(307),
  ],
  ["a page that goes on by itself", byPage((url) => `<meta http-equiv=refresh content="0;url=${url}">`), byItself],
  [
    "a form",
    byPage((url) => {
      const fields = [...new URL(url.replaceAll("&amp;", "&")).searchParams].map(
        ([name, value]) => `<input type=hidden name=${name} value=${value}>`,
      );
      return `<form action="${url}">${fields.join("")}<button>Go on</button>`;
    }),
    byItself,
  ],
];

/** A form that a browser posts on to the guard callback, and what is said of it whoever walks the page. */
export const postedBack: readonly [pages: Pages, reason: string] = [
  back(307),
  "the app answered the form with 307, so a browser repeats the POST to the guard callback",
];

/** Comes back with CODE when the form's pin is right, else with an error. */
export function judgePin({ call, form, callback }: PageCall): void {
  const state = form.get("state") ?? "";
  redirect(call, callback(form.get("pin") === "1234" ? { state, code: CODE } : { state, error: "wrong pin" }));
}
