import { type Browser, type Page, selectors } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerClickables } from "../../src/browser/clickable.ts";
import type { PageTrouble, PageWork } from "../../src/browser/fill-form.ts";
import { doingFirst, takeSteps } from "../../src/browser/page-steps.ts";
import { nothingDone } from "../../src/guard/visit/guard-work.ts";
import type { PageVisit } from "../../src/guard/visit/page-visit.ts";
import { stuck } from "../../src/guard/visit/stuck-page.ts";
import { startBrowser } from "../rig/browser.ts";

// What is done at a page, without a login around it: one page of Chromium shows them all.

let browser: Browser;
let page: Page;
beforeAll(async () => {
  await registerClickables(selectors);
  browser = await startBrowser();
  page = await browser.newPage();
});
afterAll(() => browser.close());

/** Does this work at a page with this body. */
async function work(body: string, { fill = {}, press = [] }: Partial<PageWork>): Promise<PageTrouble | null> {
  // What the scripts of the last page declared would still be there.
  await page.goto("about:blank");
  await page.setContent(`<!doctype html><script>function go() { document.title = "gone"; }</script>${body}`);
  return await takeSteps({
    frame: page.mainFrame(),
    work: { fill, press, ...nothingDone() },
    isLast: () => true,
    doing: doingFirst(""),
    settle: async () => {},
    pause: (milliseconds) => page.waitForTimeout(milliseconds),
  });
}

describe("is pressed as a person would, by its text", () => {
  it.each([
    ["a <div> with a handler", "<div onclick='go()'>I accept</div>"],
    ["a link without an address", "<a onclick='go()'><b>I</b> accept</a>"],
    ["what it is said to be", "<span role=button onclick='go()'>I accept</span>"],
    ["a text with a frame around it", "<p onclick='go()'><span>I accept</span></p>"],
    [
      "the hand of the mouse",
      "<li style='cursor: pointer' id=x>I accept</li><script>x.addEventListener('click', go)</script>",
    ],
    [
      "a button that comes later than a heading",
      "<h2>I accept</h2><p id=x></p><script>setTimeout(() => { x.innerHTML = '<button onclick=\"go()\">I accept</button>' })</script>",
    ],
  ])("%s", async (_, body) => {
    expect(await work(body, { press: ["i accept"] })).toBeNull();
    expect(await page.title()).toBe("gone");
  });
});

it("a form without a button is sent by Enter", async () => {
  const form = "<form onsubmit='go(); return false'><input name=pin></form>";
  expect(await work(form, { fill: { pin: "1234" } })).toBeNull();
  expect(await page.title()).toBe("gone");
});

describe("a problem that stops the walk of a page", () => {
  it.each<[what: string, body: string, work: Partial<PageWork>, trouble: Partial<PageTrouble>]>([
    [
      "several buttons, and none is named",
      "<button>Yes</button><button>No</button>",
      {},
      { reason: "the app's page has several buttons", hint: 'name one with --press; the buttons: "Yes", "No"' },
    ],
    [
      "several buttons of one name",
      "<button value=a>Yes</button><button value=b>Yes</button>",
      { press: ["Yes"] },
      {
        reason: '"Yes" is the name of 2 buttons',
        hint: expect.stringMatching(/^the buttons: "Yes", "Yes"; .* use one that is unique/),
      },
    ],
    [
      "a field that is a button",
      "<form><input name=pin><button name=go value=yes>Yes</button></form>",
      { fill: { pin: "1", go: "no" } },
      {
        reason: '--fill is for fields, but "go" is a button of the form',
        hint: 'press it with --press; the buttons: "Yes"',
      },
    ],
    [
      "no such option",
      "<select name=plan><option>Free<option>Paid</select>",
      { fill: { plan: "Pait" } },
      { reason: 'the field "plan" has no such choice; allowed: "Free", "Paid". Did you mean "Paid"?' },
    ],
    [
      "a value that is none for the field",
      "<input type=date name=day>",
      { fill: { day: "tomorrow" } },
      { reason: 'the field "day" does not accept its value' },
    ],
    [
      "a file",
      "<input type=file name=id>",
      { fill: { id: "id.png" } },
      { reason: 'the field "id" takes a file, which --fill cannot provide' },
    ],
  ])("%s", async (_, body, what, trouble) => {
    expect(await work(body, what)).toMatchObject({ failure: "other", ...trouble });
  });
});

describe("a page that submits itself with the last digit", () => {
  beforeAll(() =>
    page.route("http://127.0.0.1/**", (route) => route.fulfill({ headers: { "access-control-allow-origin": "*" } })),
  );

  const digits = ["d1", "d2", "d3"].map((id) => `<input id=${id} maxlength=1 oninput="typed()">`).join("");
  const fill = { d1: "1", d2: "2", d3: "3" };
  const pageThat = (sends: string, then: string) => `${digits}<button>Send</button><button>Cancel</button><script>
    const fields = [d1, d2, d3];
    async function typed() {
      if (fields.some(({ value }) => value === "")) return;
      ${sends};
      ${then};
    }
    for (const button of document.querySelectorAll("button")) button.onclick = () => { document.title = button.innerText; };
  </script>`;

  it.each([
    ["goes on", "document.body.replaceChildren(); go()"],
    ["asks for them again", "for (const field of fields) field.value = ''; go()"],
  ])("has no button to press if it %s", async (_, then) => {
    expect(await work(pageThat(`await fetch("http://127.0.0.1/check")`, then), { fill })).toBeNull();
    expect(await page.title()).toBe("gone");
  });

  it("has one if it keeps what was typed: it only looked something up", async () => {
    const form = `<form onsubmit="go(); return false"><input id=pin oninput="fetch('http://127.0.0.1/names')"><button>Send</button></form>`;
    expect(await work(form, { fill: { pin: "1" } })).toBeNull();
    expect(await page.title()).toBe("gone");
  });
});

it("blames the machine if the time is over before the visit has noticed what it looks for", async () => {
  await page.setContent("<title>Terms</title><button>Go on</button>");
  const work = { fill: {}, press: ["Go on"], ...nothingDone() };
  const interaction = { guard: { key: "terms", type: "redirect" } };
  const visit = { interaction, work, guards: ["terms"], quote: (text: string) => text } as unknown as PageVisit;
  const doing = {
    ...doingFirst('waiting for the button "Go on"'),
    isLooking: true,
    buttons: ["Go on"],
    isThere: async () => true,
  };
  const at = { page, visit, doing, isOver: true, hints: [], hasSentForm: false };
  expect(await stuck(at, (question) => question)).toEqual({
    reason:
      'the app\'s page did not bring the user back in time: still waiting for the button "Go on"; the page "Terms" shows: Go on',
    hint: "is this machine busy? Give it longer with --interaction-timeout",
    failure: "timed-out",
  });
});
