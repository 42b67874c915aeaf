import { type Browser, type Page, selectors } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerClickables } from "../../src/browser/clickable.ts";
import { unshownPage } from "../../src/guard-checks/pages/walk/dead-end.ts";
import { startBrowser } from "../rig/browser.ts";

const PAGE = "http://127.0.0.1/page";
let browser: Browser;
let page: Page;
let answer: { status: number; body: string };
beforeAll(async () => {
  await registerClickables(selectors);
  browser = await startBrowser();
  page = await browser.newPage();
  await page.route(PAGE, (route) => route.fulfill({ ...answer, contentType: "text/html" }));
});
afterAll(() => browser.close());

test.each([
  [401, "<p>This link is not valid.</p>", "the app answered 401 to the request for its page"],
  [403, "<p>Expired.</p><script>1</script><a href='/'>Home</a>", "the app answered 403 to the request for its page"],
  [200, "<p>Expired.</p>", "the app answered 200 to the request for its page, with nothing to do on it"],
  [200, "<p>One moment.</p><script>1</script>", null],
  [200, "<a href='/go'>Go on</a>", null],
  [200, "<form><input name=pin></form>", null],
  [422, "<form><input name=pin><button>Send</button></form>", null],
])("a page that comes with %i and %s: %s", async (status, body, reason) => {
  answer = { status, body };
  const opened = await page.goto(PAGE);
  expect((await unshownPage(opened, page.mainFrame()))?.reason ?? null).toBe(reason);
});
