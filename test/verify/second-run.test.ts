import { expect, test } from "vitest";
import { randomIds } from "../../src/app-client/ports.ts";
import { manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { assemble } from "../rig/simulation.ts";
import { type Edit, startEditedApp } from "./edited-app.ts";

/** A page that takes each state once, and remembers it. */
const statesOnce: readonly Edit[] = [
  {
    file: "guard-redirect.js",
    from: '    return page(layout, "Confidentiality terms", TERMS);',
    to: "    demand(visits.get(login.key).code === null, 'This login is over.');\n    return page(layout, \"Confidentiality terms\", TERMS);",
  },
];

test("an app that remembers each state passes a second run, too", async () => {
  await using edited = await startEditedApp(statesOnce);
  const run = () => edited.sim.verify({ only: ["page.return", "page.text", "page.open"], modules: ["terms"] });
  const [first, second] = [await run(), await run()];
  const found = [first, second].map(({ checks }) =>
    checks.filter(({ result }) => result !== "pass" && result !== "skip"),
  );
  expect(found).toEqual([[], []]);
  expect(second.summary).toMatchObject({ passed: first.summary.passed });
});

test("a run in another process sends other bodies", async () => {
  const bodies: string[][] = [];
  await using app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("events")] }) });
  app.answer((call) => {
    bodies.at(-1)?.push(call.body.toString());
    return call.reply({});
  });
  for (const seed of [11, 5_000_000]) {
    bodies.push([]);
    const sim = await assemble({ app: { url: app.url } }, { ids: { ...randomIds, seed: () => seed } });
    await sim.verify({ only: ["webhook.signature.missing", "manifest.address"] });
  }
  const [first = [], second = []] = bodies;
  expect(first.length).toBeGreaterThan(2);
  expect(second.filter((body) => first.includes(body))).toEqual([]);
});
