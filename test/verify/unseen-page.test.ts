import { afterEach, describe, expect, test, vi } from "vitest";
import { type Edit, startEditedApp } from "./edited-app.ts";

const file = "guard-redirect.js";
const scripted: Edit = { file, from: '<form method="post">', to: '<script src="/a.js"></script><form method="post">' };
const fails: Edit = { file, from: "await readDecision(request);", to: "await readDecision(request.form);" };
const stays: Edit = {
  file,
  from: "const decision = await readDecision(request);",
  to: 'const decision = await readDecision(request);\n    if (decision) return page(layout, "Thank you", TERMS);',
};
const verify = { guards: { terms: { pass: { press: "I accept" } } } };

afterEach(() => void vi.unstubAllEnvs());

/** The result of the pages' check with scripts in the page, and no browser that starts. */
async function reached(edit: Edit) {
  vi.stubEnv("CHROME_PATH", process.execPath);
  await using edited = await startEditedApp([scripted, edit], { verify });
  const { checks } = await edited.sim.verify({ only: ["page.return"], modules: ["terms"] });
  const others = checks.filter(({ id }) => id !== "page.return.reached");
  return { others, check: checks.find(({ id }) => id === "page.return.reached") };
}

describe("a page with scripts, where no browser starts", () => {
  test("is inconclusive if the app fails on its form, which is filled in as configured", async () => {
    const { check } = await reached(fails);
    expect(check).toMatchObject({
      result: "inconclusive",
      reason: "passing the page as configured, over HTTP, ended with status 500",
      hint: expect.stringMatching(/^Fix the server error: .* needs its scripts: .* did not start/),
    });
  });

  test("is skipped if it may need its scripts; nobody is told to configure what is configured", async () => {
    const { check, others } = await reached(stays);
    expect(check?.result).toBe("skip");
    for (const { reason } of others) expect(reason).not.toContain("set in the config file");
  });
});
