import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formRequest } from "../../src/browser/form-request.ts";
import type { HtmlForm } from "../../src/browser/html-form.ts";
import { pageHeaders } from "../../src/browser/http-browser.ts";
import { readHtml } from "../../src/browser/read-html.ts";
import { startBrowser } from "../rig/browser.ts";
import { startFakeApp } from "../rig/fake-app.ts";

describe("the headers of a form that is posted", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage();
  });
  afterAll(() => browser.close());

  const compared = ["origin", "referer", "content-type", "upgrade-insecure-requests", "sec-fetch-site"];
  const alsoCompared = ["sec-fetch-mode", "sec-fetch-user", "sec-fetch-dest"];
  const policies = [
    ...["", "no-referrer", "same-origin", "origin", "strict-origin", "origin-when-cross-origin", "unsafe-url"],
    ...["no-referrer-when-downgrade", "unknown", "unsafe-url, no-referrer", "no-referrer, unknown-to-all"],
  ];

  it.each(
    policies.flatMap((policy) => [
      { policy, place: "header", host: "127.0.0.1" },
      { policy, place: "page", host: "localhost" },
    ]),
  )("are those of Chromium: policy $policy, from the $place, to $host", async ({ policy, place, host }) => {
    await using app = await startFakeApp();
    const action = `http://${host}:${app.port}/send`;
    const meta = place === "page" ? `<meta name=referrer content="${policy}">` : "";
    const html = `${meta}<form method=post action="${action}"><button name=go>Go</button></form>`;
    const headers = { "content-type": "text/html", ...(place === "header" && { "referrer-policy": policy }) };
    app.answer((call) => call.send(html, { headers }));
    await page.goto(`${app.url}/page?jwtToken=t#there`);
    await Promise.all([page.waitForEvent("load"), page.click("button")]);
    const sent = app.calls[1];
    const answer = { status: 200, headers: Object.entries(headers), body: Buffer.from(html) };
    const read = readHtml(answer, `${app.url}/page?jwtToken=t#there`);
    const made = formRequest(read?.forms[0] as HtmlForm, null, "");
    if (!made.ok) throw new Error(made.reason);
    const ours = new Map(pageHeaders(made.request, read, "", "").map(([name, value]) => [name.toLowerCase(), value]));
    for (const name of [...compared, ...alsoCompared]) {
      expect({ name, value: ours.get(name) }).toEqual({ name, value: sent?.header(name) });
    }
  });
});
