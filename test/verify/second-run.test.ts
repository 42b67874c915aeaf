import { expect, test } from "vitest";
import { type Edit, startEditedApp } from "./edited-app.ts";

/** A page that takes each state once, and remembers it. */
const statesOnce: readonly Edit[] = [
  {
    file: "guard-redirect.js",
    from: '    return page(layout, "Confidentiality terms", TERMS);',
    to: "    demand(visits.get(login.key).code === null, 'This login is over.');\n    return page(layout, \"Confidentiality terms\", TERMS);",
  },
];

test("an app that remembers each state passes a second run, too", { timeout: 60_000 }, async () => {
  await using edited = await startEditedApp(statesOnce);
  const run = () => edited.sim.verify({ only: ["page.return", "page.text", "page.open"], modules: ["terms"] });
  const [first, second] = [await run(), await run()];
  const found = [first, second].map(({ checks }) =>
    checks.filter(({ result }) => result !== "pass" && result !== "skip"),
  );
  expect(found).toEqual([[], []]);
  expect(second.summary).toMatchObject({ passed: first.summary.passed });
});
