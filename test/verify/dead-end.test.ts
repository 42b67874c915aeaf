import { expect, test } from "vitest";
import { type Edit, startEditedApp } from "./edited-app.ts";

const file = "guard-redirect.js";
const issues = 'visit.code ??= codes.issue({ ...login.person, moduleKey: "terms" });';
const pageThat = (content: string): Edit[] => [
  { file, from: issues, to: `return page(layout, "Confidentiality terms", html\`${content}\`);` },
];

/** The verdict on whether anybody can pass the page with the form, which is not configured. */
async function verdictWith(edits: readonly Edit[]) {
  await using edited = await startEditedApp(edits);
  const { checks } = await edited.sim.verify({ only: ["page.return.reached"], modules: ["terms"] });
  return checks.map(({ result, reason, hint }) => ({ result, reason, hint }));
}

test.each([
  ["thanks the user, and stays", "<p>Thank you.</p>", /^none of its buttons leads back .* says: .*Thank you/],
  [
    "shows its form again",
    '<form method="post"><button name="decision" value="accept">I accept</button></form>',
    /^none of its buttons leads back .* shows its form again/,
  ],
])("a page that %s is not passed by any button", async (_, content, reason) => {
  expect(await verdictWith(pageThat(content))).toEqual([
    {
      result: "inconclusive",
      reason: expect.stringMatching(reason),
      hint: expect.stringContaining("--skip page.return.reached"),
    },
  ]);
});

test.each([
  ["asks for more", '<form method="post"><input name="pin"><button>Go on</button></form>'],
  ["has another choice", '<form method="post"><button>Sign</button><button>Read it first</button></form>'],
  ["goes on by itself", '<meta http-equiv="refresh" content="5; url=/elsewhere"><p>One moment.</p>'],
])("a page that %s is left to its owner", async (_, content) => {
  expect(await verdictWith(pageThat(content))).toMatchObject([{ result: "skip" }]);
});

test.each([
  ["is not there", [{ file, from: '"/guards/terms/page": {', to: '"/guards/terms/pages": {' }], "404"],
  ["fails", [{ file, from: 'return page(layout, "Confidentiality terms", TERMS);', to: "return page();" }], "500"],
])("nobody passes a page that %s", async (_, edits, status) => {
  expect(await verdictWith(edits)).toMatchObject([
    { result: "fail", reason: expect.stringContaining(`its page was not shown: the app answered ${status}`) },
  ]);
});
