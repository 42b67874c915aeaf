import { expect, test } from "vitest";
import { type Edit, startEditedApp } from "./edited-app.ts";

const file = "guard-frame.js";
const confirms = "report(async () => ({ code: await fetchCode() }))";
const reports = "AP.verifyAuth(await getOutcome());";

/** The verdict on whether anybody can pass the page in the frame, which is not configured. */
async function verdictWith(edits: readonly Edit[]) {
  await using edited = await startEditedApp(edits);
  const { checks } = await edited.sim.verify({ only: ["page.frame.reports-code"], modules: ["presence"] });
  return checks.map(({ result, reason, hint }) => ({ result, reason, hint }));
}

test.each([
  ["says nothing to the platform", [{ file, from: confirms, to: "fetchCode()" }], "no call of AP.verifyAuth"],
  [
    "gets no code",
    [{ file, from: 'verifyToken(bearerToken(request), "presence"', to: 'verifyToken(bearerToken(request), "other"' }],
    "the app answered 401 to POST /guards/presence/confirm",
  ],
  [
    "has a script that fails",
    [{ file, from: 'const deny = document.getElementById("deny");', to: "const deny = undefined.button;" }],
    "the page's console: Cannot read properties of undefined",
  ],
])("a frame page that %s is not passed by any button", async (_, edits, says) => {
  expect(await verdictWith(edits)).toEqual([
    {
      result: "inconclusive",
      reason: expect.stringMatching(new RegExp(`^no button makes it report a code: .*"It is me" pressed.*${says}`)),
      hint: expect.stringContaining("--skip page.frame.reports-code"),
    },
  ]);
});

const twoSteps = `{ confirm.hidden = true; const sure = document.createElement("button"); sure.textContent = "I am sure";
  sure.onclick = () => ${confirms}; document.body.append(sure); }`;

test.each([
  [
    "asks for something",
    [
      { file, from: '<button type="button" id="confirm">', to: '<input id="pin"><button type="button" id="confirm">' },
      {
        file,
        from: reports,
        to: 'if (document.getElementById("pin").value === "1234") AP.verifyAuth(await getOutcome());',
      },
    ],
  ],
  ["asks again", [{ file, from: `() => ${confirms}`, to: `() => ${twoSteps}` }]],
  ["waits for a phone", [{ file, from: confirms, to: 'setInterval(() => fetch("page.js"), 2000)' }]],
])("a frame page that %s is left to its owner", async (_, edits) => {
  expect(await verdictWith(edits)).toMatchObject([{ result: "skip" }]);
});
