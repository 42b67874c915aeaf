import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { journalPath } from "../../src/journal/journal-file.ts";
import { parseJournal } from "../../src/journal/journal-lines.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { always, exchangesOf, startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { ask, formOf, logIn, pageOf, pageWhen, submit, textOf, titleOf } from "./visitor.ts";

const serves = manifestOf({ guards: [guardEntry("office")] });
const passes = always({ success: true });

describe("3.1: the page on which a login begins", () => {
  it("offers the users of the organization, with the configured one preselected, and shows the right password", async () => {
    await using run = await startSimulation({ serves, answer: passes, login: { user: "admin" } });
    const page = await ask(`${run.sim.url}/acme/login`);
    expect([page.status, titleOf(page)]).toEqual([200, "Log in to acme"]);
    const $ = pageOf(page);
    const names = $("select[name=login] option").map((_, option) => $(option).attr("value"));
    expect(names.get()).toEqual(["olena.owner", "adam.admin", "maria.manager", "milan.member", "otto.outsider"]);
    expect($("option[selected]").attr("value")).toBe("adam.admin");
    expect(textOf(page)).toContain("app-sim-password");
    expect(pageOf(page)("header").text()).toContain("a simulator");
  });

  it("has no effect when it is only opened", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    await ask(`${run.sim.url}/acme/login`);
    await ask(`${run.sim.url}/acme/login`, { method: "HEAD" });
    expect([run.app.calls, run.sim.journal.list()]).toEqual([[], []]);
  });

  it("redirects by 303 to the page of the login that it starts", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const form = await ask(`${run.sim.url}/acme/login`);
    const sent = await ask(form.url, formOf(form, { login: "milan.member", password: "app-sim-password" }));
    expect(sent.status).toBe(303);
    expect(sent.headers.location).toMatch(/^\/acme\/login\/[\w-]{43}$/);
    const page = await pageWhen(run.sim, run.sim.url + sent.headers.location, "Access granted");
    expect(textOf(page)).toContain("milan.member (member, user 104) from 203.0.113.10");
    expect(exchangesOf(run.sim, "guard")).toHaveLength(1);
  });

  it("sends the app the chosen IP address, by default the configured one", async () => {
    await using run = await startSimulation({ serves, answer: passes, login: { ipAddress: "192.0.2.7" } });
    const form = await ask(`${run.sim.url}/acme/login`);
    expect(pageOf(form)("#ip").attr("value")).toBe("192.0.2.7");
    const sent = { login: "milan.member", password: "app-sim-password" };
    await pageWhen(run.sim, (await submit(form, { ...sent, ip: "2001:db8::1" })).url, "Access granted");
    await pageWhen(run.sim, (await submit(form, sent)).url, "Access granted");
    expect(run.app.calls.map((call) => (call.json() as { ipAddress: string }).ipAddress)).toEqual([
      "2001:db8::1",
      "192.0.2.7",
    ]);
  });

  it.each([
    ["nobody of that name", 400, { login: "nobody" }, "No user has this login name"],
    ["an IP address that is none", 400, { ip: "300.1.1.1" }, "This is not an IP address"],
    ["no token", 403, { token: "" }, "This form is not accepted"],
    ["another token", 403, { token: "A".repeat(43) }, "This form is not accepted"],
  ])("starts nothing for a form with %s", async (_, status, fields, title) => {
    await using run = await startSimulation({ serves, answer: passes });
    const form = await ask(`${run.sim.url}/acme/login`);
    const all = { login: "milan.member", password: "app-sim-password", ...fields };
    const page = await submit(form, all);
    expect([page.status, titleOf(page)]).toEqual([status, title]);
    expect([run.app.calls, run.sim.journal.list()]).toEqual([[], []]);
  });

  it("does not exist for another organization", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    for (const path of ["/beta/login", "/ACME/login", "/beta/login/x"]) {
      const page = await ask(run.sim.url + path);
      expect([page.status, titleOf(page)]).toEqual([404, "Page not found"]);
      expect(textOf(page)).toContain("/acme/login");
    }
  });
});

describe("a login that cannot begin", () => {
  it("says so with 502 if the app cannot be reached, and grants nothing", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    await run.app.close();
    const page = await logIn(run.sim);
    expect([page.status, titleOf(page)]).toEqual([502, "The login could not start"]);
    expect(textOf(page)).toContain(`nothing listens at ${run.app.url}`);
  });

  it("says so with 502 and every problem if the manifest is invalid", async () => {
    const broken = manifestOf({
      guards: [{ key: "<i>office</i>", url: "/office" }, guardEntry("a", { type: "frame" })],
    });
    await using run = await startSimulation({ serves: broken, answer: passes });
    const page = await logIn(run.sim);
    expect([page.status, titleOf(page)]).toEqual([502, "The login could not start"]);
    expect(textOf(page)).toMatch(/modules\.auth-guard\[0\]\.name .*modules\.auth-guard\[1\]\.options\.url /);
    expect(page.body).not.toContain("<i>");
  });
});

describe("3.1: the stages around the guards", () => {
  const all = { mfa: true, deviceTrust: true, rememberMe: true } as const;

  it("are walked with forms only, each of which must be right", async () => {
    await using run = await startSimulation({ serves, answer: passes, login: all });
    const mfa = await logIn(run.sim);
    expect(titleOf(mfa)).toBe("Enter the code from your authenticator");
    const code = pageOf(mfa)("#authenticator-code").text();
    expect(code).toMatch(/^\d{6}$/);
    const device = await submit(mfa, { code });
    expect(titleOf(device)).toBe("Do you trust this device?");
    const verifying = await submit(device, { trusted: "yes" });
    const remember = await pageWhen(run.sim, verifying.url, "Remember you");
    const end = await submit(remember, { remember: "no" });
    expect(titleOf(end)).toBe("Access granted");
    const stages = pageOf(end)(".stages li");
    expect(stages.map((_, stage) => pageOf(end)(stage).attr("class")).get()).toEqual(Array(5).fill("is-passed"));
    expect(textOf(end)).toContain("Remember me passed not remembered");
  });

  it.each([
    ["password", {}, { password: "wrong" }, /^Enter your password, try 2 of 3$/, "Try 1: wrong password", 3],
    ["mfa", { mfa: true }, { code: "abc" }, /^Enter the code .*, try 2 of 3$/, "Try 1: wrong code", 3],
    [
      "device-trust",
      { deviceTrust: true },
      { trusted: "no" },
      /^Do you trust this device\?, try 2 of 3$/,
      "Try 1: the device is not trusted",
      3,
    ],
  ])(
    "%s: is asked again after a failure, until access is denied",
    async (stage, login, wrong, title, failure, tries) => {
      await using run = await startSimulation({ serves, answer: passes, login });
      let page = await logIn(run.sim, stage === "password" ? { password: "wrong" } : {});
      if (stage !== "password") page = await submit(page, wrong);
      expect(titleOf(page)).toMatch(title);
      expect(textOf(page)).toContain(failure);
      for (let tried = 1; tried < tries; tried++) page = await submit(page, wrong);
      expect(titleOf(page)).toBe("Access denied");
      expect(exchangesOf(run.sim, "guard")).toEqual([]);
    },
  );

  it("show how many tries the choice login.attempts gives", async () => {
    await using run = await startSimulation({ serves, answer: passes, choices: { "login.attempts": 7 } });
    expect(titleOf(await logIn(run.sim, { password: "wrong" }))).toBe("Enter your password, try 2 of 7");
  });

  it("give the authenticator's current code to the page's script", async () => {
    await using run = await startSimulation({ serves, answer: passes, login: { mfa: true } });
    const page = await logIn(run.sim);
    const answered = await ask(`${page.url}/authenticator`);
    expect(JSON.parse(answered.body)).toEqual({
      code: expect.stringMatching(/^\d{6}$/),
      secondsLeft: expect.any(Number),
    });
  });
});

describe("R35: forms that are sent twice, or too late", () => {
  const wrong = { password: "wrong" };

  it("counts one try for a form sent twice by a double click", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const page = await logIn(run.sim, wrong);
    await Promise.all([ask(page.url, formOf(page, wrong)), ask(page.url, formOf(page, wrong))]);
    expect(titleOf(await ask(page.url))).toBe("Enter your password, try 3 of 3");
  });

  it("does nothing for the form of an earlier stage, in a stale tab or after Back", async () => {
    await using run = await startSimulation({ serves, answer: passes, login: { mfa: true, deviceTrust: true } });
    const mfa = await logIn(run.sim);
    const device = await submit(mfa, { code: pageOf(mfa)("#authenticator-code").text() });
    const again = await submit(mfa, { code: "wrong" });
    expect(titleOf(again)).toBe("Do you trust this device?");
    const end = await pageWhen(run.sim, (await submit(device, { trusted: "yes" })).url, "Access granted");
    for (const stale of [mfa, device])
      expect(titleOf(await submit(stale, { trusted: "no", code: "1" }))).toBe("Access granted");
    expect(titleOf(end)).toBe("Access granted");
    expect(exchangesOf(run.sim, "guard")).toHaveLength(1);
  });

  it("does nothing for a form that lacks its field", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const page = await logIn(run.sim, wrong);
    expect((await submit(page, {})).status).toBe(400);
    expect(titleOf(await ask(page.url))).toBe("Enter your password, try 2 of 3");
  });

  it("shows the same page however often it is loaded, even when the login is over", async () => {
    await using run = await startSimulation({ serves, answer: always({ success: false, message: "No." }) });
    const end = await pageWhen(run.sim, (await logIn(run.sim)).url, "Access denied");
    expect((await ask(end.url)).body).toBe(end.body);
    expect(run.app.calls).toHaveLength(1);
  });

  it.each(["x", "a".repeat(43), "..%2f..%2f", "%00"])("has a page for an unknown login: %s", async (id) => {
    await using run = await startSimulation({ serves, answer: passes });
    for (const rest of ["", "/events", "/authenticator"]) {
      const page = await ask(`${run.sim.url}/acme/login/${id}${rest}`);
      expect([page.status, titleOf(page)]).toEqual([404, "Unknown login"]);
    }
  });

  it("has a page for an id that is too long", async () => {
    await using run = await startSimulation({ serves, answer: passes });
    const page = await ask(`${run.sim.url}/acme/login/${"a".repeat(200)}`);
    expect([page.status, titleOf(page)]).toEqual([414, "This request cannot be read"]);
  });
});

describe("while a guard verifies", () => {
  const described = { ...guardEntry("office"), name: "Office network", description: "Are you in the office?" };
  const manifest = manifestOf({ guards: [described] });

  it.each([
    ["always", "Are you in the office?"],
    ["never", null],
    ["frame-only", null],
  ] as const)("2.1: its name is shown, and its description if guard.description.shown is %s", async (shown, text) => {
    const choices = { "guard.description.shown": shown };
    await using run = await startSimulation({ serves: manifest, choices });
    const login = logIn(run.sim);
    const call = await run.app.nextCall();
    const page = await login;
    expect(titleOf(page)).toBe("Verification: Office network");
    expect(pageOf(page)(".description").text()).toBe(text ?? "");
    expect(textOf(page)).toContain("It has 10 s to answer");
    // Without scripts the page looks again by itself.
    expect(page.body).toContain('<noscript><meta http-equiv="refresh" content="1"></noscript>');
    call.reply({ success: true });
    await pageWhen(run.sim, page.url, "Access granted");
  });
});

it("a pending login ends with the platform, and is in the journal", async () => {
  using directory = makeTempDir();
  await using run = await startSimulation({ serves, journal: directory.path });
  await logIn(run.sim);
  await run.app.nextCall();
  await run.sim.close();
  const { records } = parseJournal(readFileSync(journalPath(directory.path)));
  expect(
    records.map((record) => (record.type === "exchange" ? record.outcome.kind : "outcome" in record && record.outcome)),
  ).toEqual(["answered", "interrupted", "failed"]);
});
