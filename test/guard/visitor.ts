import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { type CheerioAPI, load } from "cheerio";
import type { LoginSession } from "../../src/index.ts";
import type { RunningPlatform } from "../../src/start-platform.ts";

/** A whole answer of the platform. */
export interface Answered {
  /** Where it was asked. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** What a browser says it wants when it opens a page. */
const asBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** One request as it is, redirects not followed. */
export async function ask(url: string, asking: Asking = {}): Promise<Answered> {
  const response = await begin(url, asking);
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) body += chunk;
  return { url, status: response.statusCode ?? 0, headers: response.headers, body };
}

/** One request, answered as far as its headers. */
export async function begin(
  url: string,
  { method = "GET", headers = {}, body }: Asking = {},
): Promise<IncomingMessage> {
  const sent = request(url, { method, headers: { ...asBrowser, ...headers }, agent: false });
  sent.end(body);
  const [response] = await once(sent, "response");
  return response;
}

/** The page of an answer. */
export function pageOf({ body }: Answered): CheerioAPI {
  return load(body);
}

export function titleOf(answered: Answered): string {
  return pageOf(answered)("h1").text();
}

/** The text of a page as a person reads it, in one line. */
export function textOf(answered: Answered): string {
  return pageOf(answered)("main").text().replaceAll(/\s+/g, " ").trim();
}

/** Goes where redirects lead, as long as that is on the same server. */
async function follow(answered: Answered): Promise<Answered> {
  const { location } = answered.headers;
  if (location === undefined) return answered;
  const next = new URL(location, answered.url);
  return next.origin === new URL(answered.url).origin ? follow(await ask(next.href)) : answered;
}

/** What a page's form would send: its hidden fields, and those given here. */
export function formOf(page: Answered, fields: Readonly<Record<string, string>>): Asking {
  const $ = pageOf(page);
  const hidden = $("form input[type=hidden]")
    .map((_, input) => [[$(input).attr("name") ?? "", $(input).attr("value") ?? ""]])
    .get() as unknown as [string, string][];
  return {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString(),
  };
}

/** Sends the form of a page, and goes where that leads. */
export async function submit(page: Answered, fields: Readonly<Record<string, string>>): Promise<Answered> {
  return follow(await ask(page.url, formOf(page, fields)));
}

/** Begins a login at the form of the organization, as the member with the right password unless told otherwise. */
export async function logIn(
  sim: Pick<RunningPlatform, "url">,
  { login = "milan.member", password = "app-sim-password" } = {},
): Promise<Answered> {
  return submit(await ask(`${sim.url}/acme/login`), { login, password });
}

/** The page of a login, once its heading is the one that is waited for. */
export function pageWhen(sim: RunningPlatform, url: string, heading: string): Promise<Answered> {
  return pageOnce(sim, url, (page) => titleOf(page).includes(heading));
}

/** The answer at the address of a login's page, once it is the one that is waited for: asked again at each change. */
export async function pageOnce(
  sim: RunningPlatform,
  url: string,
  isIt: (page: Answered) => boolean,
): Promise<Answered> {
  const login = loginAt(sim, url);
  for (;;) {
    let leave = () => {};
    const changed = new Promise<void>((resolve) => {
      leave = login.subscribe(resolve);
    });
    const page = await ask(url);
    if (!isIt(page)) await changed;
    leave();
    if (isIt(page)) return page;
  }
}

/** The login that has its page at an address. */
export function loginAt({ logins }: Pick<RunningPlatform, "logins">, url: string): LoginSession {
  const login = logins.find(url.split("/").at(-1) ?? "");
  if (login === null) throw new Error(`no login has its page at ${url}`);
  return login;
}
