import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type RunningPlatform, startPlatform } from "../../src/start-platform.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { hasTools } from "../rig/has-tools.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { harbourFaults, type PythonFault } from "./faults.ts";

/** The text with one place changed. */
function edited(text: string, { from, to }: Pick<PythonFault, "from" | "to">): string {
  const parts = text.split(from);
  expect(parts).toHaveLength(2);
  return parts.join(to);
}

const apps = join(import.meta.dirname, "apps");
const source = readFileSync(join(apps, "harbour.py"), "utf8");

const secrets = {
  clientId: "harbour",
  clientSecret: "canary-client-secret-0123456789abcdef",
  appSecret: "canary-app-secret-0123456789abcdef",
};
const verify = {
  guards: {
    office: { lets: { ip: "203.0.113.10" }, denies: { ip: "198.51.100.7" } },
    pin: { pass: { fill: { pin: "2468" }, press: "Continue" }, fail: { press: "Cancel" } },
  },
  webhooks: {
    translated: { compares: ["module" as const, "organization" as const] },
    approved: { compares: ["module" as const, "organization" as const] },
  },
  oauth: { start: "/signin", use: "/me/projects" },
};

/** Starts the app as this text has it, and a platform that has it installed; disposing of it closes both. */
async function startHarbour(
  text: string,
  told: object = verify,
): Promise<AsyncDisposable & { readonly sim: RunningPlatform }> {
  const directory = makeTempDir();
  const file = join(directory.path, "app.py");
  await writeFile(file, text);
  const port = await unusedPort();
  const url = `http://127.0.0.1:${port}/ext`;
  const sim = await startPlatform({ app: { ...secrets, url, redirectUris: [`${url}/connect/back`] }, verify: told });
  const app = spawn("python3", [file], {
    stdio: "ignore",
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      PLATFORM_AUTH_URL: sim.url,
      PLATFORM_CLIENT_ID: secrets.clientId,
      PLATFORM_CLIENT_SECRET: secrets.clientSecret,
      PLATFORM_APP_SECRET: secrets.appSecret,
    },
  });
  const ended = once(app, "exit");
  expect(await sim.waitForApp(20_000)).toBe(true);
  return {
    sim,
    async [Symbol.asyncDispose]() {
      app.kill();
      await ended;
      await sim.close();
      directory[Symbol.dispose]();
    },
  };
}

describe.skipIf(!hasTools("python3"))("an app in Python that is built differently from the sample app", () => {
  test("has no finding", async () => {
    await using harbour = await startHarbour(source);
    const { checks, outcome } = await harbour.sim.verify({ skip: ["page.frame", "page.frame-request"] });
    const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
    expect(found.map(({ id, module, reason }) => `${id} ${module}: ${reason}`)).toEqual([]);
    expect(outcome).toBe("passed");
  });

  test("whose page nobody can pass gets that finding after a few walks", async () => {
    await using harbour = await startHarbour(source, {});
    const { checks } = await harbour.sim.verify({ only: ["guard.final", "page.form"], modules: ["pin"] });
    expect(new Set(checks.map(({ result }) => result))).toEqual(new Set(["skip"]));
    expect(checks[0]?.reason).toContain('cannot be submitted without "pin"');
    const pages = harbour.sim.journal.list().filter((record) => "purpose" in record && record.purpose === "guard-page");
    expect(pages.length).toBeLessThan(60);
  });

  test("whose form is sent by GET gets only that finding", async () => {
    const edits = [
      ...['"Your PIN", f"""', "wrong.</p>"].map((before) => ({
        from: `${before}<form action="{BASE}/pin/answer" method="post">`,
        to: `${before}<form action="{BASE}/pin/answer">`,
      })),
      { from: '("POST", "/pin/answer")', to: '("GET", "/pin/answer")' },
      {
        from: 'request.headers.get_content_type() != "application/x-www-form-urlencoded"',
        to: '"ticket" not in request.query',
      },
      {
        from: 'urllib.parse.parse_qs(request.read_body(64 * 1024).decode("utf-8", "replace"), keep_blank_values=True)\n        ticket',
        to: "request.query\n        ticket",
      },
    ];
    await using harbour = await startHarbour(edits.reduce(edited, source));
    const { checks } = await harbour.sim.verify({ only: ["page"], skip: ["page.frame"], modules: ["pin"] });
    const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
    expect(found.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      "page.text.password-by-get: a form with a password is sent by GET",
    ]);
  });

  test("that accepts a right PIN with any button but Cancel has no finding", async () => {
    const from = 'if form.get("do") != ["continue"] or form.get("pin") != ["2468"]:';
    await using harbour = await startHarbour(edited(source, { from, to: 'if form.get("pin") != ["2468"]:' }));
    const { checks } = await harbour.sim.verify({ only: ["page.form", "page.error"], modules: ["pin"] });
    const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
    expect(found.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  });

  test("that locks users out after three wrong PINs in a row has no finding", async () => {
    const wrongly = 'if form.get("do") != ["continue"] or form.get("pin") != ["2468"]:';
    const counting = `key_of = (person["u"], "wrong")
        if failures.get(key_of, 0) >= 3:
            raise Refused(403, "Too many wrong PINs. Try again later.")
        failures[key_of] = 0 if form.get("pin") == ["2468"] else failures.get(key_of, 0) + 1
        ${wrongly}`;
    const counted = edited(source, { from: wrongly, to: counting });
    await using harbour = await startHarbour(
      edited(counted, { from: "def answer_pin(", to: "failures = {}\n\n\ndef answer_pin(" }),
    );
    const { checks } = await harbour.sim.verify({ only: ["page.form"], modules: ["pin"] });
    const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
    expect(found.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  });

  test("that locks users out after three wrong PINs in one login has no finding", async () => {
    const wrongly = 'if form.get("do") != ["continue"] or form.get("pin") != ["2468"]:';
    const counting = `if person["u"] in locked:
            raise Refused(403, "Too many wrong PINs. Ask your administrator.")
        key_of = form["ticket"][0]
        failures[key_of] = failures.get(key_of, 0) + (form.get("pin") != ["2468"])
        if failures[key_of] >= 3:
            locked.add(person["u"])
        ${wrongly}`;
    const counted = edited(source, { from: wrongly, to: counting });
    await using harbour = await startHarbour(
      edited(counted, { from: "def answer_pin(", to: "failures, locked = {}, set()\n\n\ndef answer_pin(" }),
    );
    const { checks } = await harbour.sim.verify({ only: ["page.form"], modules: ["pin"] });
    const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
    expect(found.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  });

  test("that locks users out for good after three wrong PINs has no finding", async () => {
    const wrongly = 'if form.get("do") != ["continue"] or form.get("pin") != ["2468"]:';
    const locking = `if failures.get(person["u"], 0) >= 3:
            raise Refused(403, "This user is locked. Ask your administrator.")
        failures[person["u"]] = failures.get(person["u"], 0) + (form.get("pin") != ["2468"])
        ${wrongly}`;
    const locked = edited(source, { from: wrongly, to: locking });
    await using harbour = await startHarbour(
      edited(locked, { from: "def answer_pin(", to: "failures = {}\n\n\ndef answer_pin(" }),
    );
    const { checks } = await harbour.sim.verify({
      only: ["page.form", "guard.final"],
      skip: ["page.form.wrong-password", "page.form.escaped"],
      modules: ["pin"],
    });
    const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
    expect(found.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    expect(checks).toContainEqual(expect.objectContaining({ id: "page.form.wrong-again", result: "pass" }));
  });

  test.each([
    ["badgeCode", "fail"],
    ["one_time_code", "fail"],
    ["country_code", "skip"],
  ])("that accepts any text in a field %s ends with %s", async (field, result) => {
    const anyText = edited(source, {
      from: 'if form.get("do") != ["continue"] or form.get("pin") != ["2468"]:',
      to: 'if form.get("do") != ["continue"]:',
    });
    const renamed = anyText.replaceAll('<input name="pin" type="password"', `<input name="${field}" type="text"`);
    const pin = { ...verify.guards.pin, pass: { fill: { [field]: "2468" }, press: "Continue" } };
    await using harbour = await startHarbour(renamed, { ...verify, guards: { ...verify.guards, pin } });
    const { checks } = await harbour.sim.verify({ only: ["page.form.wrong-password"], modules: ["pin"] });
    expect(checks).toEqual([expect.objectContaining({ id: "page.form.wrong-password", result })]);
  });

  test.each([
    ["without end", "", "warn"],
    [
      "five times a login, however often its page is opened",
      "if len(tried) > 5: raise Refused(403, 'Too many wrong PINs. Log in again.')",
      "pass",
    ],
    ["without end, from users whom it knows", "if person['u'] > 200: raise Refused(403, 'You have no PIN.')", "warn"],
    [
      "without end, from one user",
      "if tries.setdefault('owner', person) != person: raise Refused(403, 'Wrong.')",
      "skip",
    ],
  ])("that takes a PIN %s", async (_, limit, result) => {
    const wrongly = 'if form.get("do") != ["continue"] or form.get("pin") != ["2468"]:';
    const counting = `tried = tries.setdefault(key, [])\n        tried.append(form.get("pin"))\n        ${limit}\n        ${wrongly}`;
    const counted = edited(source, { from: wrongly, to: counting });
    await using harbour = await startHarbour(
      edited(counted, { from: "def answer_pin(", to: "tries = {}\n\n\ndef answer_pin(" }),
    );
    const { checks } = await harbour.sim.verify({ only: ["page.form.tries"], modules: ["pin"], slow: true });
    expect(checks).toEqual([expect.objectContaining({ id: "page.form.tries", result })]);
  });

  const againAfter = (status: number) =>
    edited(source, { from: 'Cancel</button></form>""", 200)', to: `Cancel</button></form>""", ${status})` });
  const wrongPin = { pass: verify.guards.pin.pass, fail: { fill: { pin: "1111" }, press: "Continue" } };
  const failed = async (app: string) => {
    await using harbour = await startHarbour(app, { ...verify, guards: { ...verify.guards, pin: wrongPin } });
    const { checks } = await harbour.sim.verify({ only: ["page.error.returned"], modules: ["pin"] });
    return checks.map(({ result, reason }) => [result, reason]);
  };

  test.each([200, 400, 403, 422])("that shows its form again with status %s asks again", async (status) => {
    expect(await failed(againAfter(status))).toEqual([["skip", "the page asks again"]]);
  });

  test("that ends after a wrong PIN on an error page that has a form for a search is accused of that", async () => {
    const from = 'return page("Your PIN", f"""<p>This PIN is wrong.</p>';
    const search =
      'return page("No", "<form method=post action=/search><input name=q><button>Search</button></form>", 403)';
    const searching = edited(source, { from, to: `${search}\n            ${from}` });
    expect(await failed(searching)).toEqual([["fail", "the app answered 403"]]);
  });

  const badge = '<input name="badge" required>';
  const terms = '<input type="checkbox" name="accept_terms" value="yes">';
  test.each([
    ["a text that the browser alone requires", badge, "", "warn"],
    [
      "a text that the app requires",
      badge,
      "if not form.get('badge', [''])[0].strip(): raise Refused(400, 'Badge?')",
      "pass",
    ],
    ["a box that nobody looks at", terms, "", "warn"],
    ["a box that the app looks at", terms, "if 'accept_terms' not in form: raise Refused(400, 'Terms?')", "pass"],
    ["an optional box", terms.replace("accept_terms", "remember_me"), "", "skip"],
  ])("with %s", async (_, input, demand, result) => {
    const field = '<p><label>PIN <input name="pin"';
    const asking = edited(source, { from: field, to: `${input}${field}` });
    const wrongly = '        if form.get("do") != ["continue"] or form.get("pin") != ["2468"]:';
    const [name = ""] = /(?<=name=")\w+/.exec(input) ?? [];
    const fill = { pin: "2468", [name]: "yes" };
    const pin = { pass: { fill, press: "Continue" }, fail: { press: "Cancel" } };
    await using harbour = await startHarbour(edited(asking, { from: wrongly, to: `        ${demand}\n${wrongly}` }), {
      ...verify,
      guards: { ...verify.guards, pin },
    });
    const { checks } = await harbour.sim.verify({ only: ["page.form.required"], modules: ["pin"] });
    expect(checks).toEqual([expect.objectContaining({ id: "page.form.required", result })]);
  });

  test("whose page shows an example of a PIN has no finding", async () => {
    const from = '<input name="pin" type="password" inputmode="numeric" maxlength="4" required>';
    const example = edited(source, { from, to: from.replace("required", 'placeholder="2468" required') });
    await using harbour = await startHarbour(example);
    const { checks } = await harbour.sim.verify({ only: ["page.form.password-inside"], modules: ["pin"] });
    expect(checks).toEqual([expect.objectContaining({ id: "page.form.password-inside", result: "pass" })]);
  });

  test.each(harbourFaults())("$says", async (fault) => {
    const { checks: expected, also } = fault;
    const broken = edited(source, fault);
    await using harbour = await startHarbour(also === undefined ? broken : edited(broken, also));
    const { checks } = await harbour.sim.verify({ only: expected });
    const found = checks.filter(({ result }) => result === "fail" || result === "warn").map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining([...expected]));
  });
});
