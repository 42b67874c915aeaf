import { describe, expect, test } from "vitest";
import type { Evidence, TrialCheck } from "../../src/checking/check.ts";
import { pageChecks } from "../../src/guard-checks/pages/checks.ts";
import type { Exchange } from "../../src/index.ts";
import { type Edit, startEditedApp } from "./edited-app.ts";
import { faultsOf } from "./faults.ts";

const looksUp = "if (holders.get(code) !== nameOf(holder)) return false;";
const takesAnybodys: Edit = {
  file: "guard.js",
  from: looksUp,
  to: "if (holders.get(code) === undefined) return false;",
};
const takesNone: Edit = { file: "guard.js", from: looksUp, to: "if (holders.get(code) !== holder) return false;" };

/** The results of these checks of the guard with a form, by id. */
async function resultsWith(edits: readonly Edit[], only: readonly string[]) {
  await using edited = await startEditedApp(edits);
  const { checks } = await edited.sim.verify({ only, modules: ["terms"] });
  return new Map(checks.map(({ id, result, reason, hint }) => [id, { result, reason, hint }]));
}

describe("a guard that accepts the code of any user", () => {
  const only = ["guard.final.code.other-user", "page.form.other-state", "page.form.added-user", "page.open"];
  const pageFault = faultsOf("page").find(({ id }) => id === "page-form-added-user");

  test.each([
    ["of a right page", []],
    ["of a page that takes the user from its form", pageFault?.edits ?? []],
  ])("%s: only the guard is accused", async (_, edits) => {
    const found = await resultsWith([takesAnybodys, ...edits], only);
    expect([...found].filter(([, { result }]) => result === "fail").map(([id]) => id)).toEqual([
      "guard.final.code.other-user",
    ]);
    expect(found.get("page.form.added-user")).toMatchObject({
      result: "inconclusive",
      reason: "the guard accepts one user's code for another user",
      hint: expect.stringContaining("guard.final.code.other-user"),
    });
  });
});

test("a guard that refuses every code: its page is not said to mix up logins", async () => {
  const logins = ["same-user", "two-users", "at-once"].map((name) => `page.logins.${name}`);
  const found = await resultsWith([takesNone], ["guard.final.accepted", ...logins]);
  expect(found.get("guard.final.accepted")).toMatchObject({
    result: "fail",
    hint: expect.stringMatching(
      /^Store each code .* true\. The app's own page issued .* sub: "(\d+)"; .* userId: \1\)/,
    ),
  });
  for (const id of logins) {
    expect(found.get(id), id).toMatchObject({
      result: "inconclusive",
      reason: "the guard refused all their codes, and that of a single login, too",
      hint: expect.stringContaining("guard.final.accepted"),
    });
  }
});

/** The verdict of a check if the guard answered the final calls in these roles like this. */
function verdictOf(id: string, letsIn: Readonly<Record<string, boolean>>) {
  const check = pageChecks.find((each) => each.id === id) as TrialCheck;
  const steps = ["changed-1", "asked-0", "asked-1", ...Object.keys(letsIn)].map((role) => ({
    role,
    exchange: {
      outcome: { kind: "answered" },
      request: { method: "POST" },
      response: {
        status: 200,
        headers: [],
        body: { base64: Buffer.from(JSON.stringify({ success: letsIn[role] ?? true })).toString("base64"), size: 1 },
      },
    } as unknown as Exchange,
  }));
  const read = () => ({ kind: "accepted", says: "" });
  return check.judge({ steps, read, landing: (each: Exchange) => each } as unknown as Evidence).result;
}

const [ofFirst, ofNobody] = ["code of the first user", "code of nobody"];

describe.each(["page.form.other-state", "page.frame-request.added-user"])("%s", (id) => {
  test.each([
    ["refused", { "redeemed-1": false }, "pass"],
    ["accepted", { "redeemed-1": true, [ofNobody]: false, [ofFirst]: false }, "fail"],
    ["accepted like any user's", { "redeemed-1": true, [ofNobody]: false, [ofFirst]: true }, "inconclusive"],
    // Then this code may have been the one that was accepted.
    [
      "accepted by a guard that remembers who passed",
      { "redeemed-1": true, [ofNobody]: true, [ofFirst]: true },
      "fail",
    ],
    ["accepted, and the page issued no other", { "redeemed-1": true, [ofNobody]: false }, "fail"],
  ] as const)("a code that is %s", (_, letsIn, result) => {
    expect(verdictOf(id, letsIn)).toBe(result);
  });
});

const single = "code of a single login";

test.each([
  ["each code", { "redeemed-0": true, "redeemed-1": true }, "pass"],
  ["no code but that of a single login", { "redeemed-0": false, "redeemed-1": false, [single]: true }, "fail"],
  ["no code at all", { "redeemed-0": false, "redeemed-1": false, [single]: false }, "inconclusive"],
])("simultaneous calls of pages whose guard accepts %s", (_, letsIn, result) => {
  expect(verdictOf("page.frame-request.at-once", letsIn)).toBe(result);
});

test("a page that returns without its state: it is not said to mix up logins", async () => {
  const loses: Edit = { file: "guard-redirect.js", from: "?state=", to: "?lang=" };
  const logins = ["same-user", "two-users", "at-once"].map((name) => `page.logins.${name}`);
  const found = await resultsWith([loses], ["page.return.outcome", "page.return.state-plus", ...logins]);
  expect(found.get("page.return.outcome")).toMatchObject({ result: "fail", reason: "there is no state" });
  expect(found.get("page.return.state-plus")).toMatchObject({ result: "fail", reason: "no state came back" });
  for (const id of logins)
    expect(found.get(id)).toMatchObject({ result: "skip", reason: expect.stringMatching(/^no state came back, so/) });
});
