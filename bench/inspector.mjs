import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";
import { median } from "./median.mjs";

// How long the inspector takes until its first line is there, as a ratio to an empty page, and how long a frame of
// scrolling and a filter take in a list of 100,000 exchanges, as ratios to one of 1,000.

const ROUNDS = 9;
const FRAMES = 120;
const [FEW, MANY] = [1000, 100_000];

const program = fileURLToPath(new URL("../bin/app-sim.js", import.meta.url));
const cwd = mkdtempSync(path.join(tmpdir(), "app-sim-inspector-"));
// The package unpacks its own libraries if it takes this machine for that one.
process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs22.x";
const browser = await playwright.launch({ executablePath: await chromium.executablePath() });
const empty = createServer((_, answer) => answer.end("<!doctype html><title>empty</title><p role=treeitem>.")).listen(
  0,
);
await once(empty, "listening");
const few = await inspect(FEW);
const many = await inspect(MANY);
try {
  const { port } = /** @type {import("node:net").AddressInfo} */ (empty.address());
  const bare = await newPage();
  const [ratios, times] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let round = 0; round < ROUNDS; round += 1) {
    const base = await firstLine(bare, `http://127.0.0.1:${port}/`);
    const time = await firstLine(few.page, few.url);
    ratios.push(time / base);
    times.push(time);
  }
  tell("first view", median(ratios), "an empty page", 8, `${median(times).toFixed(0)} ms`);
  const [fewScrolled, manyScrolled] = [await scroll(few.page), await scroll(many.page)];
  tell("a frame of scrolling", manyScrolled / fewScrolled, `${FEW} exchanges`, 3, `${manyScrolled.toFixed(1)} ms`);
  const [fewFiltered, manyFiltered] = [await filter(few.page), await filter(many.page)];
  tell("a filter", manyFiltered / fewFiltered, `${FEW} exchanges`, 5, `${manyFiltered.toFixed(0)} ms`);
} finally {
  await browser.close();
  empty.close();
  for (const { child } of [few, many]) child.kill("SIGINT");
  rmSync(cwd, { recursive: true });
}

/**
 * @param {string} name
 * @param {number} ratio
 * @param {string} base
 * @param {number} limit
 * @param {string} time
 */
function tell(name, ratio, base, limit, time) {
  const isSlow = ratio > limit;
  if (isSlow) process.exitCode = 1;
  const bound = `(at most ${limit})${isSlow ? "  TOO SLOW" : ""}`;
  process.stdout.write(`${name.padEnd(21)} ${time.padStart(8)}  ${ratio.toFixed(2)} × ${base} ${bound}\n`);
}

/**
 * The inspector of a saved journal, open in a page whose list is whole.
 * @param {number} count
 */
async function inspect(count) {
  const directory = path.join(cwd, String(count));
  await mkdir(directory);
  await writeFile(path.join(directory, "journal.ndjson"), journal(count));
  const child = spawn(process.execPath, [program, "inspect", directory, "--format", "json"], { cwd });
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(String(line));
  const page = await newPage();
  await page.goto(url);
  await page.locator(`[role=treeitem][aria-setsize="${count}"]`).first().waitFor({ timeout: 120_000 });
  return { child, page, url: new URL("/", url).href };
}

/** @param {number} count */
function journal(count) {
  const body = { base64: Buffer.from('{"userId":104}').toString("base64"), size: 14 };
  const records = Array.from({ length: count }, (_, index) => ({
    ...{ type: "exchange", id: `e${index}`, purpose: "guard", module: `guard-${index % 10}` },
    startedAt: new Date(1_767_000_000_000 + index * 100).toISOString(),
    timings: { connectMs: 0.3, headersMs: 3, totalMs: 4.5 },
    request: { method: "POST", url: `http://127.0.0.1:3000/guards/${index % 10}`, headers: [], body },
    response: { status: index % 7 === 0 ? 500 : 200, headers: [], body },
    outcome: { kind: "answered" },
  }));
  return [{ type: "journal", version: 1 }, ...records].map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** A page of a browser of its own, that notes when its first line is drawn. */
async function newPage() {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.addInitScript(`window.firstLineAt = new Promise((resolve) => {
    const look = () => document.querySelector("[role=treeitem]") === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => resolve(performance.now()));
    look();
  })`);
  return page;
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} url
 */
async function firstLine(page, url) {
  await page.goto(url);
  return /** @type {number} */ (await page.evaluate("window.firstLineAt"));
}

/**
 * The slowest frames while the list is scrolled through: one in twenty takes longer.
 * @param {import("playwright-core").Page} page
 */
async function scroll(page) {
  await page.locator("[role=treeitem]").first().waitFor();
  const frames = /** @type {number[]} */ (
    await page.evaluate(`new Promise((resolve) => {
      const list = document.querySelector("[role=tree]");
      const frames = [];
      let last = performance.now();
      const step = () => {
        const now = performance.now();
        frames.push(now - last);
        last = now;
        list.scrollTop = (list.scrollHeight * (frames.length % ${FRAMES})) / ${FRAMES};
        if (frames.length > ${FRAMES}) resolve(frames.slice(1));
        else requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    })`)
  );
  return frames.sort((one, other) => one - other)[Math.floor(FRAMES * 0.95)] ?? 0;
}

/**
 * From a click on "Only faults" until the list is drawn anew.
 * @param {import("playwright-core").Page} page
 */
async function filter(page) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(
      /** @type {number} */ (
        await page.evaluate(`new Promise((resolve) => {
          const start = performance.now();
          document.querySelector("input[type=checkbox]").click();
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
        })`)
      ),
    );
  }
  return median(times);
}
