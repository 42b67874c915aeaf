import { expect, test } from "vitest";
import { type Edit, startEditedApp } from "./edited-app.ts";

const file = "guard-redirect.js";
const buttons = `<button type="submit" name="decision" value="accept">I accept</button>
    <button type="submit" name="decision" value="decline">I decline</button>`;

/** The verdict on a user who fails the page, which asks for a PIN. */
async function verdictOn(fail: { fill?: { pin: string }; press: string }, further: readonly Edit[] = []) {
  const verify = { guards: { terms: { pass: { fill: { pin: "2468" }, press: "accept" }, fail } } };
  const edits = [{ file, from: buttons, to: `<input name="pin" required>${buttons}` }, ...further];
  await using edited = await startEditedApp(edits, { verify });
  const { checks } = await edited.sim.verify({ only: ["page.error.returned"], modules: ["terms"] });
  return checks.map(({ result, reason }) => ({ result, reason }));
}

test("a page is inconclusive if its form cannot be sent: a browser asks for the empty field first", async () => {
  const reason = 'nobody fails the page as configured: the app\'s form cannot be submitted without "pin"';
  expect(await verdictOn({ press: "decline" })).toEqual([{ result: "inconclusive", reason }]);
});

test("a page that shows its form again after a wrong PIN asks again", async () => {
  const visit = "    const visit = findVisit(login);\n";
  const decision = '  const decision = onlyValue(form, "decision");\n';
  const again = [
    { file, from: visit, to: `${visit}    if (decision === "again") return page(layout, "Your PIN", TERMS);\n` },
    { file, from: decision, to: `${decision}  if (form.get("pin") !== "2468") return "again";\n` },
  ];
  expect(await verdictOn({ fill: { pin: "1111" }, press: "accept" }, again)).toEqual([
    { result: "skip", reason: "the page asks again" },
  ]);
});

test("a page is inconclusive that asks again when its button is pressed: nothing was filled in that may be wrong", async () => {
  const declined = '    if (decision === "decline") return redirect(';
  const again = {
    file,
    from: declined,
    to: `    if (decision === "decline") return page(layout, "Terms", TERMS);\n${declined}`,
  };
  const noPin = { file, from: '<input name="pin" required>', to: "" };
  const reason = "nobody fails the page as configured: after its button was pressed, the page asks again";
  expect(await verdictOn({ press: "decline" }, [noPin, again])).toEqual([{ result: "inconclusive", reason }]);
});
