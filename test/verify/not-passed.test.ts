import { expect, test } from "vitest";
import { startEditedApp } from "./edited-app.ts";

const finds = "    const visit = findVisit(login);\n";

test("a page that asks a user again who passed it, but lets nobody pass twice, is not skipped in silence", async () => {
  await using edited = await startEditedApp([
    {
      file: "guard-redirect.js",
      from: finds,
      to: `${finds}    if (visit.person.userId === decide.last) throw new Refusal(403, "You were here.");\n    decide.last = visit.person.userId;\n`,
    },
  ]);
  const { checks, outcome } = await edited.sim.verify({ only: ["guard.final"], modules: ["terms"] });
  const of = (id: string) => checks.find((check) => check.id === id);
  expect(outcome).toBe("inconclusive");
  expect(of("guard.final.accepted")).toMatchObject({
    result: "inconclusive",
    reason: expect.stringMatching(/^a user passed the page, but could not pass it again: .*403/),
  });
  expect(of("guard.final.code.reused")?.result).toBe("skip");
});
