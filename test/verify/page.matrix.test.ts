import { describe, expect, test } from "vitest";
import { pageChecks } from "../../src/guard-checks/pages/checks.ts";
import { judgeAgain, lastVerification } from "../../src/verify/judge-again.ts";
import { VerifiedJournal } from "../../src/verify/verified-journal.ts";
import {
  decodingScriptApp,
  formFrameApp,
  hiddenFieldsApp,
  linkApp,
  scriptApp,
  sessionApp,
  startPageKind,
  staticFrameApp,
} from "./apps/page-apps.ts";
import { faultySpas, onceApp, pinSpa, rememberingApp, spaApp } from "./apps/spa-apps.ts";
import { startEditedApp } from "./edited-app.ts";
import { type Fault, faultsOf, type Variation, variationsOf } from "./faults.ts";

const faults = faultsOf("page");
const isBrowsed = (id: string) =>
  id.startsWith("page.frame.reports") ||
  /^page\.(frame(-request|\.(e[ar]|secret|left|own|refused|switched|mistyped))|text\.scripts)/.test(id);
const browsed = faults.filter(({ checks }) => checks.some(isBrowsed));

/** The checks that fail or warn in the sample app with these faults, of those that find them. */
async function found(given: readonly Fault[]): Promise<string[]> {
  const [verify] = given.flatMap((fault) => fault.verify ?? []);
  await using edited = await startEditedApp(
    given.flatMap(({ edits }) => edits),
    verify === undefined ? {} : { verify },
  );
  const { checks } = await edited.sim.verify({ only: given.flatMap(({ checks: ids }) => ids), slow: true });
  return checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id);
}

describe("the pages of the sample app", () => {
  test("pass every check, in a browser too", async () => {
    await using edited = await startEditedApp([]);
    const { checks } = await edited.sim.verify({ only: ["page"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    const skipped = checks.filter(({ result }) => result === "skip").map(({ id }) => id);
    expect(
      [...new Set(skipped)].filter((id) => !/\.(hs256-with-public-key|kid-missing|expired-again)$/.test(id)),
    ).toEqual([
      "page.text.scripts-escape",
      "page.form.left",
      "page.form.other-fields",
      "page.form.other-cookie",
      "page.form.other-address",
      "page.form.user-inside",
      "page.form.later",
      "page.form.session-cookie",
      "page.form.altered-cookie",
      "page.form.wrong-password",
      "page.form.skipped-step",
      "page.form.password-inside",
      "page.form.mistyped",
      "page.form.wrong-answered",
      "page.form.required",
      "page.form.corrected",
      "page.form.added-state",
      "page.form.others-input",
      "page.form.every-role",
      "page.form.unset-password",
      "page.form.wrong-again",
      "page.form.tries",
      "page.return.no-password",
      "page.logins.two-tabs",
      "page.logins.again",
      "page.logins.switched",
      "page.logins.unasked",
      "page.logins.forged-cookie",
      "page.logins.no-after-yes",
      "page.logins.kept-answer",
      "page.error.cancelled",
      "page.frame.wrong-password",
      "page.frame.password-inside",
      "page.frame.switched",
      "page.frame.mistyped",
      "page.frame-request.wrong-password",
      "page.frame-request.wrong-again",
      "page.frame-request.every-role",
      "page.frame-request.switches",
      "page.frame-request.consent",
      "page.frame-request.skipped-step",
      "page.frame-request.body",
    ]);
  });

  test.each(faults.filter((fault) => !browsed.includes(fault)))("$id: $says", async (fault) => {
    expect(await found([fault])).toEqual(expect.arrayContaining([...fault.checks]));
  });

  // A browser is started for each app: faults that do not touch each other share one.
  test.each([
    ["page-frame-call-unverified", "page-frame-deny-object"],
    ["page-frame-call-open", "page-frame-deny-confirms"],
    ["page-frame-left", "page-frame-any-site"],
    ["page-frame-inner-html"],
    ["page-frame-inner-hint"],
    ["page-frame-inner-fragment"],
    ["page-frame-template-literal"],
    ["page-frame-inner-claim"],
    ["page-frame-posted"],
    ["page-frame-early-code"],
    ["page-frame-code-at-load"],
    ["page-frame-lax-cookie", "page-frame-named"],
    ["page-frame-shared-person"],
    ["page-frame-one-call"],
    ["page-frame-spare-code"],
    ["page-frame-call-user-header"],
    ["page-frame-call-user-query"],
    ["page-frame-call-organization"],
    ["page-frame-module-from-url"],
    ["page-frame-no-calls"],
    ["page-frame-no-own-script"],
    ["page-frame-deaf"],
    ["page-frame-deaf-code"],
    ["page-frame-unread"],
    ["page-frame-secret", "page-frame-call-tells"],
    ["page-frame-missing"],
    ["page-frame-pin-unread"],
    ["page-frame-terms-unread"],
    ["page-frame-debug-header"],
    ["page-frame-module-in-address"],
    ["page-frame-pin-empty"],
    ["page-frame-pin-end"],
    ["page-frame-pin-of-anybody"],
    ["page-frame-pin-of-role-lost"],
    ["page-frame-pin-of-body-user"],
    ["page-frame-pin-second"],
    ["page-frame-pin-first-unread"],
    ["page-frame-pin-skipped"],
    ["page-frame-first-call-user"],
    ["page-frame-first-token"],
    ["page-frame-first-token-of-tab"],
    ["page-frame-first-session"],
    ["page-frame-browser-of-first-user"],
  ])("in a browser: %s %s", async (...ids: string[]) => {
    const given = browsed.filter(({ id }) => ids.includes(id));
    expect(given).toHaveLength(ids.length);
    expect(await found(given)).toEqual(expect.arrayContaining(given.flatMap(({ checks }) => checks)));
  });

  test("a page that returns to another port is accused only of that", async () => {
    const from = "callback: settings.authUrl + path };";
    const to = 'callback: "http://127.0.0.1:9999" + path };';
    await using edited = await startEditedApp([{ file: "guard-redirect.js", from, to }]);
    const { checks } = await edited.sim.verify({ only: ["page.return"], skip: ["page.return.own-policy"] });
    expect(checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id)).toEqual([
      "page.return.address",
    ]);
  });

  test.each([
    ["a word", "yes", "warn"],
    ["a signature", "1:m8Cq1vXW0bYpZ3nTt5sRaw", "pass"],
  ])("a cookie that remembers browsers by %s", async (_, value, result) => {
    const [fault] = faults.filter(({ id }) => id === "page-browser-accepted");
    const edits = (fault?.edits ?? []).map(({ to, ...edit }) => ({
      ...edit,
      to: to.replace(/(?<=")yes|(?<==)yes/, value),
    }));
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["page.logins.forged-cookie"], modules: ["terms"] });
    expect(checks).toEqual([expect.objectContaining({ result })]);
  });

  test.each([
    ["permits it", "", "warn", "which the form permits"],
    ["requires one", " required", "fail", "although the form requires one"],
  ])("an empty password of a user without one is judged by a form that %s", async (_, attribute, result, end) => {
    const [fault] = faults.filter(({ id }) => id === "page-pin-unset");
    const asking = '<input type="password" name="pin"';
    const edits = (fault?.edits ?? []).map(({ to, ...edit }) => ({
      ...edit,
      to: to.replace(asking, asking + attribute),
    }));
    await using edited = await startEditedApp(edits, { verify: fault?.verify ?? {} });
    const { checks } = await edited.sim.verify({ only: ["page.form.unset-password"], modules: ["terms"] });
    const reason = `a user unknown to the app is let in with an empty password, ${end}`;
    expect(checks).toEqual([expect.objectContaining({ result, reason })]);
  });

  test("in a browser: page-frame-deaf-early, shown by the call that was refused", async () => {
    const given = browsed.filter(({ id }) => id === "page-frame-deaf-early");
    await using edited = await startEditedApp(given.flatMap(({ edits }) => edits));
    const { checks } = await edited.sim.verify({ only: ["page.frame.refused-call"] });
    const [found] = checks.filter(({ result }) => result === "fail");
    const shown = edited.sim.journal.list().filter(({ id }) => found?.exchanges.includes(id));
    expect(shown).toMatchObject([{ request: { url: expect.stringMatching(/\/confirm$/) }, response: { status: 401 } }]);
  });

  test("an app that locks a user out after ten wrong PINs leaves open only the checks that send wrong ones", async () => {
    const form =
      '<form method="post"><input name="pin" type="password" required><button name="decision" value="accept">Go on</button></form>';
    const edits = [
      { from: "  const show = ", to: "  const wrong = new Map();\n  const show = " },
      { from: '"Confidentiality terms", TERMS', to: `"Your PIN", html\`${form}\`` },
      {
        from: '  const decision = onlyValue(form, "decision");\n',
        to: '  if (form.get("pin") !== "2468") return "again";\n  const decision = onlyValue(form, "decision");\n',
      },
      {
        from: 'if (decision === "decline")',
        to: `const { userId } = login.person;
    if (decision === "again") wrong.set(userId, (wrong.get(userId) ?? 0) + 1);
    if ((wrong.get(userId) ?? 0) >= 10) return redirect(\`\${back}&error=Too%20many%20wrong%20PINs\`);
    if (decision === "again") return page(layout, "Your PIN", html\`${form}\`);
    if (decision === "decline")`,
      },
    ].map((edit) => ({ file: "guard-redirect.js", ...edit }));
    const verify = { guards: { terms: { pass: { fill: { pin: "2468" }, press: "Go on" } } } };
    await using edited = await startEditedApp(edits, { verify });
    const { checks } = await edited.sim.verify({ only: ["page.form", "page.form-token", "page.return"] });
    const open = checks.filter(({ result }) => result !== "pass" && result !== "skip");
    expect(new Set(open.map(({ result }) => result))).toEqual(new Set(["inconclusive"]));
    const lockOut = pageChecks.filter(({ mayLockOut }) => mayLockOut === true).map(({ id }) => id);
    expect(open.filter(({ id }) => !lockOut.includes(id))).toEqual([]);
    for (const { reason, hint } of open) {
      expect(reason).toMatch(/the app answered 302 and sent the user back with the error "Too many wrong PINs"$/);
      expect(hint).toMatch(/^If the app locks users out after wrong passwords, .* --skip page\.form\./);
    }
  });

  const isFramed = ({ id }: Variation) => id.startsWith("framed-");

  test.each(variationsOf("page").filter(isFramed))(
    "right too, in a browser: $id: $says",
    async ({ id, edits, verify = {} }) => {
      await using edited = await startEditedApp(edits, { verify });
      const calls = id.startsWith("framed-keeps") ? ["page.frame-request"] : [];
      const { checks } = await edited.sim.verify({ only: ["page.frame", ...calls] });
      expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
      expect(checks).toContainEqual(expect.objectContaining({ id: "page.frame.reports-code", result: "pass" }));
    },
  );

  test("users with PINs of their own call at the same time, each with the right one", async () => {
    const [variation] = variationsOf("page").filter(({ id }) => id === "framed-keeps-pins-of-users");
    await using edited = await startEditedApp(variation?.edits ?? [], { verify: variation?.verify ?? {} });
    const { checks } = await edited.sim.verify({ only: ["page.frame-request.at-once"] });
    expect(checks.map(({ result }) => result)).toEqual(["pass"]);
  });

  test.each(variationsOf("page").filter((variation) => !isFramed(variation)))(
    "right too: $id: $says",
    async ({ id, edits, verify = {} }) => {
      await using edited = await startEditedApp(edits, { verify });
      const tokens = /^(refuses|address)/.test(id) ? [] : ["page.token", "page.form-token"];
      const skip = ["page.frame", "page.frame-request", ...tokens];
      const { checks } = await edited.sim.verify({ only: ["page"], skip });
      expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    },
    120_000,
  );
});

describe("a form of which nothing can be changed", () => {
  const reasonOf = async (edits: Fault["edits"]) => {
    await using edited = await startEditedApp(edits);
    const { checks } = await edited.sim.verify({ only: ["page.form.other-fields"], modules: ["terms"] });
    return checks[0]?.reason;
  };

  test("is distinguished from one that another user does not reach", async () => {
    expect(await reasonOf([])).toBe("the form sends nothing of this kind");
    const from = "    const login = await readLogin(request, settings);\n    if (visits";
    const refusal = 'if (!managers.has(login.person.userId)) throw new Refusal(403, "This page is for managers.");';
    const to = from.replace("    if (visits", `    ${refusal}\n    if (visits`);
    expect(await reasonOf([{ file: "guard-redirect.js", from, to }])).toBe("another user does not get to the form");
  });
});

describe("a form in which there is nothing to fill in, and which is refused", () => {
  const file = "guard-redirect.js";
  const reachedWith = async (form: string, edits: Fault["edits"] = []) => {
    await using edited = await startEditedApp([
      ...edits,
      { file, from: '<form method="post">', to: form },
      {
        file,
        from: "    const decision = await readDecision(request);",
        to: '    throw new Refusal(403, "Confirm the login on your phone first.");',
      },
      {
        file,
        from: "  const decide = withErrorPage(layout, async (request) => {\n    const login = await readLogin(request, settings);\n",
        to: "  const decide = withErrorPage(layout, async (request) => {\n    const login = {};\n",
      },
    ]);
    const { checks } = await edited.sim.verify({ only: ["page.return.reached"], modules: ["terms"] });
    return checks.map(({ result }) => result);
  };

  test.each([
    ["nothing of its page", '<form method="post" action="/guards/terms/page">', "fail"],
    [
      "a ticket in a hidden field",
      '<form method="post" action="/guards/terms/page"><input type="hidden" name="ticket" value="c1f2a97be0">',
      "warn",
    ],
    ["a ticket in its address", '<form method="post" action="/guards/terms/page?ticket=c1f2a97be0">', "warn"],
  ])("brings %s", async (_, form, result) => {
    expect(await reachedWith(form)).toEqual([result]);
  });

  test("is distinguished from one with a field, on the page to which the guard's address redirects", async () => {
    const from = "  const show = withErrorPage(layout, async (request) => {\n";
    const to = `${from}    if (!queryOf(request).includes("&on")) return redirect("?" + queryOf(request) + "&on");\n`;
    const form = '<form method="post" action="/guards/terms/page"><input name="pin">';
    expect(await reachedWith(form, [{ file, from, to }])).toEqual(["skip"]);
  });
});

describe("a page that is not passed or failed as configured", () => {
  const file = "guard-redirect.js";
  const press = (fail: string) => ({
    verify: { guards: { terms: { pass: { press: "accept" }, fail: { press: fail } } } },
  });
  const buttons = `<button type="submit" name="decision" value="accept">I accept</button>
    <button type="submit" name="decision" value="decline">I decline</button>`;

  test("does not count as failed by a button that it does not have", async () => {
    const to = `<input type="radio" name="decision" value="accept" required>
      <input type="radio" name="decision" value="decline"><button>Go on</button>`;
    await using edited = await startEditedApp([{ file, from: buttons, to }], press("decline"));
    const { checks } = await edited.sim.verify({ only: ["page.error"], modules: ["terms"] });
    expect(
      checks.filter(({ result }) => result !== "skip").map(({ id, result, reason }) => [id, result, reason]),
    ).toEqual([]);
    const returned = checks.find(({ id }) => id === "page.error.returned");
    expect(returned?.reason).toContain("the page has no button that verify.guards.terms.fail names");
  });

  test("leaves the codes inconclusive: a renamed field must not silence their checks", async () => {
    const verify = { guards: { terms: { pass: { fill: { agreed: "yes" }, press: "accept" } } } };
    await using edited = await startEditedApp([], { verify });
    const { checks } = await edited.sim.verify({ only: ["guard.final.accepted"], modules: ["terms"] });
    expect(checks).toMatchObject([
      { result: "inconclusive", reason: expect.stringMatching(/^nobody passes the page as configured: .*"agreed"/) },
    ]);
  });

  test.each([
    ["a link", '<a href="?next">Go on</a>', "inconclusive"],
    ["nothing", "<p>Thank you.</p>", "fail"],
  ])("is judged by whether it ends with %s to press", async (_, markup, result) => {
    const from = "    return redirect(`$\u007bback}&code=$\u007bvisit.code}`);";
    const to = `    return page(layout, "Done", html\`${markup}\`);`;
    await using edited = await startEditedApp([{ file, from, to }], press("decline"));
    const { checks } = await edited.sim.verify({ only: ["page.return.reached"], modules: ["terms"] });
    expect(checks.map((check) => check.result)).toEqual([result]);
  });
});

test("a script's call that only decodes its token is found by a browser with a forged one", async () => {
  await using app = await startPageKind(decodingScriptApp);
  const { checks } = await app.sim.verify({ only: ["page.form-token"] });
  const records = app.sim.journal.list();
  const failed = checks.filter(({ result }) => result === "fail").map(({ id }) => id);
  expect(failed).toEqual(expect.arrayContaining(["page.form-token.other-secret", "page.form-token.alg-none"]));
  expect(judgeAgain(new VerifiedJournal(records), lastVerification(records), app.sim)).toEqual(checks);
});

describe("a single-page app", () => {
  test("is judged by the address to which its script goes, and by its call", async () => {
    await using app = await startPageKind(spaApp);
    const { checks } = await app.sim.verify({ only: ["page"] });
    const records = app.sim.journal.list();
    const notPassed = checks.filter(({ result }) => result !== "pass" && result !== "skip").map(({ id }) => id);
    expect(notPassed).toEqual(["page.return.status"]);
    const passed = checks.filter(({ result }) => result === "pass").map(({ id }) => id);
    const kept = "page.logins.switched";
    const notTried = [
      kept,
      "page.form.password-inside",
      "page.form.mistyped",
      "page.frame-request.wrong-password",
      "page.frame-request.switches",
    ];
    expect(passed).toEqual(
      expect.arrayContaining(faultySpas.map(([, , id]) => id).filter((id) => !notTried.includes(id))),
    );
    expect(checks.find(({ id }) => id === kept)?.reason).toBe(
      "the page keeps no cookie and nothing in localStorage, and its scripts do not name sessionStorage",
    );
    expect(judgeAgain(new VerifiedJournal(records), lastVerification(records), app.sim)).toEqual(checks);
  });

  test("may ask for a PIN, and get data at first", async () => {
    await using app = await startPageKind(pinSpa);
    const { checks } = await app.sim.verify({ only: ["page"] });
    const notPassed = checks.filter(({ result }) => result !== "pass" && result !== "skip").map(({ id }) => id);
    expect(notPassed).toEqual(["page.return.status"]);
    const wanted = ["page.code.early", "page.form.password-inside", "page.frame-request.wrong-password"];
    const tried = checks.filter(({ id }) => [...wanted, "page.form.mistyped"].includes(id));
    expect(tried.map(({ result }) => result)).toEqual(["pass", "pass", "pass", "pass"]);
  });

  test("may remember something of each login", async () => {
    await using app = await startPageKind(rememberingApp);
    const { checks } = await app.sim.verify({
      only: ["page.logins.switched", "page.logins.two-tabs"],
    });
    const records = app.sim.journal.list();
    expect(checks.map(({ result }) => result)).toEqual(["pass", "pass"]);
    expect(judgeAgain(new VerifiedJournal(records), lastVerification(records), app.sim)).toEqual(checks);
  });

  test("whose call cannot be repeated is not judged by that", async () => {
    await using app = await startPageKind(onceApp());
    const { checks } = await app.sim.verify({ only: ["page.frame-request"] });
    expect(new Set(checks.map(({ result }) => result))).toEqual(new Set(["skip"]));
    expect(checks[0]?.reason).toContain("good only once");
  });

  test("whose first call only decodes its token, and whose last one brings the code, is found", async () => {
    await using app = await startPageKind(decodingScriptApp);
    const { checks } = await app.sim.verify({ only: ["page.frame-request.token"] });
    const records = app.sim.journal.list();
    const failed = checks.filter(({ result }) => result === "fail").map(({ id }) => id);
    expect(failed).toContain("page.frame-request.token.other-secret");
    expect(judgeAgain(new VerifiedJournal(records), lastVerification(records), app.sim)).toEqual(checks);
  });

  test.each(faultySpas)("that %s is found", async (_, kind, id) => {
    await using app = await startPageKind(kind);
    const { checks } = await app.sim.verify({ only: [id] });
    expect(checks.map((check) => `${check.id} ${check.result}`)).toContainEqual(
      expect.stringMatching(new RegExp(`^${id} (fail|warn)$`)),
    );
  });
});

describe("the page of an app that is built differently", () => {
  test.each([
    ["with a session in a cookie", sessionApp, "page.logins.two-tabs"],
    ["with its token in a hidden field", hiddenFieldsApp, "page.form-token.expired"],
    ["that is a file, with a call of its own", staticFrameApp, "page.frame-request.token.expired"],
    ["with links in place of a form", linkApp, "page.return.status"],
    ["that its script draws", scriptApp, "guard.final.code.reused"],
    ["that its script draws, in a browser with forged tokens", scriptApp, "page.form-token.other-secret"],
    ["with a form in the frame", formFrameApp, "guard.final.code.reused"],
  ] as const)("%s passes every check", async (_, kind, tried) => {
    await using app = await startPageKind(kind);
    const { checks } = await app.sim.verify({ only: ["page", "guard.final.code"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    expect(checks.find(({ id }) => id === tried)?.result).toBe("pass");
  });
});
