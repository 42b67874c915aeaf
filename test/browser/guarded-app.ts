import { EventEmitter, once } from "node:events";
import type { BrowserContext, Frame, Page } from "playwright-core";
import type { SimulatorOptions } from "../../src/index.ts";
import { type AppCall, guardEntry, manifestOf, type ReplyOptions } from "../rig/fake-app.ts";
import { type Simulation, startSimulation } from "../rig/simulation.ts";

/** What the app does; a test may change it at any time. */
interface Steering {
  /** What a final call is answered: whether the code is good. */
  final: unknown;
  /** What is answered for a page; the platform's address is known by then. */
  page: (call: AppCall, platform: string) => void;
}

export interface GuardedApp extends Simulation {
  readonly steer: Steering;
  /** The codes of the calls to the endpoints, in order; undefined: a first call. */
  codes(): (string | undefined)[];
}

/** The guards that an app may have here, by the type. */
export const entries = {
  direct: guardEntry("office", { type: "direct" }),
  redirect: guardEntry("terms", { type: "redirect", url: "/terms" }),
  frame: guardEntry("presence", { type: "frame", url: "/presence" }),
};

/** An app whose direct guards pass, and whose others want their user at a page first. */
export async function startGuardedApp(
  types: readonly (keyof typeof entries)[],
  options: SimulatorOptions = {},
): Promise<GuardedApp> {
  const steer: Steering = { final: { success: true }, page: sendPresence };
  const simulation = await startSimulation({
    serves: manifestOf({ guards: types.map((type) => entries[type]) }),
    answer: (call) => {
      if (call.method === "GET") return steer.page(call, simulation.sim.url);
      if (call.path === "/office") return call.reply({ success: true });
      call.reply("code" in (call.json() as object) ? steer.final : { success: false });
    },
    ...options,
  });
  const codes = () => {
    const calls = simulation.app.calls.filter(({ method }) => method === "POST");
    return calls.map((call) => (call.json() as { code?: string }).code);
  };
  return { ...simulation, steer, codes };
}

/** An HTML page. */
export function sendHtml(call: AppCall, html: string, options: ReplyOptions = {}): void {
  const headers = { "content-type": "text/html; charset=utf-8", ...options.headers };
  call.send(`<!doctype html><title>the app</title>${html}`, { ...options, headers });
}

/** The page of a frame guard, with a button for each outcome. */
export function sendPresence(call: AppCall, platform: string, options: ReplyOptions = {}): void {
  const script = `<script src="${platform}/host.js"></script>`;
  const yes = `<button onclick="AP.verifyAuth({ code: 'good' })">Yes</button>`;
  const no = `<button onclick="AP.verifyAuth({ error: 'It was not me.' })">No</button>`;
  sendHtml(call, `${script}${yes}${no}`, options);
}

/** The page of a redirect guard, with a link back for each outcome. */
export function sendTerms(call: AppCall, platform: string): void {
  const state = new URL(call.path, platform).searchParams.get("state");
  const back = `${platform}/acme/guard/callback?state=${state}`;
  sendHtml(call, `<a href="${back}&code=good">Accept</a> <a href="${back}&error=Declined%20it.">Decline</a>`);
}

/** Logs in on the platform's first page, with the right password. */
export async function logInAt(page: Page, { sim }: Simulation): Promise<void> {
  await page.goto(`${sim.url}/acme/login`);
  await page.getByRole("button", { name: "Log in with the right password" }).click();
}

/** Waits for the page with this heading, whole: a page that is closed while it loads may keep its browser waiting. */
export async function heading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.waitForLoadState();
}

/** The frame in which the app's page is, once it is there. */
export async function appFrame(page: Page): Promise<Frame> {
  const element = await page.waitForSelector("iframe");
  const frame = await element.contentFrame();
  if (frame === null) throw new Error("the iframe has no frame");
  await frame.waitForLoadState();
  return frame;
}

/** The messages that the pages of a browser get from other windows. */
export interface Messages {
  /** Those of one page, so far. */
  of(page: Page): readonly unknown[];
  /** Waits until a page got a message with this text in it: its own listeners got it, too. */
  arrived(page: Page, text: string): Promise<void>;
}

/** Notes every message that a page gets, from before its own scripts run; not those of its frames. */
export async function noteMessages(context: BrowserContext): Promise<Messages> {
  const notes: { readonly page: Page; readonly data: unknown }[] = [];
  const noted = new EventEmitter();
  await context.exposeBinding("note", ({ page }, data) => {
    notes.push({ page, data });
    noted.emit("note");
  });
  await context.addInitScript("if (window === top) addEventListener('message', ({ data }) => note(data));");
  const of = (page: Page) => notes.filter((note) => note.page === page).map(({ data }) => data);
  return {
    of,
    async arrived(page, text) {
      while (!JSON.stringify(of(page)).includes(text)) await once(noted, "note");
    },
  };
}
