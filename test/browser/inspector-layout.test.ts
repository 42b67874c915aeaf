import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import type { JournalRecord } from "../../src/journal/record.ts";
import { startBrowser } from "../rig/browser.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";
import { type RunningLine, startLine } from "../rig/line.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const APP = "http://127.0.0.1:3000";
const PLATFORM = "http://127.0.0.1:7410";
const long = "averylongwordwithoutanyspaces".repeat(9);

interface Parts {
  readonly purpose: Exchange["purpose"];
  readonly url: string;
  readonly at: string;
  readonly sent?: unknown;
  readonly came?: unknown;
  readonly location?: string;
}

function exchange(id: string, { purpose, url, at, sent, came, location }: Parts): Exchange {
  const body = (value: unknown) =>
    recordBody(Buffer.from(typeof value === "string" ? value : JSON.stringify(value ?? "")));
  const headers = location === undefined ? [] : [["Location", location] as const];
  return exchangeRecord(id, {
    purpose,
    module: purpose === "post-import" || purpose === "file" || purpose === "import-file" ? "tidy" : null,
    startedAt: `2026-01-02T03:${at}Z`,
    timings: { connectMs: 1, tlsMs: 2.5, headersMs: 40, totalMs: 60 },
    request: { method: "GET", url, headers: [], body: body(sent) },
    response: { status: location === undefined ? 200 : 302, headers, body: body(came) },
  });
}

const greeting = {
  uniqId: "1",
  identifier: "mail.greeting",
  text: "Hello {name}",
  translations: { ar: { text: "{name} مرحبا" }, de: { text: "Hallo {name}" } },
};
const latency = { p50: 4, p95: 20, p99: 40, max: 60 };
const load: JournalRecord = {
  ...{ type: "load", id: "load1", at: "2026-01-02T03:09:00.000Z", outcome: "failed", reason: null },
  ...{ sent: 300, failed: 10, notSent: 0, seconds: 3, rate: 100, latency, exchanges: [] },
  curve: [0, 1000, 2000].map((fromMs) => ({ fromMs, count: 100, failed: fromMs / 200, latency })),
};
const records: readonly JournalRecord[] = [
  exchangeRecord("guard1", { module: long, timings: { connectMs: 1, headersMs: 3, totalMs: 4.5 } }),
  loginRecord("login1", { outcome: "denied", deniedBy: long, reason: long, exchanges: ["guard1"] }),
  exchange("file1", {
    purpose: "file",
    url: `${PLATFORM}/files/a`,
    at: "05:00.010",
    came: `${JSON.stringify(greeting)}\n`,
  }),
  exchange("job1", {
    purpose: "post-import",
    url: `${APP}/import`,
    at: "05:00.000",
    sent: { file: { id: 1, name: "mail.json" }, stringsUrl: `${PLATFORM}/files/a` },
    came: { data: { stringsUrl: `${APP}/out` } },
  }),
  exchange("out1", {
    purpose: "import-file",
    url: `${APP}/out`,
    at: "05:00.050",
    came: JSON.stringify({ ...greeting, text: `Hello ${long}` }),
  }),
  exchange("auth1", {
    purpose: "authorize",
    url: `${PLATFORM}/oauth/authorize?state=12345678`,
    at: "06:00.000",
    location: `${APP}/cb?state=12345678&code=abcdefghij`,
  }),
  exchange("token1", { purpose: "token", url: `${PLATFORM}/oauth/token?code=abcdefghij`, at: "06:01.000", came: {} }),
  exchangeRecord("hook1", {
    purpose: "webhook",
    startedAt: "2026-01-02T03:07:00.000Z",
    delivery: { id: long, attempt: 1 },
  }),
  exchangeRecord("hook2", {
    purpose: "webhook",
    startedAt: "2026-01-02T03:07:01.000Z",
    delivery: { id: long, attempt: 2 },
  }),
  load,
];

let browser: Browser;
let directory: TempDir;
let command: RunningLine;
let page: Page;
let url: string;
beforeAll(async () => {
  browser = await startBrowser();
  directory = makeTempDir();
  directory.write("saved/journal.ndjson", journalText(records));
  command = startLine(["inspect", "saved"], { cwd: directory.path });
  const [link = ""] = await command.printed(/http:\S+#open=\S+/);
  url = new URL("/", link).href;
  page = await browser.newPage();
  await page.goto(link);
  await page.getByRole("treeitem").first().waitFor();
});
afterAll(async () => {
  await command?.[Symbol.asyncDispose]();
  await browser?.close();
  directory?.[Symbol.dispose]();
});

const views = {
  list: { search: "", shows: () => page.getByRole("treeitem").first() },
  login: { search: "?flow=login-login1", shows: () => page.locator(".login-stages") },
  import: { search: "?flow=import-job1", shows: () => page.locator(".strings") },
  oauth: { search: "?flow=oauth-auth1", shows: () => page.locator(".diagram .arrow").first() },
  deliveries: { search: "?flow=deliveries-hook1", shows: () => page.locator(".timeline") },
  load: { search: "?flow=load-load1", shows: () => page.locator(".curve") },
  exchange: { search: "?exchange=job1", shows: () => page.locator(".waterfall") },
  comparison: { search: "?exchange=hook1&with=hook2", shows: () => page.getByRole("heading", { name: "Compared" }) },
};

async function open({ search, shows }: (typeof views)[keyof typeof views]): Promise<void> {
  await page.goto(url + search);
  await shows().waitFor();
}

async function violations(options: object): Promise<string[]> {
  const found = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

it.each(Object.entries(views))("the view of %s can be used by everybody, in windows of any width", async (_, view) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await open(view);
  await page.evaluate(axe);
  expect(await violations({})).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await violations({ runOnly: ["color-contrast"] })).toEqual([]);
  // 640 pixels are those of a window of 1280 at 200 %.
  for (const width of [390, 640, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  }
});

describe("the layout", () => {
  /** Where a part begins and how wide it is, in pixels; how high it is depends on fonts. */
  const boxOf = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    return box === null ? "hidden" : `${Math.round(box.width)} from ${Math.round(box.x)}`;
  };

  it.each([390, 1280, 2560])("of an exchange and of the list, %i pixels wide", async (width) => {
    await page.setViewportSize({ width, height: 900 });
    const boxes: Record<string, string> = {};
    for (const name of ["list", "exchange"] as const) {
      await open(views[name]);
      for (const part of [".bar", ".list", ".rows", ".side"]) {
        if (name === "exchange" || part !== ".side") boxes[`${name} ${part}`] = await boxOf(part);
      }
    }
    expect(boxes).toMatchSnapshot();
  });

  it("scrolls to the line that a link leads to", async () => {
    await page.setViewportSize({ width: 1280, height: 420 });
    for (const [search, line] of [
      ["?exchange=guard1", "#row-guard1"],
      ["?flow=login-login1", "#row-login-login1"],
    ] as const) {
      await page.goto("about:blank");
      await page.goto(url + search);
      await expect.poll(() => page.locator(`.rows ${line}.is-open`).isVisible()).toBe(true);
      const isInSight = `(() => {
        const [line, list] = ["${line}", ".rows"].map((of) => document.querySelector(of).getBoundingClientRect());
        return line.top >= list.top - 1 && line.bottom <= list.bottom + 1;
      })()`;
      await expect.poll(() => page.evaluate(isInSight)).toBe(true);
    }
  });

  it("aligns right-to-left text to the right, even if it begins with a placeholder", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await open(views.import);
    // The space at the left and at the right of a text, in its cell.
    const spaceAround = (language: string) =>
      page.evaluate(`(() => {
        const text = document.querySelector(".strings p[lang=${language}]");
        const range = new Range();
        range.selectNodeContents(text);
        const [all, own] = [text, range].map((of) => of.getBoundingClientRect());
        return { left: Math.round(own.left - all.left), right: Math.round(all.right - own.right) };
      })()`) as Promise<{ left: number; right: number }>;
    const [ar, de] = [await spaceAround("ar"), await spaceAround("de")];
    expect([ar.right, de.left]).toEqual([0, 0]);
    expect(Math.min(ar.left, de.right)).toBeGreaterThan(10);
  });
});
