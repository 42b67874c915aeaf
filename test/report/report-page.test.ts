import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { reportFacts, reportFileText } from "../../src/report/make-report.ts";
import { startBrowser } from "../rig/browser.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

let browser: Browser;
let directory: TempDir;
let url: string;
beforeAll(async () => {
  browser = await startBrowser();
  directory = makeTempDir();
  const word = "</style><script>document.title='run'</script>averylongwordwithoutanyspaces".repeat(9);
  const records = [
    exchangeRecord("good"),
    exchangeRecord("bad", { module: word, response: { ...exchangeRecord("x").response, status: 500 } as never }),
    loginRecord("login", { outcome: "denied", reason: word }),
  ];
  const { signal } = new AbortController();
  const facts = await reportFacts({
    loaded: await loadConfig({}, {}, directory.path),
    journal: records,
    records,
    command: { line: `app-sim guard ${word}`, exitCode: 1, text: [word], warnings: [word] },
    reliedOn: ["guard.timeout.final"],
    notes: [word],
    madeAt: "2026-01-02T03:04:05.000Z",
    version: "1.2.3",
    signal,
  });
  const page = [...(await reportFileText("report.html", facts, signal))].join("");
  writeFileSync(join(directory.path, "report.html"), page);
  url = pathToFileURL(join(directory.path, "report.html")).href;
});
afterAll(async () => {
  await browser?.close();
  directory?.[Symbol.dispose]();
});

test("loads nothing, runs nothing, and is styled, in a browser", async () => {
  const page = await browser.newPage();
  const loaded: string[] = [];
  const said: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  page.on("console", (message) => said.push(message.text()));
  await page.goto(url);
  expect(loaded).toEqual([url]);
  expect(said).toEqual([]);
  expect(await page.title()).toContain("app-sim guard");
  expect(await page.locator("dl").first().evaluate("getComputedStyle(document.querySelector('dl')).display")).toBe(
    "grid",
  );
  await page.close();
});

test.each([320, 390, 1280, 2560])("fits a window %i pixels wide", async (width) => {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  await page.goto(url);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  await page.close();
});

test("is complete on paper, including collapsed parts, in dark text", async () => {
  const page = await browser.newPage({ colorScheme: "dark" });
  await page.goto(url);
  const body = page.locator("article", { hasText: "good" }).locator("pre").first();
  expect(await body.isVisible()).toBe(false);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  expect(await body.isVisible()).toBe(true);
  expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(0, 0, 0)");
  await page.close();
});
