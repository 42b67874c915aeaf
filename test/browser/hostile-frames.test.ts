import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "../rig/browser.ts";
import { type FakeApp, startFakeApp } from "../rig/fake-app.ts";
import { begin } from "../rig/logins.ts";
import { appFrame, type GuardedApp, heading, logInAt, noteMessages, sendHtml, startGuardedApp } from "./guarded-app.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Somebody else's site, whose every page is this HTML. */
async function startEvilSite(html: string): Promise<FakeApp> {
  const site = await startFakeApp();
  site.answer((call) => sendHtml(call, html));
  return site;
}

const forged = (code: string) => `{ type: "app-sim:verify-auth", code: "${code}" }`;

/** The login goes on with the right code, and the forged one was never sent anywhere. */
async function expectRightCode(run: GuardedApp): Promise<void> {
  expect(run.codes()).toEqual([undefined, "good"]);
}

describe("S12: the page of a frame guard listens only to the app's page", () => {
  it("not a frame of another origin within it", async () => {
    await using evil = await startEvilSite(`<script>top.postMessage(${forged("stolen")}, "*")</script>`);
    await using run = await startGuardedApp(["frame"]);
    run.steer.page = (call, platform) => {
      sendHtml(
        call,
        `<script src="${platform}/host.js"></script>
        <button onclick="AP.verifyAuth({ code: 'good' })">Yes</button><iframe src="${evil.url}"></iframe>`,
      );
    };
    const context = await browser.newContext();
    const messages = await noteMessages(context);
    const page = await context.newPage();
    await logInAt(page, run);
    await messages.arrived(page, "stolen");
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
    await expectRightCode(run);
    await context.close();
  });

  it("not a frame of the app's own origin within it", async () => {
    await using run = await startGuardedApp(["frame"]);
    run.steer.page = (call, platform) => {
      if (call.path === "/other") return sendHtml(call, `<script>top.postMessage(${forged("stolen")}, "*")</script>`);
      sendHtml(
        call,
        `<script src="${platform}/host.js"></script>
        <button onclick="AP.verifyAuth({ code: 'good' })">Yes</button><iframe src="/other"></iframe>`,
      );
    };
    const context = await browser.newContext();
    const messages = await noteMessages(context);
    const page = await context.newPage();
    await logInAt(page, run);
    await messages.arrived(page, "stolen");
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
    await expectRightCode(run);
    await context.close();
  });

  it("not a window that opened it", async () => {
    await using evil = await startEvilSite("<h1>Evil</h1>");
    await using run = await startGuardedApp(["frame"]);
    const context = await browser.newContext();
    const messages = await noteMessages(context);
    const opener = await context.newPage();
    const own = await context.newPage();
    await logInAt(own, run);
    await appFrame(own);
    await opener.goto(evil.url);
    const opening = context.waitForEvent("page");
    await opener.evaluate(`void (window.opened = open("${own.url()}"))`);
    const opened = await opening;
    await appFrame(opened);
    await opener.evaluate(`opened.postMessage(${forged("stolen")}, "*")`);
    await messages.arrived(opened, "stolen");
    await (await appFrame(opened)).getByRole("button", { name: "Yes" }).click();
    await heading(own, "Access granted");
    await expectRightCode(run);
    await context.close();
  });

  it("not to a page of another origin to which the app's page navigates the frame: it is not shown", async () => {
    await using evil = await startEvilSite(`<script>parent.postMessage(${forged("stolen")}, "*")</script>`);
    await using run = await startGuardedApp(["frame"]);
    const context = await browser.newContext();
    const page = await context.newPage();
    await logInAt(page, run);
    const frame = await appFrame(page);
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-src"));
    await frame.evaluate(`location.assign("${evil.url}")`);
    await refused;
    expect(evil.calls).toEqual([]);
    await page.reload();
    await (await appFrame(page)).getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
    await expectRightCode(run);
    await context.close();
  });

  it("not to other messages of the app's page", async () => {
    await using run = await startGuardedApp(["frame"]);
    const context = await browser.newContext();
    const messages = await noteMessages(context);
    const page = await context.newPage();
    await logInAt(page, run);
    const frame = await appFrame(page);
    await frame.evaluate(`
      for (const message of [null, 1, "app-sim:verify-auth", [], { type: "verify-auth", code: "x" }, { code: "x" }, "last"])
        parent.postMessage(message, "*");
    `);
    await messages.arrived(page, "last");
    await frame.getByRole("button", { name: "Yes" }).click();
    await heading(page, "Access granted");
    await expectRightCode(run);
    await context.close();
  });
});

describe("S11, S12: a page of another origin", () => {
  it("that shows the app's page with a stolen jwtToken learns nothing, and the login keeps waiting", async () => {
    await using run = await startGuardedApp(["frame"]);
    const context = await browser.newContext();
    const messages = await noteMessages(context);
    const own = await context.newPage();
    await logInAt(own, run);
    const stolen = (await appFrame(own)).url();
    expect(stolen).toContain("jwtToken=");
    await using evil = await startEvilSite(`<iframe src="${stolen}"></iframe>`);
    const page = await context.newPage();
    await page.goto(evil.url);
    const complaint = page.waitForEvent("console", (message) => message.text().includes("postMessage"));
    const frame = await appFrame(page);
    await frame.getByRole("button", { name: "Yes" }).click();
    await complaint;
    expect(messages.of(page)).toEqual([]);
    expect(run.codes()).toEqual([undefined]);
    await (await appFrame(own)).getByRole("button", { name: "Yes" }).click();
    await heading(own, "Access granted");
    await expectRightCode(run);
    await context.close();
  });

  it("cannot show any page of the platform in a frame", async () => {
    await using run = await startGuardedApp(["frame"]);
    const context = await browser.newContext();
    const own = await context.newPage();
    await logInAt(own, run);
    await appFrame(own);
    for (const url of [own.url(), `${run.sim.url}/acme/login`, run.sim.url, `${run.sim.url}/nothing`]) {
      await using evil = await startEvilSite(`<iframe src="${url}"></iframe>`);
      const page = await context.newPage();
      const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors 'none'"));
      await page.goto(evil.url);
      await refused;
      expect(await page.frames()[1]?.locator("h1").count()).toBe(0);
      await page.close();
    }
    await context.close();
  });

  it("S10: cannot enter a stage or begin a login with a form of its own", async () => {
    await using run = await startGuardedApp(["direct"]);
    const login = await begin(run.sim, { page: "wait", manual: true });
    const link = await login.link();
    const context = await browser.newContext();
    for (const url of [link, `${run.sim.url}/acme/login`]) {
      const fields = {
        stage: "password",
        failures: "0",
        login: "milan.member",
        password: "app-sim-password",
        token: "x",
      };
      const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
      await using evil = await startEvilSite(
        `<form method="post" action="${url}">${inputs.join("")}<button>Go</button></form>`,
      );
      const page = await context.newPage();
      await page.goto(evil.url);
      const answered = page.waitForResponse(url);
      await page.getByRole("button").click();
      expect((await answered).status()).toBe(403);
      await heading(page, "This form is not accepted");
      await page.close();
    }
    expect(login.view().current).toBe(0);
    expect(run.codes()).toEqual([]);
    await context.close();
  });
});
