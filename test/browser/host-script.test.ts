import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "../rig/browser.ts";
import { appFrame, heading, logInAt, noteMessages, sendHtml, startGuardedApp } from "./guarded-app.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** What the script says in the console of a page, as it comes. */
function consoleOf(page: Page): string[] {
  const said: string[] = [];
  page.on("console", (message) => {
    if (message.text().startsWith("app-sim host.js: ")) said.push(`${message.type()}: ${message.text().slice(17)}`);
  });
  return said;
}

/** What the script says in a page of the app, in the platform's frame, that has this HTML. */
async function sayingInFrame(html: (platform: string) => string, act: string): Promise<string[]> {
  await using run = await startGuardedApp(["frame"]);
  run.steer.page = (call, platform) => sendHtml(call, html(platform));
  const context = await browser.newContext();
  const messages = await noteMessages(context);
  const page = await context.newPage();
  const said = consoleOf(page);
  await logInAt(page, run);
  const frame = await appFrame(page);
  await frame.evaluate(act);
  // Whatever was sent came before this.
  await frame.evaluate('parent.postMessage("last", "*")');
  await messages.arrived(page, "last");
  expect(JSON.stringify(messages.of(page))).not.toContain("verify-auth");
  expect(run.codes()).toEqual([undefined]);
  await context.close();
  return said;
}

const script = (platform: string) => `<script src="${platform}/host.js"></script>`;

describe("4.2: host.js in a page that uses it wrongly", () => {
  // One page for all: nothing is sent, so that it stays.
  it("says what is wrong with each call, and sends nothing", async () => {
    const calls = [
      ["AP.verifyAuth()", "needs an object, but was given nothing"],
      ["AP.verifyAuth(null)", "needs an object, but was given null"],
      ['AP.verifyAuth("code")', "needs an object, but was given a string"],
      ["AP.verifyAuth({})", "was given neither a code nor an error"],
      ["AP.verifyAuth({ code: undefined })", "was given neither a code nor an error: its code is undefined; use"],
      ["AP.verifyAuth({ error: undefined })", "was given neither a code nor an error: its error is undefined; use"],
      [
        'AP.verifyAuth(Promise.resolve({ code: "c" }))',
        "neither a code nor an error, but a promise: await it first; use",
      ],
      ['AP.verifyAuth({ code: "c", error: "e" })', "was given both a code and an error"],
      ["AP.verifyAuth({ code: 1 })", "the code must be a non-empty string"],
      ['AP.verifyAuth({ code: "" })', "the code must be a non-empty string"],
      ["AP.verifyAuth({ error: null })", "the error must be a non-empty string"],
    ] as const;
    const said = await sayingInFrame(script, calls.map(([act]) => act).join(";"));
    expect(said).toEqual(calls.map(([, says]) => expect.stringContaining(says)));
    for (const each of said) {
      expect(each).toMatch(/^error: AP\.verifyAuth\(\).*Nothing was sent\.$/);
      expect(each).toContain("use AP.verifyAuth({ code: CODE }) or AP.verifyAuth({ error: TEXT })");
    }
  });

  it("says so when it is loaded twice, and stays as it is", async () => {
    const twice = (platform: string) => script(platform) + script(platform).replace("host", "iframe");
    const said = await sayingInFrame(twice, "1");
    expect(said).toEqual(["warning: AP.verifyAuth already exists: is the script loaded twice? The first one is kept."]);
  });

  it("says so when its text is copied into the page", async () => {
    await using run = await startGuardedApp([]);
    const source = await (await fetch(`${run.sim.url}/host.js`)).text();
    const said = await sayingInFrame(() => `<script>${source}</script>`, 'AP.verifyAuth({ code: "c" })');
    expect(said).toEqual([
      'error: load it with <script src=".../host.js">, and do not copy it into the page.',
      "error: it was not loaded by its own script element. Nothing was sent.",
    ]);
  });

  it("accepts only one outcome, and keeps what else the page has named AP", async () => {
    await using run = await startGuardedApp(["frame"]);
    const page = (platform: string) => `<script>var AP = { own: 1 };</script>${script(platform)}`;
    run.steer.page = (call, platform) => sendHtml(call, page(platform));
    const context = await browser.newContext();
    const top = await context.newPage();
    const said = consoleOf(top);
    await logInAt(top, run);
    const own = await (await appFrame(top)).evaluate(
      'AP.verifyAuth({ code: "good" }); AP.verifyAuth({ code: "second" }); AP.own',
    );
    await heading(top, "Access granted");
    expect(own).toBe(1);
    expect(said).toEqual([expect.stringContaining("warning: AP.verifyAuth() has already been called")]);
    expect(run.codes()).toEqual([undefined, "good"]);
    await context.close();
  });

  it("says so in a page that is in no frame", async () => {
    await using run = await startGuardedApp(["frame"]);
    const context = await browser.newContext();
    const page = await context.newPage();
    const said = consoleOf(page);
    await page.goto(`${run.app.url}/presence`);
    await page.getByRole("button", { name: "Yes" }).click();
    expect(said).toEqual([
      expect.stringMatching(/^warning: this page is not in a frame, so AP/),
      "error: this page is not in a frame, so there is nobody to report to. Nothing was sent.",
    ]);
    await context.close();
  });
});
