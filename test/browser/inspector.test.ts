import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { firstInspectorCode, inspectorLink } from "../../src/serve/inspector-link.ts";
import { startBrowser } from "../rig/browser.ts";
import { guardEntry, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { postJson } from "../rig/oauth.ts";
import { exchangesOf, type Simulation, startSimulation } from "../rig/simulation.ts";

const TOKEN = "a-token-of-128-bits-or-more-that-nobody-can-guess";
const hostile = `</script></title><img src=x onerror="document.title='run'"><svg onload="document.title='run'">\u202e`;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser: Browser;
let run: Simulation;
let context: BrowserContext;
let page: Page;
/** What the page reports of itself: errors, and what its policy refused. */
let troubles: string[];

beforeAll(async () => {
  browser = await startBrowser();
  run = await startSimulation({
    serves: manifestOf({ guards: [guardEntry("office")], webhooks: [webhookEntry("events")] }),
    answer: (call) => {
      if (call.path === "/office") return call.reply({ success: false, message: hostile });
      call.reply({ taken: true });
    },
    controlToken: TOKEN,
  });
  await run.sim.guard();
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await browser.close();
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  page.setDefaultTimeout(20_000);
  troubles = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
});
afterEach(() => context.close());

const open = async (search = "") => {
  const made = await postJson(`${run.sim.url}/-/inspector/links`, {}, { authorization: `Bearer ${TOKEN}` });
  await page.goto(inspectorLink(run.sim.url, JSON.parse(made.body).code).replace("/#", `/${search}#`));
};
/** What the page shows, once it does. */
const seen = <Value>(look: () => Value) => expect.poll(look, { timeout: 20_000 });
const rows = () => page.getByRole("treeitem");
const guardId = () => exchangesOf(run.sim, "guard")[0]?.id ?? "";

async function violations(): Promise<string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

it("is at most 250 KB when sent to a browser", async () => {
  const folder = new URL("../../dist/inspector/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".gz"));
  expect(files.map((name) => name.replace(/^inspector-\w{6,}\./, ""))).toEqual(
    expect.arrayContaining(["js.gz", "css.gz"]),
  );
  const bytes = files.reduce((sum, name) => sum + statSync(new URL(name, folder)).size, 0);
  expect(bytes).toBeLessThan(250_000);
});

describe("the inspector in Chromium", () => {
  it("shows events as they happen, without a reload", async () => {
    await open();
    await rows().filter({ hasText: "POST /office" }).waitFor();
    await run.sim.webhook("project.translated");
    await rows().filter({ hasText: "webhook events" }).first().waitFor();
    expect(troubles).toEqual([]);
  });

  it("takes the key out of the address, and keeps it for other tabs of its own origin", async () => {
    await open(`?exchange=${guardId()}`);
    await page.getByRole("heading", { name: "Request" }).waitFor();
    expect(page.url()).toBe(`${run.sim.url}/?exchange=${guardId()}`);
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole("heading", { name: "Request" }).waitFor();
    expect(await context.cookies()).toEqual([]);
  });

  it("works by keyboard, and has its filters in the address", async () => {
    await open();
    await rows().filter({ hasText: "POST /office" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ipAddress");
    await seen(() => page.url()).toContain("?q=ipAddress");
    await page.keyboard.press("Escape");
    await seen(() => rows().filter({ hasText: "manifest" }).count()).toBe(0);
    await rows().filter({ hasText: "POST /office" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "exchange" }).waitFor();
    expect(page.url()).toMatch(/\?q=ipAddress&exchange=\w+$/);
    await page.keyboard.press("Escape");
    await seen(() => page.getByRole("article").count()).toBe(0);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await seen(() => page.getByRole("dialog").count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it("explains an exchange, and shows a secret only on request", async () => {
    await open(`?exchange=${guardId()}`);
    await page.getByText("success false: denied, or the user has to interact").waitFor();
    const token = run.app.calls.find(({ path }) => path === "/office")?.header("authorization") ?? "";
    const signature = token.slice(token.lastIndexOf(".") + 1);
    await page.getByText("right: HS256 with the client secret of apps[0]").waitFor();
    await seen(() => page.getByText("matches this call").count()).toBeGreaterThan(2);
    expect(await page.content()).not.toContain(signature);
    await page
      .locator("dt", { hasText: /authorization/i })
      .locator("xpath=..")
      .getByRole("button", { name: /^show / })
      .click();
    await page.getByRole("button", { name: `hide ${token}` }).waitFor();
    expect(troubles).toEqual([]);
  });

  it("S14: an app's words are text: none of its scripts runs, none of its images is loaded", async () => {
    await open(`?exchange=${guardId()}`);
    await page.getByRole("button", { name: "raw" }).last().click();
    await page.locator(".side").getByText("onerror=").first().waitFor();
    expect(await page.title()).toBe("Inspector · app-sim");
    expect(await page.locator(".side img, .side svg[onload]").count()).toBe(0);
    expect(await page.locator(".side").innerText()).toContain("<U+202E>");
    expect(troubles).toEqual([]);
  });

  it("does what a command does, and shows that command", async () => {
    await open("?act");
    await page.getByLabel("Payload").fill('{"note":"{{event}}"}');
    await page.getByText(`app-sim webhook project.translated --data '{"note":"{{event}}"}'`).waitFor();
    const before = exchangesOf(run.sim, "webhook").length;
    await page.getByRole("button", { name: "Deliver an event" }).click();
    await page.getByText("acknowledged", { exact: true }).waitFor();
    expect(exchangesOf(run.sim, "webhook")).toHaveLength(before + 1);
    await page.getByLabel("action", { exact: true }).selectOption("Change the clock");
    await page.getByRole("button", { name: "Change the clock" }).click();
    await page.getByText("done", { exact: true }).waitFor();
    expect(Math.round(run.sim.clock.state().offsetMs / 1000)).toBe(7200);
    run.sim.clock.reset();
    expect(await violations()).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("shows a login as its stages, and compares two exchanges", async () => {
    await run.sim.guard();
    await open();
    await rows().filter({ hasText: "login as member" }).first().click();
    await page.getByText("success false: denied").first().waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole("button", { name: "first call" }).first().click();
    await page.getByRole("heading", { name: "Request" }).waitFor();
    const [first, second] = exchangesOf(run.sim, "guard");
    await open(`?exchange=${first?.id}&with=${second?.id}`);
    await page.getByRole("rowheader", { name: "jti (differs)" }).waitFor();
    await page.getByRole("rowheader", { name: "aud", exact: true }).waitFor();
    expect(await violations()).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("S4, S8, S14: gives nothing to a page of another port, by any means", async () => {
    await using evil = await startFakeApp();
    evil.answer((call) =>
      call.send("<!doctype html><title>evil</title>", { headers: { "content-type": "text/html" } }),
    );
    await open();
    await rows().first().waitFor();
    const cookies: (string | undefined)[] = [];
    await page.goto(evil.url);
    cookies.push(evil.calls[0]?.header("cookie"));
    const tried = await page.evaluate(`(async (url) => {
      const ask = (path, init) =>
        fetch(url + path, { mode: "cors", credentials: "include", ...init }).then(() => "read", () => "refused");
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
      await new Promise((resolve) => frame.addEventListener("load", resolve));
      return {
        asked: [
          await ask("/-/inspector/platform", {}),
          await ask("/-/inspector/events", {}),
          await ask("/-/inspector/platform", { headers: { authorization: "Bearer x" } }),
          await ask("/-/inspector/key", { method: "POST", body: '{"code":"x"}' }),
          await ask("/-/clock", { method: "POST", body: '{"advance":"1h"}' }),
          await ask("/", {}),
        ],
        framed: frame.contentDocument === null,
        kept: localStorage.length + sessionStorage.length,
      };
    })("${run.sim.url}")`);
    expect(tried).toEqual({ asked: Array(6).fill("refused"), framed: true, kept: 0 });
    expect(cookies).toEqual([undefined]);
    expect(Math.abs(run.sim.clock.state().offsetMs)).toBeLessThan(1000);
  });

  it("without the key the page stays as it is, and says where to find the key", async () => {
    await page.goto(run.sim.url);
    await page.getByRole("heading", { name: "The platform is running" }).waitFor();
    await page.getByText("open the link that app-sim printed").waitFor();
    await page.getByRole("link", { name: "Log in to acme" }).waitFor();
    expect(await rows().count()).toBe(0);
  });

  it("S8: the printed link works once, for the first browser", async () => {
    await using other = await startSimulation({ serves: manifestOf({ guards: [] }), controlToken: TOKEN });
    const link = inspectorLink(other.sim.url, firstInspectorCode(TOKEN));
    await page.goto(link);
    await page.getByText("live", { exact: true }).waitFor();
    expect(page.url()).toBe(`${other.sim.url}/`);
    await page.goto(link);
    await page.getByText("live", { exact: true }).waitFor();
    const stranger = await browser.newContext();
    const late = await stranger.newPage();
    await late.goto(link);
    await late.getByText("This link was opened before").waitFor();
    expect(await late.getByRole("tree").count()).toBe(0);
    await stranger.close();
  });

  it("a key of an earlier run is forgotten", async () => {
    await page.goto(run.sim.url);
    await page.evaluate('localStorage.setItem("app-sim-inspector-key", "x".repeat(43))');
    await page.reload();
    await page.getByText("the key of an earlier run").waitFor();
    expect(await page.evaluate("localStorage.length")).toBe(0);
  });

  it.each([
    { width: 390, height: 800, colorScheme: "light" },
    { width: 1280, height: 800, colorScheme: "dark" },
    { width: 2560, height: 1440, colorScheme: "light" },
  ] as const)(
    "can be used by everybody at $width in $colorScheme: axe finds nothing, nothing is cut off",
    async (size) => {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: size.colorScheme });
      const isTooWide = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");
      await open();
      await rows().first().waitFor();
      expect(await violations()).toEqual([]);
      expect(await isTooWide()).toBe(false);
      await open(`?exchange=${guardId()}`);
      await page.getByRole("heading", { name: /^JWT/ }).waitFor();
      expect(await violations()).toEqual([]);
      expect(await isTooWide()).toBe(false);
    },
  );
});
