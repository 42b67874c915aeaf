import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "../rig/browser.ts";
import { type ServedPlatform, servePlatform } from "../rig/platform.ts";

let browser: Browser;
let platform: ServedPlatform;
beforeAll(async () => {
  browser = await startBrowser();
  platform = await servePlatform();
});
afterAll(async () => {
  await browser.close();
  await platform[Symbol.asyncDispose]();
});

/** Somebody else's server, which notes what it is asked for. */
async function startCanary() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("canary");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/**
 * What a canary was asked for before a page of its own, which is opened now and awaited: what another page asked
 * for until then has come too.
 */
async function askedBefore(canary: { readonly url: string; readonly asked: readonly string[] }) {
  const page = await browser.newPage();
  await page.goto(`${canary.url}/last`);
  await page.close();
  return canary.asked.slice(0, canary.asked.indexOf("/last"));
}

function add(html: string): string {
  return platform.url + platform.previews.add({ html: Buffer.from(html), file: "en.json", module: "tidy" });
}

const SEEN_COLOUR = "getComputedStyle(document.querySelector('#seen')).color";

/** Everything that a page could try without being clicked, at a server that is not to hear of it. */
function hostileHtml(canary: string): string {
  return `<!doctype html>
<meta http-equiv="refresh" content="0;url=${canary}/refresh">
<base href="${canary}/base/" target="_top">
<link rel="stylesheet" href="${canary}/style.css"><link rel="prefetch" href="${canary}/prefetch">
<link rel="preload" as="script" href="${canary}/preload.js"><link rel="modulepreload" href="${canary}/module.js">
<link rel="icon" href="${canary}/icon"><link rel="manifest" href="${canary}/manifest">
<style>
  @import url(${canary}/import.css);
  @font-face { font-family: stolen; src: url(${canary}/font); }
  body { font-family: stolen; background: url(${canary}/background); color: rgb(1, 2, 3); }
</style>
<h1 id="seen" style="cursor: url(${canary}/cursor), auto; letter-spacing: 1px">Seen</h1>
<script>document.title = "ran"; document.body.dataset.ran = "yes"; top.location = "${canary}/top"; parent.ran = true;
fetch("${canary}/fetch"); fetch("/-/clock"); new Image().src = "${canary}/image"; open("${canary}/open");
navigator.sendBeacon("${canary}/beacon"); new WebSocket("${canary.replace("http", "ws")}/socket");</script>
<script src="${canary}/script.js"></script><script type="module">import "${canary}/module.js"</script>
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${canary}/speculation"]}]}</script>
<img src="${canary}/img" srcset="${canary}/srcset 2x" onerror="top.location='${canary}/onerror'">
<img src="relative"><picture><source srcset="${canary}/source"><img alt=""></picture>
<svg><image href="${canary}/svg" /><use href="${canary}/use.svg#x" /><script>top.location = "${canary}/svg-script"</script></svg>
<iframe src="${canary}/iframe"></iframe><iframe src="/-/clock"></iframe><iframe srcdoc="<script>top.ran=1</script><img src='${canary}/srcdoc'>"></iframe>
<iframe src="javascript:top.ran=1"></iframe><iframe src="data:text/html,<img src='${canary}/data'>"></iframe>
<object data="${canary}/object"></object><embed src="${canary}/embed">
<video src="${canary}/video" poster="${canary}/poster" autoplay></video><audio src="${canary}/audio" autoplay></audio>
<form id="form" action="${canary}/form" method="post" target="_top"><input name="a" value="b" autofocus onfocus="this.form.submit()">
<button id="send">Send</button></form>
<a id="away" href="${canary}/link" target="_top" ping="${canary}/ping">Away</a>
<a id="self" href="${canary}/self" target="_self">Self</a>
<a id="blank" href="${canary}/blank" target="_blank">Blank</a>
<details open ontoggle="top.location='${canary}/toggle'"><summary>x</summary></details>
<body onload="top.location='${canary}/onload'">`;
}

/** The preview in its frame, once it was shown. */
async function shownFrame(page: Page) {
  const handle = await page.locator("iframe").elementHandle();
  const frame = await handle?.contentFrame();
  if (frame == null) throw new Error("there is no frame");
  await frame.waitForLoadState();
  return frame;
}

describe("S13: a hostile preview", () => {
  it("in our page's frame runs nothing, loads nothing, and cannot reach the page around it", async () => {
    await using canary = await startCanary();
    const url = add(hostileHtml(canary.url));
    const page = await browser.newPage();
    await page.goto(url);
    const frame = await shownFrame(page);
    expect(await frame.locator("#seen").textContent()).toBe("Seen");
    // A style of its own is shown, so that the rest was looked at too.
    expect(await frame.evaluate(SEEN_COLOUR)).toBe("rgb(1, 2, 3)");
    expect(await frame.locator("body").getAttribute("data-ran")).toBeNull();
    // Its origin is its own, so what it would read of its parent is refused.
    expect(await frame.evaluate("self.origin")).toBe("null");
    expect(
      await frame.evaluate("(() => { try { return String(parent.document) } catch { return 'refused' } })()"),
    ).toBe("refused");
    for (const id of ["#send", "#away", "#blank", "#self"]) await frame.locator(id).click();
    expect(await askedBefore(canary)).toEqual([]);
    expect(page.url()).toBe(url);
    expect(await page.locator("h1").textContent()).toBe("Preview of en.json");
    expect(await page.evaluate("'ran' in window")).toBe(false);
    expect(page.context().pages()).toHaveLength(1);
    await page.close();
  });

  it("opened alone runs nothing and loads nothing either", async () => {
    await using canary = await startCanary();
    const url = `${add(hostileHtml(canary.url))}/content`;
    const page = await browser.newPage();
    await page.goto(url);
    expect(await page.evaluate(SEEN_COLOUR)).toBe("rgb(1, 2, 3)");
    expect(await page.evaluate("[self.origin, document.title, document.body.dataset.ran]")).toEqual([
      "null",
      "",
      undefined,
    ]);
    await page.locator("#send").click();
    expect(await askedBefore(canary)).toEqual([]);
    expect(page.url()).toBe(url);
    await page.close();
  });

  it("cannot be framed by another origin", async () => {
    const path = new URL(add("<p>hello")).pathname;
    for (const url of [platform.url + path, `${platform.url}${path}/content`]) {
      const other = createServer((_, response) => {
        response.setHeader("content-type", "text/html");
        response.end(`<iframe src="${url}"></iframe>`);
      });
      await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
      const page = await browser.newPage();
      const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
      await refused;
      await page.close();
      other.closeAllConnections();
      other.close();
    }
  });
});

describe("2.4: an ordinary preview", () => {
  const pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==";
  const html = `<!doctype html><meta charset="utf-8"><title>Preview</title>
<style>body { font: 16px/1.5 sans-serif; margin: 1rem; } th, td { padding: 0.25rem 1rem 0.25rem 0; text-align: left; }</style>
<h2>app.json</h2><img id="image" src="${pixel}" width="16" height="16" alt="">
<table><tr><th>Key</th><th>Text</th></tr><tr><td>title</td><td>Добро пожаловать – Grüße</td></tr>
<tr><td>button.save</td><td>Save changes</td></tr></table>`;

  it.each([
    ["a wide window", 1280, "light"],
    ["a phone", 360, "light"],
    ["a phone in the dark", 360, "dark"],
  ] as const)("is shown in %s, with its own style and image", async (_, width, colorScheme) => {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    const troubles: string[] = [];
    page.on("console", (message) => troubles.push(message.text()));
    await page.goto(add(html));
    const frame = await shownFrame(page);
    expect(await frame.locator("td").allTextContents()).toContain("Добро пожаловать – Grüße");
    expect(await frame.evaluate("document.querySelector('#image').naturalWidth")).toBe(1);
    expect(await page.locator("main").textContent()).toContain("tidy");
    const scrolls = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect([scrolls, troubles]).toEqual([false, []]);
    await page.close();
  });

  it("is shown as text even if its names are hostile", async () => {
    const hostile = `</title><img src=x onerror=alert(1)>"'&`;
    const path = platform.previews.add({ html: Buffer.from(html), file: hostile, module: hostile });
    const page = await browser.newPage();
    await page.goto(platform.url + path);
    expect(await page.locator("h1").textContent()).toBe(`Preview of ${hostile}`);
    expect(await page.locator("main strong").textContent()).toBe(hostile);
    expect(await page.locator("img").count()).toBe(0);
    await page.close();
  });

  it("that is unknown is reported", async () => {
    const page = await browser.newPage();
    const response = await page.goto(`${platform.url}/previews/unknown/content`);
    expect([response?.status(), await page.locator("h1").textContent()]).toEqual([404, "Unknown preview"]);
    await page.close();
  });
});
