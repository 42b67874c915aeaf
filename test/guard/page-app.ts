import type { OutgoingHttpHeaders } from "node:http";
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
}

/** An app with pages, and a simulator that has it installed. */
export interface PageApp extends Simulation {
  pages: Pages;
}

/** Starts an app whose guards ask for their user and pass with CODE, and a simulator. */
export async function startPageApp(pages: Pages, options: PageAppOptions = {}): Promise<PageApp> {
  const answer: CallHandler = (call) => {
    const { pathname, searchParams: query } = new URL(call.path, "http://app");
    if (call.method === "POST" && call.header("content-type") === "application/json") {
      call.reply({ success: (call.json() as { code?: string }).code === CODE, message: "no such code" });
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
    return page({ call, query, form, platform: run.sim.url, callback });
  };
  const app = await startFakeApp({ manifest: options.serves ?? redirectGuard });
  app.answer(answer);
  const sim = await startPlatform({
    app: { url: `http://${options.host ?? "127.0.0.1"}:${app.port}`, fileOrigins: options.fileOrigins ?? [] },
  });
  const run: PageApp = {
    pages,
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

/** Comes back with CODE when the form's pin is right, else with an error. */
export function judgePin({ call, form, callback }: PageCall): void {
  const state = form.get("state") ?? "";
  redirect(call, callback(form.get("pin") === "1234" ? { state, code: CODE } : { state, error: "wrong pin" }));
}
