import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startSampleApp } from "../../examples/sample-app/app.js";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { systemClock } from "../../src/app-client/ports.ts";
import { destinationOf } from "../../src/guard/visit/page-visit.ts";
import type { GuardResult, LoginOptions } from "../../src/index.ts";
import { guardEntry, manifestOf, startFakeApp, unusedPort } from "../rig/fake-app.ts";
import { assemble, exchangesOf, guardStages } from "../rig/simulation.ts";
import {
  CODE,
  formWith,
  html,
  judgePin,
  type PageCall,
  type Pages,
  pinForm,
  redirect,
  redirectGuard,
  startPageApp,
  waysBack,
} from "./page-app.ts";

type PageOption = NonNullable<LoginOptions["page"]>;

const granted = { outcome: "granted", reason: null } as const;

function summary({ outcome, reason, hint, failure }: GuardResult) {
  return { outcome, reason, hint, failure };
}

describe("a form that is filled in over HTTP", () => {
  it("gets different tokens within one login, so that an app may accept each only once", async () => {
    await using run = await startPageApp({ "GET /page": pinForm, "POST /send": judgePin });
    expect((await run.sim.guard({ page: { fill: { pin: "1234" } } })).outcome).toBe("granted");
    const tokens = run.app.calls.flatMap((call) => [
      call.header("authorization")?.replace("Bearer ", "") ?? [],
      new URL(call.path, run.app.url).searchParams.get("jwtToken") ?? [],
    ]);
    expect(tokens.flat()).toHaveLength(3);
    expect(new Set(tokens.flat()).size).toBe(3);
  });

  it("brings the user back with the code: the login is granted", async () => {
    await using run = await startPageApp({ "GET /page": pinForm, "POST /send": judgePin });
    const result = await run.sim.guard({ page: { fill: { pin: "1234" } } });
    expect(summary(result)).toEqual({ outcome: "granted", reason: null, hint: null, failure: null });
    const pages = exchangesOf(run.sim, "guard-page");
    expect(pages.map(({ request, module }) => [request.method, new URL(request.url).pathname, module])).toEqual([
      ["GET", "/page", "terms"],
      ["POST", "/send", "terms"],
    ]);
    const [opened] = pages;
    expect([...new URL(opened?.request.url ?? "").searchParams.keys()]).toEqual(["jwtToken", "state"]);
  });

  it("brings the user back with an error: the login is denied", async () => {
    await using run = await startPageApp({ "GET /page": pinForm, "POST /send": judgePin });
    const result = await run.sim.guard({ page: { fill: { pin: "0000" } } });
    expect(summary(result)).toMatchObject({ outcome: "denied", reason: "wrong pin" });
  });

  it.each([
    ["<input id=pin>", true],
    ["<textarea></textarea>", true],
    ["<input name=pin>", false],
    ["<input readonly value=1234>", false],
    ["<input type=checkbox>", false],
    ["<input id=pin><script src=/x.js></script>", false],
  ])("warns about a field that a browser does not send and no script reads: %s", async (field, isWarned) => {
    await using run = await startPageApp({
      "GET /page": formWith(`${field}<button>Go on`),
      "POST /send": ({ call, form, callback }) =>
        redirect(call, callback({ state: form.get("state") ?? "", code: CODE })),
    });
    const result = await run.sim.guard({ page: { press: "Go on" } });
    expect(result.outcome).toBe("granted");
    expect(JSON.stringify(result).includes("in the form a field has no name")).toBe(isWarned);
  });

  it.each(["undefined", "null", "[object Promise]"])("says that the code is not one: %s", async (code) => {
    await using run = await startPageApp({
      "GET /page": formWith("<button>Go on"),
      "POST /send": ({ call, form, callback }) => redirect(call, callback({ state: form.get("state") ?? "", code })),
    });
    const result = await run.sim.guard({ page: { press: "Go on" } });
    expect(result.outcome).toBe("denied");
    expect(JSON.stringify(result)).toContain(
      "instead of the one-time code, so the app had no value; was one made, and awaited?",
    );
  });

  it("walks the sample app's terms", async () => {
    const authUrl = "http://127.0.0.1:7410";
    const credentials = {
      clientId: "app-sim-client",
      clientSecret: "app-sim-client-secret-long-enough-for-HS256",
      appSecret: "s",
    };
    const app = await startSampleApp({ ...credentials, authUrl });
    try {
      const sim = await assemble({ app: { url: app.url } }, { baseUrl: () => authUrl });
      const terms = (press?: string) =>
        sim.guard({ user: "manager", modules: ["terms"], page: { fill: {}, ...(press && { press }) } });
      expect((await terms()).outcome).toBe("granted");
      expect((await terms("accept")).outcome).toBe("granted");
      expect(await terms("I decline")).toMatchObject({ outcome: "denied", deniedBy: "terms" });
    } finally {
      await app.close();
    }
  });

  it("goes from page to page with cookies, like a browser", async () => {
    await using run = await startPageApp({
      "GET /page": ({ call, query }) =>
        redirect(call, `/app/login?state=${query.get("state")}`, 302, { "set-cookie": ["visit=1; Path=/app"] }),
      "GET /app/login": ({ call, query }) => {
        const fields = `<input name=user><input type=hidden name=state value="${query.get("state")}"><button>Next</button>`;
        const cookies = ["csrf=abc; HttpOnly; SameSite=Strict; Path=/", "sid=s; Secure"];
        html(call, `<form method=post>${fields}</form>`, { "set-cookie": cookies });
      },
      "POST /app/login": ({ call, form }) => {
        const isKnown = form.get("user") === "milan" && call.header("cookie") === "visit=1; sid=s; csrf=abc";
        redirect(call, isKnown ? `pin?state=${form.get("state")}` : "/lost", 303);
      },
      "GET /app/pin": ({ call }) => html(call, `<base href="/"><form method=post action=send><input name=pin><button>`),
      "POST /send": ({ call }) => redirect(call, "/kept", 307),
      "POST /kept": ({ call, form, callback }) => {
        const state = new URL(call.header("referer") ?? "").searchParams.get("state") ?? "";
        redirect(call, callback({ state, code: form.get("pin") === "1234" ? CODE : "wrong" }));
      },
    });
    expect(summary(await run.sim.guard({ page: { fill: { user: "milan", pin: "1234" } } }))).toMatchObject(granted);
  });

  it("continues by itself if its page does, even across steps that differ only in a hidden value", async () => {
    const step = (state: string, number: number) =>
      `<form method=post action=/send><input type=hidden name=state value="${state}">
      <input type=hidden name=step value=${number}><button type=constructor>Next`;
    await using run = await startPageApp({
      "GET /page": ({ call, query }) =>
        html(call, `<meta http-equiv=refresh content="0;url=/first?state=${query.get("state")}">`),
      "GET /first": ({ call, query }) => html(call, step(query.get("state") ?? "", 1)),
      "POST /send": ({ call, form, callback }) => {
        const state = form.get("state") ?? "";
        if (form.get("step") === "1") html(call, step(state, 2));
        else redirect(call, callback({ state, code: CODE }));
      },
    });
    expect(summary(await run.sim.guard({ page: { fill: {} } }))).toMatchObject(granted);
  });

  it.each(["127.0.0.1", "localhost"])("keeps a cookie for its own domain: %s", async (host) => {
    await using run = await startPageApp(
      {
        "GET /page": ({ call, query }) => {
          const state = `<input type=hidden name=state value=${query.get("state")}>`;
          const headers = { "set-cookie": `sid=1; Domain=${host}; Max-Age=60` };
          html(call, `<form method=post action=/send>${state}<button>`, headers);
        },
        "POST /send": ({ call, form, callback }) => {
          const code = call.header("cookie") === "sid=1" ? CODE : "no cookie";
          redirect(call, callback({ state: form.get("state") ?? "", code }));
        },
      },
      { host },
    );
    expect(summary(await run.sim.guard({ page: { fill: {} } }))).toMatchObject(granted);
  });

  it("keeps the cookies of parallel logins apart", async () => {
    let visit = 0;
    await using run = await startPageApp({
      "GET /page": ({ call, query }) => {
        visit += 1;
        const fields = `<input type=hidden name=state value="${query.get("state")}"><input type=hidden name=visit value=${visit}>`;
        const headers = { "set-cookie": `visit=${visit}` };
        html(call, `<form method=post action=/send>${fields}<button>`, headers);
      },
      "POST /send": ({ call, form, callback }) => {
        const isOwn = call.header("cookie") === `visit=${form.get("visit")}`;
        redirect(call, callback({ state: form.get("state") ?? "", code: isOwn ? CODE : "foreign" }));
      },
    });
    const results = await Promise.all(Array.from({ length: 20 }, () => run.sim.guard({ page: { fill: {} } })));
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(20).fill("granted"));
  });

  it("sends forms as the page says: in the query, in parts", async () => {
    await using run = await startPageApp({
      "GET /page": formWith("<input name=pin><button>", "action=/step"),
      "GET /step": ({ call, query }) => {
        const fields = `<input type=hidden name=state value="${query.get("state")}"><input name=note><button name=go value=on>`;
        html(call, `<form method=post enctype=multipart/form-data action=/send?pin=${query.get("pin")}>${fields}`);
      },
      "POST /send": async ({ call, query, callback }) => {
        const type = call.header("content-type") ?? "";
        const form = await new Response(new Uint8Array(call.body), { headers: { "content-type": type } }).formData();
        const isGood = query.get("pin") === "1234" && form.get("note") === "ü\r\nb" && form.get("go") === "on";
        const state = String(form.get("state"));
        redirect(call, callback(isGood ? { state, code: CODE } : { state, error: "not so" }));
      },
    });
    const result = await run.sim.guard({ page: { fill: { pin: "1234", note: "ü\nb" } } });
    expect(summary(result)).toMatchObject(granted);
  });

  it.each([
    ["without saying so", {}],
    ["by a policy that hides the page", { "referrer-policy": "no-referrer" }],
  ])("sends the origin of the form to an app that checks it: %s", async (_, headers) => {
    const isHidden = "referrer-policy" in headers;
    await using run = await startPageApp({
      "GET /page": ({ call, query }) =>
        html(call, `<form method=post action=/send><input name=state value=${query.get("state")}><button>`, headers),
      "POST /send": ({ call, form, callback }) => {
        const { origin } = new URL(call.header("referer") ?? "http://none");
        const isOwn = call.header("sec-fetch-site") === "same-origin" && call.header("user-agent") === "app-sim";
        const isSaid = isHidden
          ? call.header("origin") === "null" && call.header("referer") === undefined
          : call.header("origin") === run.app.url && origin === run.app.url;
        redirect(call, callback({ state: form.get("state") ?? "", code: isOwn && isSaid ? CODE : "foreign" }));
      },
    });
    expect(summary(await run.sim.guard({ page: { fill: {} } }))).toMatchObject(granted);
    const [opened] = run.app.calls.filter(({ method }) => method === "GET");
    expect([opened?.header("referer"), opened?.header("origin"), opened?.header("cookie")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("fills in the fields of the page of each of several guards", async () => {
    const guards = ["terms", "pin"].map((key) => guardEntry(key, { type: "redirect", url: `/page/${key}` }));
    const accept =
      (field: string, value: string): Pages[string] =>
      ({ call, form, callback }) =>
        redirect(call, callback({ state: form.get("state") ?? "", code: form.get(field) === value ? CODE : "wrong" }));
    await using run = await startPageApp(
      {
        "GET /page/terms": formWith(
          "<button name=go value=no>No</button><button name=go value=yes>Yes</button>",
          "method=post action=/terms",
        ),
        "POST /terms": accept("go", "yes"),
        "GET /page/pin": formWith("<input name=pin required><button>Go on</button>", "method=post action=/pin"),
        "POST /pin": accept("pin", "1234"),
      },
      { serves: manifestOf({ guards }) },
    );
    const page = { fill: { pin: "1234" }, press: "Yes" };
    expect(summary(await run.sim.guard({ page }))).toMatchObject(granted);
    expect(await run.sim.guard({ page: { ...page, fill: { pin: "1234", pim: "" } } })).toMatchObject({
      outcome: "needs-user",
      reason: 'the app\'s form has no field "pim" for --fill. Did you mean "pin"?',
    });
  });
});

describe("a field or button that no page had", () => {
  const guards = ["terms", "pin"].map((key) => guardEntry(key, { type: "redirect", url: `/page/${key}` }));
  const pages: Pages = {
    "GET /page/terms": formWith("<button name=go value=yes>Yes</button>", "method=post action=/terms"),
    "POST /terms": ({ call, form, callback }) =>
      redirect(call, callback({ state: form.get("state") ?? "", code: CODE })),
  };

  it.each<[page: { fill?: Record<string, string>; press?: string }, warnings: string[]]>([
    [{ press: "Yes" }, []],
    [{ press: "terms=Yes" }, []],
    [{ fill: { x: "y" } }, ['no page of this login had the field "x"; there were no fields to fill in']],
    [{ press: "pin=Yes" }, ['no page of this login had the button "Yes" of guard "pin"']],
    [
      { fill: { "terms:x": "y" }, press: "pin=Yes" },
      [
        'no page of this login had the field "x" of guard "terms" or the button "Yes" of guard "pin"; there were no fields to fill in',
      ],
    ],
  ])("is reported, although a later guard might have it: %j", async (page, warnings) => {
    await using run = await startPageApp(pages, { serves: manifestOf({ guards }) });
    run.passes.add("pin");
    const result = await run.sim.guard({ page: { fill: {}, ...page } });
    expect(result).toMatchObject({ outcome: "granted", warnings });
  });

  it.each<[what: string, buttons: string, press: object, hint: string | null]>([
    [
      "named",
      "<button name=go value=help>Help</button><button name=go value=yes>Yes</button>",
      {},
      '--press was not given: the first of the buttons "Help", "Yes" was pressed',
    ],
    [
      "of the first form",
      "<button>Search</button></form><form method=post action=/other><button>Yes</button>",
      {},
      '--press was not given: the first of the buttons "Search", "Yes" was pressed',
    ],
    ["the only one", "<button name=go value=help>Help</button>", {}, null],
    [
      "pressed as asked",
      "<button name=go>Help</button><button name=go value=yes>Yes</button>",
      { press: "Help" },
      null,
    ],
  ])("is a button, if one of several was pressed and the guard denies: %s", async (_, buttons, press, hint) => {
    const denies: Pages = {
      "GET /page": formWith(buttons),
      "POST /send": ({ call, form, callback }) =>
        redirect(call, callback({ state: form.get("state") ?? "", error: "not so" })),
    };
    await using run = await startPageApp(denies);
    expect(await run.sim.guard({ page: { fill: {}, ...press } })).toMatchObject({ outcome: "denied", hint });
  });

  it("is not a button that exists as a field", async () => {
    await using run = await startPageApp(pages, { serves: manifestOf({ guards }) });
    expect(await run.sim.guard({ page: { fill: { go: "no" } } })).toMatchObject({
      outcome: "needs-user",
      reason: '--fill is for fields, but "go" is a button of the form',
      hint: 'press it with --press; the buttons: "Yes"',
    });
  });

  it("is not reported if the page asked for nothing", async () => {
    const leadsBack: Pages = {
      "GET /page": ({ call, query, callback }) =>
        redirect(call, callback({ state: query.get("state") ?? "", code: CODE })),
    };
    await using run = await startPageApp(leadsBack);
    const result = await run.sim.guard({ page: { fill: { x: "y" }, press: "Yes" } });
    expect(result).toMatchObject({ outcome: "granted", warnings: [] });
  });
});

describe("a requested button", () => {
  const pagesOf = (fields: string): Pages => ({
    "GET /page": formWith(fields),
    "POST /send": ({ call, form }) => {
      const kept = `<input type=hidden name=kept value="${form.get("state")}">`;
      html(
        call,
        `<form method=post action=/end>${kept}<button name=go value=no>No</button><button name=go value=yes>Yes</button></form>`,
      );
    },
    "POST /end": ({ call, form, callback }) =>
      redirect(call, callback({ state: form.get("kept") ?? "", code: form.get("go") === "yes" ? CODE : "no" })),
  });

  it.each<[string, string, PageOption]>([
    ["a page that only leads on", "<button>Go on</button>", { fill: {}, press: "Yes" }],
    ["a page that is filled in", "<input name=user><button>Go on</button>", { fill: { user: "milan" }, press: "Yes" }],
    [
      "a page whose own button is asked for",
      "<input name=note value=x><button>Go on</button>",
      { fill: {}, press: ["Go on", "Yes"] },
    ],
  ])("may be on the second page, after %s", async (_, fields, page) => {
    await using run = await startPageApp(pagesOf(fields));
    expect(summary(await run.sim.guard({ page }))).toMatchObject(granted);
  });

  it("is pressed only where it is: a form with only other buttons is not sent", async () => {
    await using run = await startPageApp(pagesOf("<input name=note value=x><button>Go on</button>"));
    expect((await run.sim.guard({ page: { fill: {}, press: "Yes" } })).outcome).toBe("needs-user");
    expect(exchangesOf(run.sim, "guard-page").map(({ request }) => request.method)).toEqual(["GET"]);
  });
});

describe("a page with a policy about its form", () => {
  const withPolicy = (policy: (platform: string) => string, body = ""): Pages => ({
    "GET /page": ({ call, query, platform }) => {
      const form = `<form method=post action=/send><input type=hidden name=state value="${query.get("state")}"><button>Go on</button></form>`;
      html(call, form + body, { "content-security-policy": policy(platform) });
    },
    "POST /send": ({ call, form, callback }) =>
      redirect(call, callback({ state: form.get("state") ?? "", code: CODE })),
  });

  it.each([
    [
      "leaves the platform out",
      () => "form-action 'self'",
      /^the page's form-action does not list http:\/\/127\.0\.0\.1:\d+: Chromium does not follow the form's redirect there; add it$/,
    ],
    [
      "forbids the form",
      () => "form-action 'none'",
      /^the page's form-action does not list http:\/\/127\.0\.0\.1:\d+\/send: browsers do not send the form; add it$/,
    ],
    [
      "is a sandbox",
      () => "sandbox",
      /^the page's policy has a sandbox without allow-forms: browsers do not send its form$/,
    ],
  ])("gets a warning if it %s, which a browser blocks", async (_, policy, warning) => {
    await using run = await startPageApp(withPolicy(policy));
    const result = await run.sim.guard({ page: { fill: {} } });
    expect(result.outcome).toBe("granted");
    expect(guardStages(result)[0]?.warnings).toEqual([expect.stringMatching(warning)]);
  });

  it.each([
    ["names both", withPolicy((platform) => `form-action 'self' ${platform}`)],
    ["says nothing of forms", withPolicy(() => "default-src 'none'")],
    ["may send its form by a script", withPolicy(() => "form-action 'none'", "<script src=/send.js></script>")],
  ])("gets no warning if it %s", async (_, pages) => {
    await using run = await startPageApp(pages);
    const result = await run.sim.guard({ page: { fill: {} } });
    expect(result.outcome).toBe("granted");
    expect(guardStages(result)[0]?.warnings).toBeUndefined();
  });
});

describe("a guard callback that is not quite as interface 4.2 says", () => {
  it.each([
    ...waysBack,
    [
      "a link",
      {
        "GET /page": ({ call, query, callback }: PageCall) =>
          html(
            call,
            `<a href="${callback({ state: query.get("state") ?? "", code: CODE }).replaceAll("&", "&amp;")}">Go on</a>`,
          ),
      },
      "the app sent the user back by a link, form, script or refresh of its page, expected HTTP 302 (interface 4.2)",
    ] as (typeof waysBack)[number],
  ])("sends the user back, with a warning: %s", async (_, pages, said) => {
    await using run = await startPageApp(pages);
    const result = await run.sim.guard({ page: { fill: {} } });
    expect(result.outcome).toBe("granted");
    expect(guardStages(result)[0]?.warnings).toEqual(said === null ? undefined : [said]);
  });

  it("may use localhost, too: the platform answers to both names", async () => {
    await using run = await startPageApp({
      "GET /page": ({ call, query, callback }) => {
        const address = callback({ state: query.get("state") ?? "", code: CODE });
        redirect(call, address.replace("127.0.0.1", "localhost"));
      },
    });
    expect(summary(await run.sim.guard({ page: { fill: {} } }))).toMatchObject(granted);
  });
});

describe("a page that does not lead back", () => {
  const page = (body: string): Pages => ({ "GET /page": ({ call }) => html(call, body) });
  const goesTo = (location: (visit: PageCall) => string, status = 302): Pages => ({
    "GET /page": (visit) => redirect(visit.call, location(visit), status),
  });
  const answers = (body: string, status: number, type = "text/html"): Pages => ({
    "GET /page": ({ call }) => call.send(body, { status, headers: { "content-type": type } }),
  });
  const again: Pages = {
    "GET /page": pinForm,
    "POST /send": (visit) => {
      html(
        visit.call,
        `<p>The pin ${visit.form.get("pin")} is wrong.</p><form method=post action=/send>
        <input type=hidden name=state><input name=pin><button>Go on</button></form>`,
      );
    },
  };

  it.each<[what: string, pages: Pages, page: PageOption, expected: Partial<GuardResult>]>([
    [
      "the form is there again: what the page says, without what was filled in",
      again,
      { fill: { pin: "98765" } },
      {
        reason: "the app shows its form again after it was submitted",
        hint: "the page says: The pin ‹redacted› is wrong. / Go on; if it continues by a script, walk the page with --browser",
      },
    ],
    [
      "a field that is not there, and what it has",
      { "GET /page": pinForm },
      { fill: { pim: "1234" } },
      {
        reason: 'the app\'s form has no field "pim" for --fill. Did you mean "pin"?',
        hint: 'its fields: "pin"',
      },
    ],
    [
      "a field that only a script fills in",
      { "GET /page": pinForm },
      { fill: { state: "x" } },
      { reason: 'the field "state" is hidden from people' },
    ],
    [
      "a field that was never there, although the app came back",
      { "GET /page": formWith("<button>"), "POST /send": judgePin },
      { fill: { pin: "1234" } },
      {
        reason: 'the app\'s form has no field "pin" for --fill.',
        hint: "it has no fields to fill in",
      },
    ],
    [
      "no such field, where to send the form would be a decision",
      { "GET /page": formWith("<button>accept</button><button>decline</button>") },
      { fill: { foo: "bar" } },
      {
        reason: 'the app\'s form has no field "foo" for --fill.',
        hint: 'it has no fields to fill in; if they are on a later page, name the button of this one with --press; the buttons: "accept", "decline"',
      },
    ],
    [
      "no such field, where one form of several would be a decision",
      { "GET /page": formWith("<button>Search</button></form><form method=post action=/send><button>accept</button>") },
      { fill: { foo: "bar" } },
      { hint: expect.stringMatching(/name the button of this one with --press; the buttons: "Search", "accept"$/) },
    ],
    [
      "a button that is misspelt, on a page of several forms",
      { "GET /page": formWith("<button>Search</button></form><form method=post action=/send><button>Sign</button>") },
      { fill: {}, press: "Sing" },
      { reason: 'no button of the form is "Sing". Did you mean "Sign"?', hint: 'the buttons: "Search", "Sign"' },
    ],
    [
      "another button than the one that was asked for, where to press it would be a decision",
      { "GET /page": formWith("<input type=checkbox name=agree checked><button name=go value=no>No</button>") },
      { fill: {}, press: "yes" },
      { reason: 'no button of the form is "yes".', hint: 'the buttons: "No"' },
    ],
    [
      "a button that nobody can name",
      { "GET /page": formWith("<input name=note><button></button>") },
      { fill: {}, press: "yes" },
      { reason: 'no button of the form is "yes".', hint: "the buttons: a button without a name or text" },
    ],
    [
      "a guard that is misspelt, with a button",
      { "GET /page": formWith("<button name=go value=no>no</button><button name=go value=accept>accept</button>") },
      { fill: {}, press: "term=accept" },
      {
        reason: 'no button of the form is "term=accept".',
        hint: 'this login has no guard "term"; did you mean terms=accept? the buttons: "no", "accept"',
      },
    ],
    [
      "a guard that is misspelt, with a field",
      { "GET /page": pinForm },
      { fill: { "term:pin": "1234" } },
      {
        reason: 'the app\'s form has no field "term:pin" for --fill.',
        hint: 'this login has no guard "term"; did you mean terms:pin? its fields: "pin"',
      },
    ],
    [
      "a sign-in page of the app",
      {
        "GET /page": ({ call }) => redirect(call, "/signin"),
        "GET /signin": formWith(
          "<input name=email required><input name=password type=password><button>Log in</button>",
        ),
      },
      { fill: {}, press: "accept" },
      {
        hint: "GET HERE/page led to HERE/signin: if that is the app's own sign-in, make the guard's page accessible without it; the buttons: \"Log in\"",
      },
    ],
    [
      "a sign-in page of the app, which is refused",
      {
        "GET /page": ({ call }) => redirect(call, "/login"),
        "GET /login": ({ call }) => call.send("", { status: 401 }),
      },
      { fill: {} },
      {
        hint: "GET HERE/page led to HERE/login: if that is the app's own sign-in, make the guard's page accessible without it",
      },
    ],
    [
      "a field that every object has",
      { "GET /page": formWith("<input name=pin value=1><button>") },
      { fill: { constructor: "x", toString: "y" } },
      { reason: expect.stringContaining('no field "constructor" or "toString" for --fill.') },
    ],
    [
      "the state, as the page shows it",
      {
        "GET /page": formWith("<button>"),
        "POST /send": ({ call, form }) => html(call, `Lost: ${form.get("state")}`),
      },
      { fill: {} },
      {
        hint: "the page says: Lost: ‹redacted›; answer the form with 302 to HERE/acme/guard/callback, with the state and a code or an error",
      },
    ],
    [
      "a link to another page",
      page("<a href=/next?jwtToken=x>Go on</a>"),
      { fill: {} },
      {
        reason: "the app's page has no form to submit, but a link to HERE/next",
        hint: 'press the link by its text: --press "Go on"',
      },
    ],
    [
      "a page that only reloads itself",
      {
        "GET /page": ({ call }) => html(call, "<meta http-equiv=refresh content='1;url=/poll'>"),
        "GET /poll": ({ call }) => html(call, "Wait<meta http-equiv=refresh content='1;url=/poll'>"),
      },
      { fill: {} },
      {
        reason: "the app's page has no form to submit, and only refreshes to HERE/poll",
        hint: "the page says: Wait; to wait until it returns, walk the page with --browser",
      },
    ],
    [
      "an address for scripts",
      goesTo(() => "javascript:alert(1)"),
      { fill: {} },
      { reason: "the app's page leads to javascript:alert(1), which is not an http(s) address" },
    ],
    [
      "an address of another program",
      goesTo(() => "my-app://back/here?code=1"),
      { fill: {} },
      { reason: "the app's page leads to my-app://back/here, which is not an http(s) address" },
    ],
    [
      "a callback with other parameters",
      goesTo(({ callback, query }) => callback({ state: query.get("state") ?? "", authCode: "x" })),
      { fill: {} },
      {
        reason: "the guard callback was refused with 400: The callback has neither a code nor an error.",
        hint: expect.stringMatching(/^it has: state, authCode; /),
      },
    ],
    [
      "a page whose redirect drops its query",
      { "GET /page": ({ call }) => redirect(call, "/step"), "GET /step": ({ call }) => call.send("", { status: 400 }) },
      { fill: {} },
      {
        reason: "the app answered 400 (GET HERE/step)",
        hint: "the redirect from HERE/page dropped its jwtToken and state: pass them on, or keep them in a session",
      },
    ],
    [
      "a button without a form",
      answers("<h1>Terms</h1><button onclick='accept()'>I accept</button>", 200),
      { fill: {} },
      {
        reason: 'the app\'s page has no form to submit: its button "I accept" is outside any form',
        hint: "put it inside the form; or, if a script handles it, walk the page with --browser",
      },
    ],
    [
      "something to click that is no button",
      answers('<h1>Terms</h1><div onclick="accept()">I accept</div>', 200),
      { fill: {} },
      {
        reason: 'the app\'s page has no form to submit: "I accept" works by a script',
        hint: 'walk the page with --browser --press "I accept"',
      },
    ],
    [
      "a link that a script handles, named",
      answers('<h1>Terms</h1><a href="#" onclick="accept()">I accept</a>', 200),
      { press: "I accept" },
      {
        reason: 'the app\'s page has no form to submit: "I accept" works by a script',
        hint: 'walk the page with --browser --press "I accept"',
      },
    ],
    [
      "a field with an id and no name",
      answers("<form method=post><input id=pin><button>Go on", 200),
      { fill: { pin: "1234" } },
      {
        reason: 'the app\'s form has no field "pin" for --fill.',
        hint: expect.stringMatching(/^a field has no name, so browsers do not send it: give it one, an id is not/),
      },
    ],
    [
      "JSON as the answer to a form",
      {
        "GET /page": formWith("<button>Go on"),
        "POST /send": ({ call, callback }) => call.reply({ redirect: callback({ code: CODE }) }),
      },
      {},
      { hint: "a browser shows the answer to a form, no script reads it: answer with 302 to the guard callback" },
    ],
    [
      "JSON as the answer to a form, for a script",
      {
        "GET /page": formWith("<button>Go on</button><script src=/x.js></script>"),
        "POST /send": ({ call, callback }) => call.reply({ redirect: callback({ code: CODE }) }),
      },
      {},
      { hint: "walk the page with --browser" },
    ],
    [
      "a required field without a name",
      answers("<form method=post><input id=pin required><button>Go on", 200),
      { press: "Go on" },
      {
        reason: "the app's form cannot be submitted: a required field is empty",
        hint: "a field has no name, so browsers do not send it: give it one, an id is not enough",
      },
    ],
    [
      "a field without a name beside another",
      answers("<form method=post><input id=pin><input name=email><button>Go on", 200),
      { fill: { pin: "1234" } },
      { hint: expect.stringMatching(/^its fields: "email"; a field has no name, so browsers do not send it/) },
    ],
    [
      "a callback with an empty code",
      goesTo(({ callback, query }) => callback({ state: query.get("state") ?? "", code: "" })),
      { fill: {} },
      { hint: expect.stringMatching(/^its `code` is empty; /) },
    ],
    [
      "a callback with its parameters behind #",
      goesTo(({ callback, query }) => callback({ state: query.get("state") ?? "", code: CODE }).replace("?", "#")),
      { fill: {} },
      { hint: expect.stringMatching(/^a server never sees what follows #: put state, code after \? instead; /) },
    ],
    [
      "a form whose action drops the page's query",
      {
        "GET /page": ({ call }) => html(call, "<form method=post action=/send><button>Go on"),
        "POST /send": ({ call }) => call.send("", { status: 401, headers: { "content-type": "text/html" } }),
      },
      { fill: {} },
      {
        reason: "the app answered 401: it did not accept the call as authentic (POST HERE/send)",
        hint: "the form's action lacks the jwtToken and state of the page's address: leave the action out, or carry them in hidden fields",
      },
    ],
    [
      "a form of a page that hides its origin, which the app's CSRF check may refuse",
      {
        "GET /page": ({ call }) =>
          html(call, "<form method=post action=/send><button>Go on", { "referrer-policy": "no-referrer" }),
        "POST /send": ({ call }) => call.send("", { status: 403, headers: { "content-type": "text/html" } }),
      },
      { fill: {} },
      {
        reason: "the app answered 403: it refused the call (POST HERE/send)",
        hint: expect.stringMatching(/^does the app's CSRF check refuse Origin: null\? .*: use same-origin$/),
      },
    ],
    [
      "a form of a page that hides its origin, with 422, as Rails does",
      {
        "GET /page": ({ call }) =>
          html(call, "<form method=post action=/send><button>Go on", { "referrer-policy": "no-referrer" }),
        "POST /send": ({ call }) => call.send("", { status: 422, headers: { "content-type": "text/html" } }),
      },
      { fill: {} },
      {
        reason: "the app answered 422 (POST HERE/send)",
        hint: expect.stringMatching(
          /^does the app's CSRF check refuse Origin: null\? .*: use same-origin; or the form.s action lacks the jwtToken/,
        ),
      },
    ],
    [
      "a form whose action drops the page's query, which the app calls a bad request",
      {
        "GET /page": ({ call }) => html(call, "<form method=post action=/send><button>Go on"),
        "POST /send": ({ call }) => call.send("", { status: 400, headers: { "content-type": "text/html" } }),
      },
      { fill: {} },
      {
        reason: "the app answered 400 (POST HERE/send)",
        hint: "the form's action lacks the jwtToken and state of the page's address: leave the action out, or carry them in hidden fields",
      },
    ],
    [
      "a form that has the page's parameters in fields without names",
      {
        "GET /page": ({ call, query }) =>
          html(
            call,
            `<form method=post action=/send><input type=hidden id=jwtToken value="${query.get("jwtToken")}"><input type=hidden name=state value="${query.get("state")}"><button>Go on`,
          ),
        "POST /send": ({ call }) => call.send("", { status: 401, headers: { "content-type": "text/html" } }),
      },
      { fill: {} },
      { hint: 'a hidden field without a name is not sent: name="jwtToken" (an id is not enough)' },
    ],
    [
      "a form for a script, sent by GET",
      {
        "GET /page": ({ call, query }) =>
          query.has("decision")
            ? call.send("", { status: 401 })
            : html(call, `<form onsubmit="go(); return false"><button name=decision value=yes>Go on`),
      },
      { fill: {} },
      { hint: expect.stringMatching(/; or, if a script of the page handles the form, walk the page with --browser$/) },
    ],
    [
      "a form that only opens its page again",
      { "GET /page": formWith("<button>Go on", 'action="/page"') },
      { fill: {} },
      {
        reason: "the app shows its form again after it was submitted",
        hint: 'the form has no method="post", so sending it only opens its page again',
      },
    ],
    [
      "a form that the app cannot parse",
      {
        "GET /page": formWith("<button>Go on"),
        "POST /send": ({ call }) => call.send("", { status: 415 }),
      },
      { fill: {} },
      {
        hint: "the page's form was sent as application/x-www-form-urlencoded: enable the app's parser for it (@fastify/formbody in Fastify, express.urlencoded() in Express)",
      },
    ],
    [
      "a form that lost the state",
      {
        "GET /page": ({ call, query }) =>
          html(
            call,
            `<form method=post action=/send><input type=hidden name=jwtToken value="${query.get("jwtToken")}"><button>Go on`,
          ),
        "POST /send": ({ call, callback }) => redirect(call, callback({ code: CODE })),
      },
      { fill: {} },
      {
        reason: "the guard callback was refused with 400: The callback has no state.",
        hint: expect.stringMatching(
          /^the form sent no `state`: it is in the page's address, but not in the form; carry/,
        ),
      },
    ],
    [
      "a form whose action drops the page's query, on which the app crashes",
      {
        "GET /page": ({ call }) => html(call, "<form method=post action=/send><button>Go on"),
        "POST /send": ({ call }) => call.send("", { status: 500 }),
      },
      { fill: {} },
      {
        hint: "look in the app's own log; does its handler need the jwtToken and state of the page's address? The form does not send them",
      },
    ],
    [
      "a form with a field that was left as it was",
      {
        "GET /page": formWith("<input name=pin><button>Go on"),
        "POST /send": formWith("<input name=pin><button>Go on"),
      },
      { press: "Go on" },
      {
        reason: "the app shows its form again after it was submitted",
        hint: expect.stringMatching(/; these fields were left as they were: --fill pin=VALUE$/),
      },
    ],
    [
      "a form that is sent by GET, which replaces the page's query",
      {
        "GET /page": ({ call, query }) =>
          query.has("decision")
            ? call.send("", { status: 401 })
            : html(call, "<form><button name=decision value=yes>Go on"),
      },
      { fill: {} },
      {
        hint: 'a form without method="post" replaces the query string, so the jwtToken and state of the page\'s address got lost; use method="post", or carry them in hidden fields',
      },
    ],
    [
      "a link without the page's query",
      {
        "GET /page": ({ call }) => html(call, "<a href=/accept>I accept</a>"),
        "GET /accept": ({ call }) => call.send("", { status: 400 }),
      },
      { press: "I accept" },
      {
        hint: "the page leads to /accept without the jwtToken and state of its address: add them to the link",
      },
    ],
    [
      "a form with an empty hidden field",
      {
        "GET /page": ({ call }) =>
          html(call, "<form method=post action=/send><input type=hidden name=jwtToken><button>Go on"),
        "POST /send": ({ call }) => call.send("", { status: 400 }),
      },
      { fill: {} },
      {
        hint: "the form's hidden field jwtToken has no value; state is missing: copy the jwtToken and state of the page's address into hidden fields",
      },
    ],
    [
      "a form with hidden fields that were filled with undefined",
      {
        "GET /page": ({ call }) =>
          html(
            call,
            "<form method=post action=/send><input type=hidden name=jwtToken value=undefined><input type=hidden name=state value=undefined><button>Go on",
          ),
        "POST /send": ({ call }) => call.send("", { status: 400 }),
      },
      { fill: {} },
      {
        hint: "the form's hidden fields jwtToken and state have no value: copy the jwtToken and state of the page's address into hidden fields",
      },
    ],
    [
      "a page without a token, to which the app redirects after the form",
      {
        "GET /page": formWith("<button>Go on"),
        "POST /send": ({ call }) => call.send("", { status: 303, headers: { location: "/done" } }),
        "GET /done": ({ call }) => call.send("", { status: 401 }),
      },
      { fill: {} },
      {
        hint: expect.stringMatching(
          /^neither the address nor the form passed on the page's JWT: if the app identifies its user by/,
        ),
      },
    ],
    [
      "a form with the token of its page, to an app that takes each once",
      {
        "GET /page": ({ call, query }) =>
          html(
            call,
            `<form method="post" action="/send?${String(query).replaceAll("&", "&amp;")}"><button>Go on</button></form>`,
          ),
        "POST /send": ({ call }) => call.send("", { status: 401 }),
      },
      { fill: {} },
      { hint: expect.stringMatching(/^the page already accepted the JWT that its form sends again here: /) },
    ],
    [
      "an app that fails at the form",
      {
        "GET /page": ({ call, query }) =>
          html(
            call,
            `<form method="post" action="/send?${String(query).replaceAll("&", "&amp;")}"><button>Go on</button></form>`,
          ),
        "POST /send": ({ call }) => call.send("", { status: 500 }),
      },
      { fill: {} },
      { hint: expect.stringMatching(/^look in the app's own log; does it have the PLATFORM_AUTH_URL/) },
    ],
    [
      "a form whose action drops the token only",
      {
        "GET /page": formWith("<button>Go on"),
        "POST /send": ({ call }) => call.send("", { status: 401, headers: { "content-type": "text/html" } }),
      },
      { fill: {} },
      {
        hint: "the form's action lacks the jwtToken of the page's address: leave the action out, or carry it in a hidden field",
      },
    ],
    [
      "a button that was never there, although the app came back",
      { "GET /page": pinForm, "POST /send": judgePin },
      { fill: { pin: "1234" }, press: "Sign" },
      { reason: 'no form of the app had the button "Sign"', hint: 'the buttons: "Go on"' },
    ],
    [
      "a field that has to be filled in",
      { "GET /page": pinForm },
      { fill: {} },
      { reason: 'the app\'s form cannot be submitted without "pin"', hint: "add --fill pin=VALUE" },
    ],
    [
      "a page for scripts",
      page("<div id=root></div><script src=app.js></script>"),
      { fill: {} },
      {
        reason: "the app's page has no form to submit: it needs JavaScript",
        hint: "walk the page with --browser",
      },
    ],
    [
      "a page that is the end",
      page("<p>Thank\u001b[31m you!"),
      { fill: {} },
      {
        reason: "the app's page has no form to submit, and no way back",
        hint: "the page says: Thank␛[31m you!; give it a form that is answered with 302 to HERE/acme/guard/callback, with the state and a code or an error",
      },
    ],
    [
      "another site",
      goesTo(() => "https://sso.example/login?next=x"),
      { fill: {} },
      {
        reason: "the app's page leads to another site, https://sso.example/login",
        hint: "--fill does not leave the app; --browser goes wherever a person would",
      },
    ],
    [
      "the callback of another port",
      goesTo(({ query }) => `http://127.0.0.1:1/acme/guard/callback?state=${query.get("state")}&code=x`),
      { fill: {} },
      {
        reason:
          "the app sent the user to http://127.0.0.1:1/acme/guard/callback, but the guard callback is HERE/acme/guard/callback",
        hint: "give the app the PLATFORM_AUTH_URL that `app-sim env` prints",
      },
    ],
    [
      "another path of the platform",
      goesTo(({ callback }) => callback({ code: "x" }).replace("/guard/callback", "/guard/callback/")),
      { fill: {} },
      {
        reason:
          "the app sent the user to HERE/acme/guard/callback/, but the guard callback is HERE/acme/guard/callback",
        hint: "the path is {auth_url}/{domain}/guard/callback (interface 4.1)",
      },
    ],
    [
      "the callback of another domain",
      goesTo(({ callback, query }) =>
        callback({ state: query.get("state") ?? "", code: "x" }).replace("acme", "other"),
      ),
      { fill: {} },
      { reason: "the guard callback was refused with 404: This state belongs to a login of another organization." },
    ],
    [
      "a callback with code and error",
      goesTo(({ callback, query }) => callback({ state: query.get("state") ?? "", code: "x", error: "y" })),
      { fill: {} },
      { reason: "the guard callback was refused with 400: The callback has both a code and an error." },
    ],
    [
      "a callback with a state that was cut",
      goesTo(({ callback, query }) => callback({ state: query.get("state")?.slice(1) ?? "", code: "x" })),
      { fill: {} },
      { reason: "the guard callback was refused with 400: This state was not issued by this platform." },
    ],
    [
      "a callback that is not UTF-8",
      goesTo(({ callback }) => `${callback({ state: "x" })}&error=%FC`),
      { fill: {} },
      { reason: "the query of the guard callback is not percent-encoded UTF-8" },
    ],
    [
      "a form that is posted to the callback",
      {
        "GET /page": formWith("<button>"),
        "POST /send": ({ call, callback }) => redirect(call, callback({}), 307),
      },
      { fill: {} },
      {
        reason: "the app answered the form with 307, so a browser repeats the POST to the guard callback",
        hint: "let the form post to your app, and answer with HTTP 302 to the callback (interface 4.2)",
      },
    ],
    ["redirects without end", goesTo(() => "/page"), { fill: {} }, { reason: "the app redirects more than 10 times" }],
    [
      "a redirect to nowhere",
      goesTo(() => "http://["),
      { fill: {} },
      { reason: "the app answered 302, a redirect without a valid address" },
    ],
    [
      "a token that it refuses",
      answers("<h1>Who are you?</h1>", 403),
      { fill: {} },
      {
        reason: "the app answered 403: it refused the call (GET HERE/page)",
        hint: "the page says: Who are you?; the page's JWT is sent in the query, as jwtToken: does the page read it from there, and verify it with the same secret as the guard? The guard's own call, whose JWT is signed the same way, was accepted",
      },
    ],
    [
      "an error of the app",
      answers("", 500),
      { fill: {} },
      { reason: "the app answered 500 (GET HERE/page)", hint: "look in the app's own log" },
    ],
    [
      "no HTML",
      answers("{}", 200, "application/json"),
      { fill: {} },
      { reason: "the app answered 200 with application/json, expected an HTML page or a redirect (GET HERE/page)" },
    ],
    [
      "nothing",
      answers("", 200),
      { fill: {} },
      { reason: "the app answered 200 with an empty body, expected an HTML page or a redirect (GET HERE/page)" },
    ],
    [
      "a form without the cookie that its page set for another path",
      {
        "GET /page": ({ call }) =>
          html(call, "<form method=post action=/send><button>Go</button></form>", {
            "set-cookie": "login=1; Path=/elsewhere",
          }),
        "POST /send": ({ call }) => call.send("not valid any more", { status: 401 }),
      },
      { fill: {} },
      {
        hint: expect.stringMatching(
          /the cookie login has Path=\/elsewhere, and \/send is not below it: it was not sent/,
        ),
      },
    ],
    [
      "a redirect with status 200",
      { "GET /page": ({ call }) => redirect(call, "/next", 200) },
      { fill: {} },
      { hint: "answer with 302: with 200, a browser does not go to the Location" },
    ],
    [
      "S25: elements without end",
      answers("<div>".repeat(50_000), 200),
      { fill: {} },
      { reason: "the app's page has too many or too deeply nested elements" },
    ],
  ])("%s", async (_, pages, option, expected) => {
    await using run = await startPageApp(pages);
    const result = await run.sim.guard({ page: option });
    const here = (text: string | null) => text?.replaceAll(run.sim.url, "HERE").replaceAll(run.app.url, "HERE") ?? null;
    expect({ ...result, reason: here(result.reason), hint: here(result.hint) }).toMatchObject({
      outcome: "needs-user",
      failure: "other",
      ...expected,
    });
  });

  it("has a new token each time: its form is sent twice, not forever", async () => {
    let token = 0;
    const form = ({ call }: PageCall) => {
      token += 1;
      html(call, `<form method=post action=/send><input type=hidden name=csrf value=${token}><button>Go on`);
    };
    await using run = await startPageApp({ "GET /page": form, "POST /send": form });
    expect((await run.sim.guard({ page: { fill: {} } })).reason).toBe(
      "the app shows its form again after it was submitted",
    );
    expect(run.app.calls.filter(({ path }) => path === "/send")).toHaveLength(2);
  });

  it("S18: what was sent to the app does not follow a redirect to another origin", async () => {
    await using canary = await startFakeApp();
    canary.answer((call) => call.send(""));
    await using run = await startPageApp({
      "GET /page": ({ call }) => {
        html(call, `<form method=post action="${canary.url}/take"><input name=pin><button>`, { "set-cookie": "a=b" });
      },
    });
    const result = await run.sim.guard({ page: { fill: { pin: "1234" } } });
    expect(result.reason).toBe(`the app's page leads to another site, ${canary.url}/take`);
    expect(canary.calls).toEqual([]);
  });

  it("belongs to a frame guard: it reports with a script", async () => {
    await using run = await startPageApp(
      {},
      { serves: manifestOf({ guards: [guardEntry("face", { type: "frame", url: "/f" })] }) },
    );
    expect(summary(await run.sim.guard({ page: { fill: {} } }))).toEqual({
      outcome: "needs-user",
      reason: "face is a frame guard: its page reports by a script, which --press and --fill do not run",
      hint: "add --browser, or skip its page with --code CODE or --error TEXT",
      failure: null,
    });
  });

  it("R2: is at a port where nothing listens", async () => {
    const port = await unusedPort();
    const guard = guardEntry("terms", { type: "redirect", url: `http://127.0.0.1:${port}/page` });
    await using run = await startPageApp(
      {},
      { serves: manifestOf({ guards: [guard] }), fileOrigins: [`http://127.0.0.1:${port}`] },
    );
    expect(summary(await run.sim.guard({ page: { fill: {} } }))).toEqual({
      outcome: "needs-user",
      reason: `nothing listens at http://127.0.0.1:${port}`,
      hint: "this address is not the app's own: start the server that belongs there, or correct the address",
      failure: "unreachable",
    });
  });

  it("R6: never answers: the visit ends before the platform stops waiting, and says at which address", async () => {
    await using run = await startPageApp({ "GET /page": ({ call }) => call.hang() });
    const result = await run.sim.guard({ page: { fill: {} }, interactionTimeout: 3 });
    expect(summary(result)).toEqual({
      outcome: "needs-user",
      reason: expect.stringMatching(/^the app took longer than \d(\.\d)? s: connected, but no answer came$/),
      hint: "does every code path of the handler send an answer? The limit is for the whole call, to the last byte of the answer",
      failure: "timed-out",
    });
  });

  it("leaves the login alone when the user came back some other way", async () => {
    const late = new EventEmitter();
    const isLate = once(late, "go on");
    const gateway = createAppGateway(systemClock);
    await using app = await startFakeApp({ manifest: redirectGuard });
    const sim = await assemble(
      { app: { url: app.url } },
      {
        gateway: {
          async call(call) {
            const came = await gateway.call(call);
            if (new URL(call.url).pathname === "/page") await isLate;
            return came;
          },
        },
      },
    );
    app.answer((call) => {
      if (call.method === "POST") return call.reply({ success: (call.json() as { code?: string }).code === CODE });
      const state = new URL(call.path, app.url).searchParams.getAll("state");
      sim.logins.callback("acme", { state, code: [CODE], error: [], others: [] });
    });
    const begun = await sim.login({ manual: true, rememberMe: true, page: { fill: {} } });
    if (!begun.ok) throw new Error("the login did not start");
    const { login } = begun;
    const isAsked = new Promise<void>((resolve) => {
      login.subscribe(() => {
        const { stages, current } = login.view();
        if (current !== null && stages[current]?.stage === "remember-me") resolve();
      });
    });
    login.enter({ stage: "password", password: sim.logins.usualUser?.password ?? "" });
    await isAsked;
    late.emit("go on");
    // Whatever the visit does about it, it does before anything else happens.
    await setImmediate();
    login.enter({ stage: "remember-me", remember: true });
    expect((await login.result).outcome).toBe("granted");
  });

  it("R21: is left immediately when the simulator closes", async () => {
    const opened = new EventEmitter();
    await using run = await startPageApp({
      "GET /page": ({ call }) => {
        call.hang();
        opened.emit("page", call);
      },
    });
    const arrived = once(opened, "page");
    const result = run.sim.guard({ page: { fill: {} } });
    const [call] = await arrived;
    await run.sim.close();
    expect(await result).toMatchObject({ outcome: "needs-user", failure: "interrupted" });
    await call.closed;
  });
});

describe("where an app sends its user", () => {
  const whereabouts = {
    platform: "http://127.0.0.1:7410",
    domain: "acme",
    state: "the-state",
    app: ["http://localhost:3000/base", "http://127.0.0.1:5173/page"],
  };

  it.each([
    ["http://127.0.0.1:7410/acme/guard/callback?state=x", "callback"],
    ["http://localhost:7410/acme/guard/callback", "callback"],
    ["http://acme.localhost:7410/other/guard/callback", "callback"],
    ["http://[::1]:7410/acme/guard/callback", "wrong-callback"],
    ["https://127.0.0.1:7410/acme/guard/callback", "wrong-callback"],
    ["http://127.0.0.1:7410/guard/callback", "wrong-callback"],
    ["http://127.0.0.1:7410/acme/guard/callback/", "wrong-callback"],
    ["http://127.0.0.1:7410/", "wrong-callback"],
    ["http://127.0.0.1:3000/acme/guard/callback", "wrong-callback"],
    ["https://platform.example/acme/guard/callback", "wrong-callback"],
    ["https://platform.example/back?state=the-state&error=no", "wrong-callback"],
    ["https://sso.example/authorize?state=the-state", "elsewhere"],
    ["https://sso.example/authorize?state=x&code=y", "elsewhere"],
    ["http://127.0.0.1.sso.example:3000/", "elsewhere"],
    ["http://localhost:3000/page?state=the-state&code=y", "app"],
    ["http://[::1]:3000/page", "app"],
    ["http://127.0.0.1:5173/", "app"],
    ["http://127.0.0.1:5174/", "elsewhere"],
    ["https://localhost:3000/", "elsewhere"],
  ])("%s: %s", (url, kind) => {
    expect(destinationOf(new URL(url), whereabouts).kind).toBe(kind);
  });

  it.each([
    ["http://127.0.0.1:3000/undefined/acme/guard/callback", /^there is "undefined" in place of .* PLATFORM_AUTH_URL/],
    ["http://undefined/acme/guard/callback", /^there is "undefined" in place of .* PLATFORM_AUTH_URL/],
    ["http://127.0.0.1:3000/acme/guard/callback", /^there is the app's own address in place of .* PLATFORM_AUTH_URL/],
    ["http://127.0.0.1:3000/other/guard/callback", /^give the app the PLATFORM_AUTH_URL/],
    [
      "http://127.0.0.1:7410//acme/guard/callback",
      /two slashes: does PLATFORM_AUTH_URL in your app's settings have a trailing slash/,
    ],
  ])("hints at a setting that the app does not have: %s", (url, hint) => {
    expect(destinationOf(new URL(url), whereabouts)).toMatchObject({ hint: expect.stringMatching(hint) });
  });
});
