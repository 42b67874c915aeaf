import type { Browser, BrowserContextOptions, Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningSimulator, startSimulator } from "../../src/index.ts";
import { startBrowser } from "../rig/browser.ts";
import { type FakeApp, startFakeApp } from "../rig/fake-app.ts";
import { authorizeUrl, type Changes, exchange, garden, manage, postForm, tokensOf } from "../rig/oauth.ts";
import { heading, sendHtml } from "./guarded-app.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A page of a browser that knows nothing yet. */
async function openPage(options: BrowserContextOptions = {}): Promise<Page & AsyncDisposable> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
}

interface Run extends AsyncDisposable {
  readonly sim: RunningSimulator;
  readonly redirectUri: string;
  /** The address of the page that asks for consent. */
  asking(changes?: Changes): string;
  /** What the app was told at its redirect address, oldest first. */
  told(): Record<string, string>[];
}

/** A platform that asks for consent, and an app with a page at its redirect address. */
async function startRun(): Promise<Run> {
  const app = await startFakeApp();
  app.answer((call) => sendHtml(call, "<h1>Garden is back</h1>"));
  const redirectUri = `${app.url}/oauth/callback`;
  const sim = await startSimulator({ apps: [{ ...garden, url: app.url, redirectUris: [redirectUri] }] });
  return {
    sim,
    redirectUri,
    asking: (changes = {}) => authorizeUrl(sim, { redirect_uri: redirectUri, ...changes }),
    told: () => answersTo(app),
    async [Symbol.asyncDispose]() {
      await sim.close();
      await app.close();
    },
  };
}

function answersTo({ calls, url }: FakeApp): Record<string, string>[] {
  const addresses = calls.map(({ path }) => new URL(path, url));
  return addresses
    .filter(({ pathname }) => pathname === "/oauth/callback")
    .map(({ searchParams }) => Object.fromEntries(searchParams));
}

/** In whose name the app acts with what a code is exchanged for. */
async function userOf({ sim, redirectUri }: Run, code = ""): Promise<unknown> {
  const { access_token } = tokensOf(await exchange(sim, { code, redirect_uri: redirectUri }));
  return JSON.parse((await manage(sim, "introspect", access_token)).body).username;
}

/** The fields that the form of a page sends, without the buttons. */
const fieldsOf = (page: Page) =>
  page.evaluate<Record<string, string>>("Object.fromEntries(new FormData(document.forms[0]))");

const button = (page: Page, name: "Approve" | "Deny") => page.getByRole("button", { name, exact: true });
const asks = (page: Page) => heading(page, "Garden asks for access");
const isBack = (page: Page) => heading(page, "Garden is back");

describe("5.2: the user decides at the consent page", () => {
  it("A7, A28, S11: approving redirects by 303 with a code and the same state; nothing else is loaded", async () => {
    await using run = await startRun();
    await using page = await openPage();
    const faults: string[] = [];
    const responses: Response[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => faults.push(message.text()));
    page.on("response", (response) => void responses.push(response));

    const state = `Zustand 日本 😀 & = + % %26 %0A "'<b># \n \r\n \t ${"x".repeat(1000)}`;
    await page.goto(run.asking({ state }));
    await asks(page);
    await button(page, "Approve").click();
    await isBack(page);

    const [told, ...others] = run.told();
    expect(others).toEqual([]);
    expect(told).toEqual({ code: expect.any(String), state });
    expect(await userOf(run, told?.code)).toBe("milan.member");
    const decided = responses.find((response) => response.request().method() === "POST");
    expect(decided?.status()).toBe(303);
    const origins = new Set(responses.map((response) => new URL(response.url()).origin));
    expect([...origins]).toEqual([run.sim.url, new URL(run.redirectUri).origin]);
    expect(await page.evaluate("document.referrer")).toBe("");
    expect(faults).toEqual([]);
  });

  it("A27: by keyboard only and without scripts, and pressing Enter on the way decides nothing", async () => {
    await using run = await startRun();
    await using page = await openPage({ javaScriptEnabled: false });
    await page.goto(run.asking({ state: "a&b" }));
    await asks(page);
    await page.keyboard.press("Enter");
    await page.locator("#user").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await asks(page);
    expect(run.told()).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await isBack(page);
    expect(run.told()).toEqual([{ error: "access_denied", error_description: expect.any(String), state: "a&b" }]);
  });

  it("lets another user be chosen, also on a narrow screen", async () => {
    await using run = await startRun();
    await using page = await openPage({ viewport: { width: 320, height: 640 } });
    await page.goto(run.asking({ scope: "project glossary" }));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await page.getByLabel("The app acts as").selectOption("olena.owner");
    await button(page, "Approve").click();
    await isBack(page);
    expect(await userOf(run, run.told()[0]?.code)).toBe("olena.owner");
  });

  it("decides once, however often the form is sent; Back and Reload ask again", async () => {
    await using run = await startRun();
    await using page = await openPage();
    await page.goto(run.asking());
    const form = Object.entries({ ...(await fieldsOf(page)), decision: "deny" });
    await button(page, "Approve").dblclick();
    await isBack(page);
    expect((await postForm(`${run.sim.url}/oauth/authorize`, form)).status).toBe(410);
    expect(run.told()).toHaveLength(1);
    await page.goBack();
    await asks(page);
    await page.reload();
    await asks(page);
    expect(run.told()).toHaveLength(1);
    await button(page, "Deny").click();
    await isBack(page);
    const [first, second] = run.told();
    expect(second).toMatchObject({ error: "access_denied" });
    expect(await userOf(run, first?.code)).toBe("milan.member");
  });
});

describe("S11: nobody but the user decides", () => {
  it("a form of another site is refused, even with the right token, and decides nothing", async () => {
    await using run = await startRun();
    await using page = await openPage();
    await page.goto(run.asking());
    const { token = "", ...fields } = await fieldsOf(page);
    await using evil = await startFakeApp();
    for (const tokens of [{}, { token: "wrong" }, { token }]) {
      const inputs = Object.entries({ ...fields, ...tokens, decision: "approve" }).map(
        ([name, value]) => `<input name="${name}" value="${value}">`,
      );
      const form = `<form method="post" action="${run.sim.url}/oauth/authorize">${inputs.join("")}<button>Win</button></form>`;
      evil.answer((call) => sendHtml(call, form));
      await using victim = await openPage();
      await victim.goto(evil.url);
      await victim.getByRole("button", { name: "Win" }).click();
      await heading(victim, "This form is not accepted");
      expect(new URL(victim.url()).pathname).toBe("/oauth/authorize");
    }
    expect(run.told()).toEqual([]);
    await button(page, "Approve").click();
    await isBack(page);
    expect(run.told()).toHaveLength(1);
  });

  it.each(["", "wrong"])("a form of its own page with the token %j is refused", async (token) => {
    await using run = await startRun();
    await using page = await openPage();
    await page.goto(run.asking());
    await page.evaluate(`document.forms[0].token.value = ${JSON.stringify(token)}`);
    await button(page, "Approve").click();
    await heading(page, "This form is not accepted");
    expect(run.told()).toEqual([]);
  });

  it("no other page can show it in a frame", async () => {
    await using run = await startRun();
    await using evil = await startFakeApp();
    evil.answer((call) => sendHtml(call, `<iframe src="${run.asking()}"></iframe>`));
    await using page = await openPage();
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors 'none'"));
    await page.goto(evil.url);
    await refused;
    const [frame] = page.mainFrame().childFrames();
    expect(await frame?.getByRole("button").count()).toBe(0);
  });
});
