import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loginAt } from "../guard/visitor.ts";
import { startBrowser } from "../rig/browser.ts";
import type { AppCall, ReplyOptions } from "../rig/fake-app.ts";
import {
  appFrame,
  type GuardedApp,
  heading,
  logInAt,
  type Messages,
  noteMessages,
  sendHtml,
  sendPresence,
  startGuardedApp,
} from "./guarded-app.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** The page of a login that shows this page of the app, at a time that passes as the test says. */
async function openFrame(run: GuardedApp, page: GuardedApp["steer"]["page"]): Promise<Page> {
  return (await openNotedFrame(run, page)).page;
}

/** The same, with the messages that it gets. */
async function openNotedFrame(
  run: GuardedApp,
  page: GuardedApp["steer"]["page"],
): Promise<{ readonly page: Page; readonly messages: Messages }> {
  run.steer.page = page;
  const context = await browser.newContext();
  const messages = await noteMessages(context);
  const top = await context.newPage();
  await top.clock.install();
  await logInAt(top, run);
  await top.waitForSelector("iframe");
  return { page: top, messages };
}

/** What the login says is wrong with the page, in the terminal's words and on the page. */
async function troublesOf(run: GuardedApp, page: Page): Promise<string[]> {
  await page.locator(".trouble").first().waitFor();
  const shown = await page.locator(".trouble .reason").allInnerTexts();
  const { interaction } = loginAt(run.sim, page.url()).view();
  expect(interaction?.troubles.map(({ reason }) => reason)).toEqual(shown);
  return shown;
}

const withHeader = (name: string, value: string): ReplyOptions => ({ headers: { [name]: value } });

describe("a page that cannot report", () => {
  it.each<[string, (call: AppCall, platform: string) => void, string]>([
    [
      "X-Frame-Options: DENY",
      (call, platform) => sendPresence(call, platform, withHeader("x-frame-options", "DENY")),
      "the page refuses to be framed: X-Frame-Options is DENY",
    ],
    [
      "script-src 'self'",
      (call, platform) => sendPresence(call, platform, withHeader("content-security-policy", "script-src 'self'")),
      "the page's policy does not let scripts of PLATFORM run",
    ],
    [
      "a sandbox, whose origin is nobody's",
      (call, platform) => sendPresence(call, platform, withHeader("content-security-policy", "sandbox allow-scripts")),
      "the page's policy has a sandbox without allow-same-origin",
    ],
    ["no host.js", (call) => sendHtml(call, "<h1>Hello</h1>"), "the page's HTML does not load PLATFORM/host.js"],
    [
      "an answer that is no page",
      (call) => call.send("gone", { status: 404 }),
      "the page answered 404: it has no such endpoint",
    ],
    [
      "a closed connection",
      (call) => call.reset(),
      "the page cannot be shown: the app closed the connection without an answer",
    ],
  ])("%s: the login says so", async (_, send, reason) => {
    await using run = await startGuardedApp(["frame"]);
    const page = await openFrame(run, send);
    await page.waitForLoadState("load");
    expect(await page.locator(".trouble").count()).toBe(0);
    await page.clock.runFor(3000);
    expect(await troublesOf(run, page)).toEqual([reason.replaceAll("PLATFORM", run.sim.url)]);
    await page.context().close();
  });

  it("because it never answers: the login says so without waiting forever", async () => {
    await using run = await startGuardedApp(["frame"]);
    let asked = 0;
    const page = await openFrame(run, (call) => {
      if (++asked === 1) call.hang();
      else call.send("later", { status: 503 });
    });
    await page.clock.runFor(10_000);
    expect(await troublesOf(run, page)).toEqual(["the page answered 503"]);
    await page.context().close();
  });
});

describe("a page whose fault is corrected", () => {
  it("calls AP.verifyAuth() with a bare code: the login says so at once, with what was passed, and not that it never called", async () => {
    await using run = await startGuardedApp(["frame"], { login: { interactionTimeout: 60 } });
    const page = await openFrame(run, (call, platform) =>
      sendHtml(call, `<script src="${platform}/host.js"></script><script>AP.verifyAuth("good")</script>`),
    );
    const problem = "AP.verifyAuth() needs an object, but was given a string";
    expect(await troublesOf(run, page)).toEqual([`a call of the page had no effect: ${problem}`]);
    await page.clock.runFor(59_000);
    expect(await troublesOf(run, page)).toHaveLength(1);
    await page.context().close();
  });

  it("can still report after a reload", async () => {
    await using run = await startGuardedApp(["frame"]);
    const page = await openFrame(run, (call) => sendHtml(call, "<h1>Hello</h1>"));
    await page.waitForLoadState("load");
    await page.clock.runFor(3000);
    await troublesOf(run, page);
    run.steer.page = sendPresence;
    await page.reload();
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
    await page.context().close();
  });
});

describe("a page that is all right", () => {
  it("works with each header that keeps other origins out", async () => {
    const headers = {
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "same-origin",
    };
    await using run = await startGuardedApp(["frame"]);
    const page = await openFrame(run, (call, platform) => sendPresence(call, platform, { headers }));
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
    await page.context().close();
  });

  it("and causes no extra requests to the app until its time is almost over", async () => {
    await using run = await startGuardedApp(["frame"], { login: { interactionTimeout: 60 } });
    const { page, messages } = await openNotedFrame(run, sendPresence);
    await page.waitForLoadState("load");
    await messages.arrived(page, "app-sim:ready");
    await page.clock.runFor(50_000);
    expect(run.app.calls.filter(({ method }) => method === "GET")).toHaveLength(1);
    expect(await page.locator(".trouble").count()).toBe(0);
    await page.clock.runFor(9_000);
    expect(await troublesOf(run, page)).toEqual(["the page loaded host.js, but never called AP.verifyAuth()"]);
    expect(run.app.calls.filter(({ method }) => method === "GET")).toHaveLength(1);
    await page.context().close();
  });
});
