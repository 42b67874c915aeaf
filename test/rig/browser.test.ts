import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Frame, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumPath, makeDirectoryOnce, startBrowser } from "./browser.ts";
import { type FakeApp, startFakeApp } from "./fake-app.ts";
import { makeTempDir } from "./temp-dir.ts";

/** An app whose pages hold what the query says, and may be read by others at /open only. */
async function startSite(): Promise<FakeApp> {
  const site = await startFakeApp();
  site.answer((call) => {
    const { pathname, searchParams } = new URL(call.path, site.url);
    const allowed = pathname === "/open" ? { "access-control-allow-origin": "*" } : {};
    const html = `<title>site</title><p>text</p>${searchParams.get("html") ?? ""}`;
    call.send(html, { headers: { "content-type": "text/html", ...allowed } });
  });
  return site;
}

/** The frame with this page in a page of `site`. */
async function openInFrame(page: Page, site: FakeApp, url: string): Promise<Frame> {
  const html = `<iframe src="${url}"></iframe>`;
  await page.goto(`${site.url}/?${new URLSearchParams({ html })}`);
  const frame = page.frames().find((frame) => frame.url() === url);
  if (frame === undefined) throw new Error(`no frame shows ${url}`);
  return frame;
}

/** What the page reads of its frame, or the name of the error that it gets. */
function readFrame(page: Page): Promise<string> {
  return page.evaluate("try { frames[0].document.title } catch (error) { error.name }");
}

/** The status that a fetch from the page gets, or the name of the error. */
function fetchFrom(page: Page, url: string): Promise<number | string> {
  return page.evaluate(async (url) => {
    try {
      return (await fetch(url)).status;
    } catch (error) {
      return (error as Error).name;
    }
  }, url);
}

describe("the browser", () => {
  it("runs the scripts of a page", async () => {
    await using site = await startSite();
    await using browser = await startBrowser();
    const page = await browser.newPage();
    await page.goto(`${site.url}/?html=<script>document.title="changed"</script>`);
    expect(await page.title()).toBe("changed");
  });

  it("has a font, because text without one takes no space on the page", async () => {
    await using browser = await startBrowser();
    const page = await browser.newPage();
    await page.setContent(`<p style="font-family: Open Sans">text</p>`);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("DOM.enable");
    await devtools.send("CSS.enable");
    const { root } = await devtools.send("DOM.getDocument");
    const node = await devtools.send("DOM.querySelector", { nodeId: root.nodeId, selector: "p" });
    const { fonts } = await devtools.send("CSS.getPlatformFontsForNode", node);
    expect(fonts.map(({ familyName }) => familyName)).toEqual(["Open Sans"]);
  });

  it("shows no page in a frame of another origin that forbids it", async () => {
    await using site = await startSite();
    await using other = await startSite();
    await using browser = await startBrowser();
    const page = await browser.newPage();
    await openInFrame(page, site, `${site.url}/open`);
    expect(await readFrame(page)).toBe("site");
    await openInFrame(page, site, `${other.url}/open`);
    expect(await readFrame(page)).toBe("SecurityError");
  });

  it("lets no page read another origin that does not allow it", async () => {
    await using site = await startSite();
    await using other = await startSite();
    await using browser = await startBrowser();
    const page = await browser.newPage();
    await page.goto(site.url);
    expect(await fetchFrom(page, `${site.url}/closed`)).toBe(200);
    expect(await fetchFrom(page, `${other.url}/open`)).toBe(200);
    expect(await fetchFrom(page, `${other.url}/closed`)).toBe("TypeError");
  });

  it("has a process for each site", async () => {
    await using site = await startSite();
    await using browser = await startBrowser();
    const context = await browser.newContext();
    const page = await context.newPage();
    // A port is an origin of its own, and a host a site.
    const sameSite = await openInFrame(page, site, `${site.url}/`);
    await expect(context.newCDPSession(sameSite)).rejects.toThrow("does not have a separate CDP session");
    const otherSite = await openInFrame(page, site, `http://localhost:${site.port}/`);
    await (await context.newCDPSession(otherSite)).detach();
  });
});

describe("the executable", () => {
  it("runs in an empty environment", async () => {
    expect(execFileSync(await chromiumPath(), ["--version"], { env: {}, encoding: "utf8" })).toMatch(/^Chromium \d+/);
  });
});

describe("a directory that several make at once", () => {
  it("is that of the first to finish, and the drafts are removed", async () => {
    using dir = makeTempDir();
    const path = join(dir.path, "made");
    const fillBy = (name: string) => (draft: string) => writeFile(join(draft, "by"), name);
    await makeDirectoryOnce(path, async (draft) => {
      await fillBy("the slow one")(draft);
      expect(existsSync(path)).toBe(false);
      await makeDirectoryOnce(path, fillBy("the quick one"));
    });
    await makeDirectoryOnce(path, fillBy("the late one"));
    expect(readFileSync(join(path, "by"), "utf8")).toBe("the quick one");
    expect(readdirSync(dir.path)).toEqual(["made"]);
  });

  it("does not exist if it could not be filled", async () => {
    using dir = makeTempDir();
    const making = makeDirectoryOnce(join(dir.path, "made"), async (draft) => {
      await writeFile(join(draft, "half"), "");
      throw new Error("disk full");
    });
    await expect(making).rejects.toThrow("disk full");
    expect(readdirSync(dir.path)).toEqual([]);
  });
});
