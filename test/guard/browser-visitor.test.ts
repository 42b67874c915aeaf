import { EventEmitter, once } from "node:events";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChromium } from "../../src/browser/chromium.ts";
import { type GuardResult, type LoginOptions, startSimulator } from "../../src/index.ts";
import { bodyText } from "../../src/journal/journal.ts";
import { chromiumPath } from "../rig/browser.ts";
import { hastenedClock } from "../rig/clock.ts";
import { guardEntry, manifestOf, startFakeApp, startSilentPort, unusedPort } from "../rig/fake-app.ts";
import { exchangesOf, guardStages } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import {
  CODE,
  formWith,
  html,
  judgePin,
  type PageApp,
  type PageCall,
  type Pages,
  pinForm,
  postedBack,
  redirect,
  redirectGuard,
  startPageApp,
  waysBack,
} from "./page-app.ts";

type BrowserOption = Extract<NonNullable<LoginOptions["page"]>, { browser: unknown }>["browser"];

let executable = "";
let shared: PageApp;
/** Another app with its own Chromium. */
let other: PageApp;
const clock = hastenedClock();
/** Longer than any test takes, in seconds. */
const LONG = 600;
/** How long before that a visit ends by itself, in seconds. */
const MARGIN = 3;
/** Longer than all tests take, by a clock that they put forward. */
const EVER = 100 * LONG;

beforeAll(async () => {
  executable = await chromiumPath();
  const choices = { "guard.state.lifetime": EVER };
  shared = await startPageApp({}, { realTime: clock, choices });
  other = await startPageApp({}, { realTime: hastenedClock(), choices });
  await Promise.all([shared, other].map(keepChromium));
  other.pages = { "GET /page": pinForm, "POST /send": judgePin };
});
afterAll(async () => {
  await Promise.all([shared, other].map((run) => run[Symbol.asyncDispose]()));
});

/** Begins a login that waits: most of the time goes into starting Chromium, and so it is there for all others. */
async function keepChromium(run: PageApp): Promise<void> {
  run.pages = { "GET /page": ({ call }) => html(call, "<p>Wait</p>") };
  const isOpened = calledFor(run, "GET /page");
  void logIn(run, { press: "Never" }, EVER);
  await isOpened;
}

/** Resolves once the app has been called for this page. */
function calledFor(run: PageApp, page: string): Promise<unknown> {
  return once(run.called, page);
}

/** The app and simulator that all tests share, with these pages. */
function withPages(pages: Pages, serves: unknown = redirectGuard): PageApp {
  shared.app.manifest = serves;
  shared.pages = pages;
  return shared;
}

const frameGuard = manifestOf({ guards: [guardEntry("face", { type: "frame", url: "/frame" })] });
const granted: Partial<GuardResult> = { outcome: "granted", reason: null };

/** Logs in by the browser. The time is for what never comes back; everything else is over long before. */
function logIn({ sim }: PageApp, browser: BrowserOption = {}, interactionTimeout = 25): Promise<GuardResult> {
  return sim.guard({ page: { browser: { executable, ...browser } }, interactionTimeout });
}

/**
 * Logs in to the app that all tests share, by a page that does not come back. Its time is over once a visit that began
 * after its last call, and has more to do, has come back: by then, this one is as far as it gets.
 * @param module key of the only guard that is asked
 * @param last the page that the app is asked for last; unless it is given, that of the guard
 * @param isBusy whether the page cannot even be asked what it shows
 */
async function logInUntilStuck(
  browser: BrowserOption = {},
  {
    module,
    last = `GET /${module ?? "page"}`,
    isBusy = false,
  }: { readonly module?: string; readonly last?: string; readonly isBusy?: boolean } = {},
): Promise<GuardResult> {
  const ofModule = module === undefined ? {} : { modules: [module] };
  const page = { browser: { executable, ...browser } };
  const isCalled = calledFor(shared, last);
  const visit = shared.sim.guard({ page, interactionTimeout: LONG, ...ofModule });
  await isCalled;
  expect(await logIn(other, { fill: { pin: "1234" } })).toMatchObject(granted);
  const end = () => {
    clock.advance(1000 * (LONG - MARGIN));
    return visit;
  };
  return isBusy ? end() : clock.inSlowMotion(end);
}

/** A page in a frame, with this script after host.js. */
function framed(script: string, body = "", headers: Readonly<Record<string, string>> = {}): Pages[string] {
  return ({ call, platform }) =>
    html(call, `${body}<script src="${platform}/host.js"></script><script>${script}</script>`, headers);
}

describe("a redirect guard's page in Chromium", () => {
  it.each<[pin: string, expected: Partial<GuardResult>]>([
    ["1234", granted],
    ["0000", { outcome: "denied", reason: "wrong pin", deniedBy: "terms" }],
  ])("is walked as a person would, with the pin %s", async (pin, expected) => {
    const run = withPages({ "GET /page": pinForm, "POST /send": judgePin });
    expect(await logIn(run, { fill: { pin } })).toMatchObject(expected);
  });

  it("leaves each request to the app in the journal, the last form too, and none to the platform", async () => {
    // An address of its own: what an earlier login asked for may be told only now.
    const ownForm = formWith(
      "<label>Your pin <input name=pin></label><button>Go on</button>",
      'method="post" action="/own"',
    );
    const run = withPages({ "GET /page": ownForm, "POST /own": judgePin });
    // Each is there once Chromium has told all of it, which may be after the login.
    const sent = run.sim.waitFor({ purpose: "guard-page", path: "/own" }, { timeoutMs: 10_000 });
    await logIn(run, { fill: { pin: "1234" } });
    const { request, response } = await sent;
    expect([request.method, response?.status]).toEqual(["POST", 302]);
    expect(bodyText(request.body)).toContain("pin=1234");
    const opened = exchangesOf(run.sim, "guard-page").filter((each) => each.request.method === "GET");
    expect(opened.map((each) => each.response?.status)).toContain(200);
    expect(exchangesOf(run.sim, "guard-page").filter((each) => each.request.url.startsWith(run.sim.url))).toEqual([]);
  });

  // Every other status goes the way of one of these.
  const ways = waysBack.filter(([what]) => !["301", "303"].includes(what));

  it.each(ways)("sends the user back, with the same warning as over HTTP: %s", async (_, pages, warning) => {
    const result = await logIn(withPages(pages));
    expect(result.outcome).toBe("granted");
    expect(guardStages(result)[0]?.warnings).toEqual(warning === null ? undefined : [warning]);
  });

  it.each([
    ["/favicon.ico", undefined],
    [
      "/logo.png",
      [expect.stringMatching(/^the page could not load .*\/logo\.png: the server responded with a status of 404/)],
    ],
  ])("gets a warning about a missing file, except for a favicon: %s", async (file, warnings) => {
    const body = `<button id=go disabled>Go on</button><img src=${file} onerror="go.disabled = false">`;
    const run = withPages({
      "GET /page": formWith(body),
      "POST /send": ({ call, form, callback }) =>
        redirect(call, callback({ state: form.get("state") ?? "", code: CODE })),
    });
    const result = await logIn(run, { press: "Go on" });
    expect(result.outcome).toBe("granted");
    expect(guardStages(result)[0]?.warnings).toEqual(warnings);
  });

  it("does not return if the browser posts its form to the callback: reported as over HTTP, with exit 1", async () => {
    const [pages, reason] = postedBack;
    expect(await logIn(withPages(pages))).toMatchObject({ outcome: "needs-user", reason, failure: "other" });
    expect(await withPages(pages).sim.guard({ page: { fill: {} } })).toMatchObject({ outcome: "needs-user", reason });
  });

  it("has fields of every kind, named or labelled, some of them hidden behind styled elements", async () => {
    const fields = `<label>Your name <input id=x></label><input name=pin type=password>
      <select name=plan><option value=1>Free<option value=2>Paid</select><textarea name=note>old</textarea>
      <label><input type=checkbox name=agree hidden> I agree</label><input type=date name=day>
      <label><input type=radio name=size value=S style="display:none"> S</label>
      <label><input type=radio name=size value=L style="display:none"> L</label>
      <input type=hidden name=who><button name=go value=no>No</button><button name=go value=yes>Yes</button>
      <script>x.addEventListener("input", () => { document.forms[0].who.value = x.value; });</script>`;
    const run = withPages({
      "GET /page": formWith(fields),
      "POST /send": ({ call, form, callback }) => {
        const { state = "", ...sent } = Object.fromEntries(form);
        redirect(call, callback({ state, error: JSON.stringify(sent) }));
      },
    });
    const fill = {
      "Your name": "Milan",
      pin: "1",
      plan: "Paid",
      note: "a\nb",
      agree: "true",
      day: "2031-04-06",
      size: "L",
    };
    const { reason } = await logIn(run, { fill, press: "Yes" });
    expect(JSON.parse(reason ?? "")).toEqual({
      pin: "1",
      plan: "2",
      note: "a\r\nb",
      agree: "on",
      day: "2031-04-06",
      size: "L",
      who: "Milan",
      go: "yes",
    });
  });

  it("works across several pages, and pages that a script changes", async () => {
    const run = withPages({
      "GET /page": formWith("<input name=user><button>Next</button>", "method=post action=/next"),
      "POST /next": ({ call, form }) => {
        const { state = "", user = "" } = Object.fromEntries(form);
        // The field comes once the app has answered, the button once the field is filled in.
        html(
          call,
          `<main></main><script>
          fetch("/fields").then((answer) => answer.text()).then((fields) => {
            document.querySelector("main").innerHTML = "<form method=post action=/send>" + fields
              + "<input type=hidden name=state value=${state}><input type=hidden name=user value=${user}></form>";
            const [pin, button] = document.querySelectorAll("input, button");
            pin.addEventListener("input", () => { button.disabled = false; });
          });</script>`,
        );
      },
      "GET /fields": ({ call }) =>
        call.send("<input name=pin><button disabled>Sign</button><button type=button>Help</button>"),
      "POST /send": judgePin,
    });
    expect(await logIn(run, { fill: { user: "milan", pin: "1234" }, press: "Sign" })).toMatchObject(granted);
  });

  it("presses what a person would by its text, even if it is not a button", async () => {
    const run = withPages({
      "GET /page": ({ call, query }) =>
        html(
          call,
          `<form id="i accept"><div onclick="location = '/done?state=${query.get("state")}'">I accept</div><input></form>`,
        ),
      "GET /done": ({ call, query, callback }) =>
        redirect(call, callback({ state: query.get("state") ?? "", code: CODE })),
    });
    expect(await logIn(run, { press: "i accept" })).toMatchObject(granted);
  });

  it("returns by itself although it has a button: the walk waits for it", async () => {
    const run = withPages({
      "GET /page": ({ call, query, callback }) => {
        const back = callback({ state: query.get("state") ?? "", code: CODE });
        const cancel = callback({ state: query.get("state") ?? "", error: "cancelled" });
        const script = `(async () => {
          for (let step = 0; step < 50; step += 1) await fetch("/step");
          location = "${back}";
        })()`;
        html(call, `<script>${script}</script><button onclick="location='${cancel}'">Cancel`);
      },
      "GET /step": ({ call }) => call.send(""),
    });
    expect(await logIn(run)).toMatchObject(granted);
  });

  it.each([
    ["a Refresh header", "<p>One moment", { refresh: "2; url=/form" }],
    ["a handler in its markup", `<body onload="setTimeout(() => { location = '/form' }, 2000)"><p>One moment`, {}],
  ])("continues by itself, by %s: the walk waits for the button", async (_, body, headers) => {
    const run = withPages({
      "GET /page": ({ call }) => html(call, body, headers),
      "GET /form": formWith("<button>Go on</button>"),
      "POST /send": ({ call, callback }) => redirect(call, callback({ code: CODE })),
    });
    const { reason } = await logIn(run, { press: "Go on" });
    expect(reason).toMatch(/^the guard callback was refused with 400: The callback has no state\.$/);
  });

  it("keeps the cookies of parallel logins apart in one Chromium, which then ends", async () => {
    using dir = makeTempDir();
    const starts = dir.write("starts", "");
    const counted = dir.write("chromium", `#!/bin/sh\necho started >> ${starts}\nexec ${executable} "$@"\n`);
    chmodSync(counted, 0o755);
    let visit = 0;
    await using run = await startPageApp({
      "GET /page": ({ call, query }) => {
        visit += 1;
        const fields = `<input type=hidden name=state value="${query.get("state")}"><input type=hidden name=visit value=${visit}>`;
        html(call, `<form method=post action=/send>${fields}<button>Go on`, { "set-cookie": `visit=${visit}` });
      },
      "POST /send": ({ call, form, callback }) => {
        const isOwn = call.header("cookie") === `visit=${form.get("visit")}`;
        redirect(call, callback({ state: form.get("state") ?? "", code: isOwn ? CODE : "foreign" }));
      },
    });
    const results = await Promise.all(
      ["Go on", "Go on", "Go on"].map((press) => logIn(run, { press, executable: counted })),
    );
    expect(results).toMatchObject([granted, granted, granted]);
    expect(readFileSync(starts, "utf8")).toBe("started\n");
  });
});

describe("a frame guard's page in Chromium", () => {
  const form = `<form onsubmit="send(); return false"><label>Pin <input id=pin></label><button>Go on</button></form>`;

  it.each<[pin: string, expected: Partial<GuardResult>]>([
    ["1234", granted],
    ["0000", { outcome: "denied", reason: "wrong pin", deniedBy: "face" }],
  ])("is walked in its frame, with the pin %s", async (pin, expected) => {
    const script = `async function send() {
      const token = new URLSearchParams(location.search).get("jwtToken");
      const answer = await fetch("/judge", { method: "POST", headers: { authorization: "Bearer " + token }, body: pin.value });
      AP.verifyAuth(await answer.json());
    }`;
    const judge: Pages[string] = ({ call }) => {
      const isRight = call.body.toString() === "1234" && call.header("authorization") !== undefined;
      call.reply(isRight ? { code: CODE } : { error: "wrong pin" });
    };
    const run = withPages({ "GET /frame": framed(script, form), "POST /judge": judge }, frameGuard);
    expect(await logIn(run, { fill: { Pin: pin } })).toMatchObject(expected);
  });

  it.each([
    ["a link to the whole window", (callback: string) => `<a target=_top href="${callback}">Go on</a>`],
    ["a link", (callback: string) => `<a href="${callback}">Go on</a>`],
    ["its form", () => "<form method=post action=/send><button>Go on</button></form>"],
  ])("ends at once if it goes to the guard callback, the way back of a redirect guard: by %s", async (_, body) => {
    const pages: Pages = {
      "GET /frame": ({ call, callback }) => html(call, body(callback({ code: "c" }))),
      "POST /send": ({ call, callback }) => redirect(call, callback({ code: "c" })),
    };
    expect(await logIn(withPages(pages, frameGuard), { press: "Go on" })).toMatchObject({
      reason: "the page in the frame sent its user to the guard callback",
      hint: expect.stringMatching(/^that is the way back .*: in a frame, call AP\.verifyAuth/),
    });
  });

  it("ends at once if it redirects to another site, which is named", async () => {
    const pages: Pages = { "GET /frame": ({ call }) => redirect(call, "http://127.0.0.1:1/login") };
    expect(await logIn(withPages(pages, frameGuard))).toMatchObject({
      reason:
        "the page in the frame redirected to http://127.0.0.1:1, which the platform's page does not let into its frame",
      hint: "stay on the app's origin in the frame",
    });
  });

  it("is walked across the pages to which its frame goes", async () => {
    const first = framed("", "<form action=/second><input name=user><button>Next</button></form>");
    const send = `send = () => AP.verifyAuth(pin.value === "1234" ? { code: "${CODE}" } : { error: "no" })`;
    const run = withPages({ "GET /frame": first, "GET /second": framed(send, form) }, frameGuard);
    expect(await logIn(run, { fill: { user: "milan", Pin: "1234" } })).toMatchObject(granted);
  });
});

describe("a page that does not lead back in Chromium", () => {
  const state = ({ query }: PageCall) => query.get("state") ?? "";
  const goesTo = (location: (page: PageCall) => string): Pages => ({
    "GET /page": (page) => redirect(page.call, location(page)),
  });

  it.each<[what: string, pages: Pages, expected: Partial<GuardResult>]>([
    [
      "a token that it refuses",
      {
        "GET /page": ({ call }) =>
          call.send("<h1>Who are\nyou?", { status: 403, headers: { "content-type": "text/html" } }),
      },
      {
        reason: "the app answered 403: it refused the call (GET HERE/page)",
        hint: "the page says: Who are you?; the page's JWT is sent in the query, as jwtToken: does the page read it from there, and verify it with the same secret as the guard? The guard's own call, whose JWT is signed the same way, was accepted",
      },
    ],
    [
      "a redirect that lost the token",
      {
        "GET /page": ({ call }) => redirect(call, "/step"),
        "GET /step": ({ call }) => call.send("Who?", { status: 401, headers: { "content-type": "text/html" } }),
      },
      {
        reason: "the app answered 401: it did not accept the call as authentic (GET HERE/step)",
        hint: "the page says: Who?; the redirect from HERE/page dropped its jwtToken and state: pass them on, or keep them in a session",
      },
    ],
    [
      "a form that lost the token",
      {
        "GET /page": formWith("<button>Go on</button>"),
        "POST /send": ({ call }) => call.send("Who?", { status: 401, headers: { "content-type": "text/html" } }),
      },
      {
        reason: "the app answered 401: it did not accept the call as authentic (POST HERE/send)",
        hint: "the page says: Who?; the form's action lacks the jwtToken of the page's address: leave the action out, or carry it in a hidden field",
      },
    ],
    [
      "a form that the app cannot parse",
      {
        "GET /page": formWith("<button>Go on</button>", "method=post action=/send enctype=multipart/form-data"),
        "POST /send": ({ call }) => call.send("", { status: 415 }),
      },
      {
        hint: "the page's form was sent as multipart/form-data: enable the app's parser for it (@fastify/multipart in Fastify, multer in Express; or leave out the form's enctype)",
      },
    ],
    [
      "no page",
      { "GET /page": ({ call }) => call.send("", { status: 204 }) },
      {
        reason: "Chromium could not open the app's page: net::ERR_ABORTED",
        hint: "did the app answer without an HTML page?",
      },
    ],
    [
      "a download",
      {
        "GET /page": ({ call }) =>
          call.send("%PDF", {
            status: 200,
            headers: { "content-type": "application/pdf", "content-disposition": "attachment" },
          }),
      },
      {
        reason: "the app answered with a download instead of a page",
        hint: "let it answer with text/html, and without Content-Disposition: attachment",
      },
    ],
    [
      "a callback with its parameters behind #",
      goesTo((page) => page.callback({ state: state(page), code: "x" }).replace("?", "#")),
      {
        reason: "the guard callback was refused with 400: The callback has no state.",
        hint: expect.stringContaining("a server never sees what follows #: put state, code after ? instead"),
      },
    ],
    [
      "a callback with other parameters",
      goesTo((page) => page.callback({ state: state(page), authCode: "x" })),
      { hint: expect.stringContaining("it has: state, authCode") },
    ],
    [
      "the callback of another port",
      goesTo((page) => `http://127.0.0.1:1/acme/guard/callback?state=${state(page)}&code=x`),
      {
        reason:
          "the app sent the user to http://127.0.0.1:1/acme/guard/callback, but the guard callback is HERE/acme/guard/callback",
      },
    ],
    [
      "another path of the platform",
      goesTo(({ callback }) => callback({ code: "x" }).replace("/guard/callback", "/guard/call")),
      { reason: "the app sent the user to HERE/acme/guard/call, but the guard callback is HERE/acme/guard/callback" },
    ],
    [
      "a callback that is refused",
      goesTo((page) => page.callback({ state: state(page), code: "x", error: "y" })),
      {
        reason: "the guard callback was refused with 400: The callback has both a code and an error.",
        hint: "the app redirects to this address with state and code, or state and error (interface 4.2)",
      },
    ],
  ])("%s", async (_, pages, expected) => {
    const run = withPages(pages);
    const result = await logIn(run);
    const here = (text: string | null) => text?.replaceAll(run.sim.url, "HERE").replaceAll(run.app.url, "HERE") ?? null;
    expect({ ...result, reason: here(result.reason), hint: here(result.hint) }).toMatchObject({
      outcome: "needs-user",
      failure: "other",
      ...expected,
    });
  });

  it("R2: is at a port where nothing listens", async () => {
    const port = await unusedPort();
    const run = withPages(goesTo(() => `http://127.0.0.1:${port}/login`));
    expect(await logIn(run)).toMatchObject({
      outcome: "needs-user",
      reason: `nothing listens at http://127.0.0.1:${port}, where the app's page is`,
      hint: "start the app, or set its address with --app URL",
      failure: "unreachable",
    });
  });

  it.each([
    [
      "X-Frame-Options",
      { "x-frame-options": "DENY" },
      /: X-Frame-Options is DENY$/,
      /^leave X-Frame-Options out and let the /,
    ],
    [
      "the address of another platform",
      { "content-security-policy": "frame-ancestors http://127.0.0.1:9" },
      /its policy is frame-ancestors http:\/\/127\.0\.0\.1:9$/,
      /give the app the PLATFORM_AUTH_URL/,
    ],
  ])("refuses to be framed, by %s: with its header in reason and journal", async (_, headers, why, hint) => {
    const run = withPages({ "GET /frame": ({ call }) => html(call, "", headers) }, frameGuard);
    const result = await logIn(run);
    expect(result).toMatchObject({ outcome: "needs-user", hint: expect.stringMatching(hint) });
    expect(result.reason).toMatch(why);
    expect(result.reason?.startsWith(`the browser is not allowed to show ${run.app.url}/frame in a frame: `)).toBe(
      true,
    );
    const shown = guardStages(result)[0]
      ?.exchanges.map((id) => run.sim.journal.find(id))
      .at(-1);
    expect(shown).toMatchObject({
      request: { method: "GET" },
      response: { headers: expect.arrayContaining(Object.entries(headers)) },
      outcome: { kind: "cut-off", detail: "Chromium: net::ERR_BLOCKED_BY_RESPONSE" },
    });
  });

  it("is examined when the time is over", async () => {
    const script = `<script>document.forms[0].onsubmit = () => {
      alert("Hm"); console.error("no such user: 98765"); fetch("/told"); return false; };</script>`;
    const run = withPages(
      {
        "GET /a": ({ call }) =>
          html(call, `<h1>Pin</h1>\n<form><label><input name=pin>Yours</label><button>Go on</button></form>${script}`),
        "GET /told": ({ call }) => call.send("", { status: 204 }),
        "GET /b": ({ call }) => html(call, "<p>Wait\u202e</p><button>Sign</button>"),
      },
      manifestOf({
        guards: [...["a", "b"].map((key) => guardEntry(key, { type: "redirect", url: `/${key}` }))],
      }),
    );
    const found = ({ reason, hint, failure }: GuardResult) => ({ reason, hint, failure });
    const sent = await logInUntilStuck({ fill: { pin: "98765" } }, { module: "a", last: "GET /told" });
    const page = { browser: { executable, fill: { pim: "1" }, press: "Sing" } };
    const misspelt = await run.sim.guard({ modules: ["b"], page });
    expect([sent, misspelt].map(found)).toEqual([
      {
        reason: `the app's page did not bring the user back in time: still waiting to be sent back; the page "Terms" shows: Pin / Yours / Go on`,
        hint: "the page's console: no such user: ‹redacted›",
        failure: "timed-out",
      },
      {
        // Nothing changes this page, so that it need not be waited for.
        reason: `the app's page "Terms" does not have the field "pim" or the button "Sing"; it shows: Wait<U+202E> / Sign`,
        hint: 'it has no fields to fill in. Did you mean "Sign"?',
        failure: "other",
      },
    ]);
  });

  it("may wait for an empty field, or show something that no browser acts on", async () => {
    withPages(
      {
        "GET /required": formWith("<input name=pin required><input name=note><button>Go on</button>"),
        "GET /disabled": ({ call }) =>
          html(
            call,
            "<label><input type=checkbox name=ok> I am here</label><button disabled>It is me</button><input name=pin>",
          ),
        "GET /json": formWith("<button>Go on</button>"),
        "GET /inert": formWith("<button type=button>Go on</button>"),
        "GET /thanks": formWith("<button>Go on</button>", "method=post action=/thanked"),
        "POST /thanked": ({ call }) => html(call, "Thank you"),
        "POST /away": ({ call, callback }) => redirect(call, callback({ code: CODE })),
        "GET /policy": ({ call, query }) =>
          html(call, `<form method=post action="/away?${query}"><button>Go on</button></form>`, {
            "content-security-policy": "form-action 'self'",
          }),
        "POST /send": ({ call, callback }) => call.reply({ redirect: callback({ code: CODE }) }),
      },
      manifestOf({
        guards: ["required", "disabled", "json", "inert", "thanks", "policy"].map((key) =>
          guardEntry(key, { type: "redirect", url: `/${key}` }),
        ),
      }),
    );
    // One after another: each page has to answer at once what it shows.
    const required = await logInUntilStuck({ press: "Go on" }, { module: "required" });
    const disabled = await logInUntilStuck({ fill: { pin: "1234" }, press: "It is me" }, { module: "disabled" });
    const json = await logInUntilStuck({ press: "Go on" }, { module: "json", last: "POST /send" });
    const inert = await logInUntilStuck({ press: "Go on" }, { module: "inert" });
    const thanks = await logInUntilStuck({ press: "Go on" }, { module: "thanks", last: "POST /thanked" });
    const policy = await logInUntilStuck({ press: "Go on" }, { module: "policy", last: "POST /away" });
    expect(required.hint).toBe('its form cannot be submitted before "pin" is filled in correctly: --fill pin=VALUE');
    expect(disabled.hint).toBe('is it disabled until one of these fields is filled in: "ok"?');
    expect(disabled.reason).toMatch(/ shows: I am here \/ It is me$/);
    expect(inert.hint).toMatch(
      /^"Go on" was pressed, but does not submit its form, because of its type: leave that out/,
    );
    expect(thanks.hint).toMatch(
      /^answer the form with 302 to .*\/acme\/guard\/callback, with the state and a code or an error$/,
    );
    expect(policy.hint).toMatch(
      /^the page's form-action does not list http:\S+: Chromium does not follow the form's redirect there; add it$/,
    );
    expect(json.hint).toMatch(
      /\/send answered with JSON: a browser shows the answer to a form, no script reads it: answer with 302/,
    );
  });

  it("names what can be pressed, and what is only text", async () => {
    const bodies = {
      clicked: "<div onclick='go()'>I <i style='cursor: pointer'>accept</i></div><a href=/x>No</a>",
      text: "<div id=x>I accept</div>",
      link: "<a href=/next>I accept</a>",
    };
    withPages(
      Object.fromEntries(Object.entries(bodies).map(([key, body]) => [`GET /${key}`, ({ call }) => html(call, body)])),
      manifestOf({
        guards: Object.keys(bodies).map((key) => guardEntry(key, { type: "redirect", url: `/${key}` })),
      }),
    );
    const hintAt = async (module: string, browser: BrowserOption) => (await logInUntilStuck(browser, { module })).hint;
    // One after another: each page has to answer at once what it shows.
    expect(await hintAt("clicked", { press: "accept!" })).toBe('the buttons: "I accept"');
    expect(await hintAt("clicked", {})).toBe('name the button with --press; the buttons: "I accept"');
    expect(await hintAt("text", { press: "i accept" })).toBe(
      '"i accept" is a text in <div>, not a button: make it a <button>, or give it role="button"; it shows no buttons',
    );
    expect(await hintAt("link", { press: "accept" })).toBe('Did you mean "I accept"?');
  });

  it("is not sent without a field that was asked for, if another text field of the form is empty", async () => {
    const run = withPages({ "GET /page": formWith("<input name=pin><input name=note><button>Go on</button>") });
    expect(await logIn(run, { fill: { pn: "1" }, press: "Go on" })).toMatchObject({
      reason: 'the app\'s page "Terms" does not have the field "pn"; it shows: Go on',
      hint: 'its fields: "pin", "note". Did you mean "pin"?',
    });
  });

  it("has no such field: reported as over HTTP, although its button brought the user back", async () => {
    const run = withPages({ "GET /page": pinForm, "POST /send": judgePin });
    const page = { fill: { pin: "1234", pim: "1" }, press: "Go on" };
    const byBrowser = await logIn(run, page);
    const { outcome, reason, hint, failure } = await run.sim.guard({ page });
    expect(byBrowser).toMatchObject({ outcome, reason, hint, failure });
    expect([outcome, reason, hint]).toEqual([
      "needs-user",
      'the app\'s form has no field "pim" for --fill. Did you mean "pin"?',
      'its fields: "pin"',
    ]);
  });

  it("has a field for fewer characters: reported as over HTTP, but not of a number", async () => {
    const fields = "<input name=day type=number maxlength=1><input name=pin maxlength=3>";
    const run = withPages({ "GET /page": formWith(fields) });
    const page = { fill: { day: "31", pin: "1234" }, press: "Go on" };
    const { reason } = await run.sim.guard({ page });
    expect(await logIn(run, page)).toMatchObject({ outcome: "needs-user", reason });
    expect(reason).toBe('the field "pin" takes at most 3 characters (maxlength): the value is longer');
  });

  it("has several buttons, and none was named: reported if the guard denies", async () => {
    const run = withPages({
      "GET /page": formWith("<button>Help</button><button>Yes</button>"),
      "POST /send": judgePin,
    });
    expect(await logIn(run)).toMatchObject({
      outcome: "denied",
      reason: "wrong pin",
      hint: '--press was not given: the first of the buttons "Help", "Yes" was pressed',
    });
  });

  it("says that the page led to a sign-in page of the app", async () => {
    withPages({
      "GET /page": ({ call }) => redirect(call, "/signin"),
      "GET /signin": formWith(
        "<button>Log in</button> <button>Sign up</button><script></script><input type=submit value=A><input type=submit value=B>",
      ),
    });
    const { reason, hint } = await logInUntilStuck({ press: "accept" }, { last: "GET /signin" });
    // A person sees two buttons, which nothing stands between.
    expect(reason).toMatch(/ shows: Log in \/ Sign up$/);
    expect(hint).toMatch(/^GET \S+\/page led to \S+\/signin: .*; the buttons: "Log in", "Sign up", "A", "B"$/);
  });

  it("names the buttons of a page in a frame that has several, and does not ask for a call that a button makes", async () => {
    withPages(
      { "GET /frame": framed("", `<button onclick="AP.verifyAuth({ code: '${CODE}' })">Accept</button>`) },
      frameGuard,
    );
    const { reason, hint } = await logInUntilStuck({ press: "yes" }, { last: "GET /frame" });
    expect(reason).toContain('still waiting for the button "yes"');
    expect(hint).toBe('the buttons: "Accept"');
  });

  it("R6: cannot be examined: it never answers, never ends, is busy, or reloads forever", async () => {
    const keys = ["silent", "endless", "busy", "reload"];
    withPages(
      {
        "GET /silent": ({ call }) => call.hang(),
        "GET /endless": ({ call }) => call.raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n", { end: false }),
        "GET /busy": ({ call }) => html(call, "<p>Hi</p><script>for (;;);</script>"),
        "GET /reload": ({ call }) => html(call, "<script>location.reload()</script>"),
      },
      manifestOf({ guards: keys.map((key) => guardEntry(key, { type: "redirect", url: `/${key}` })) }),
    );
    const expected = {
      outcome: "needs-user",
      reason: expect.stringMatching(/^the app's page did not bring the user back in time: still /),
      failure: "timed-out",
    };
    for (const key of keys) {
      const end = await logInUntilStuck({}, { module: key, isBusy: true });
      expect(end).toMatchObject(expected);
      expect(`${end.reason} ${end.hint}`).not.toContain("jwtToken");
    }
  });

  it("says what to look at if a script used AP before host.js was loaded", async () => {
    withPages({ "GET /frame": framed("", "<p>Hm</p><script>AP.verifyAuth({})</script>") }, frameGuard);
    const { hint } = await logInUntilStuck({}, { last: "GET /frame" });
    expect(hint).toMatch(
      /^a script of the page failed: AP is not defined; is <script src=".*host.js">, .* above the script/,
    );
  });

  it.each([
    ["on its own", `AP.verifyAuth("${CODE}")`, "<p>Hm</p>", "AP.verifyAuth() needs an object, but was given a string"],
    [
      "by its button",
      `go = () => AP.verifyAuth({ error: null })`,
      "<button onclick='go()'>Go</button>",
      "AP.verifyAuth(): the error must be a non-empty string, but was null",
    ],
  ])(
    "does not wait for a page that called AP.verifyAuth() wrongly, and says what it was given: %s",
    async (...given) => {
      const [, script, body, problem] = given;
      const run = withPages({ "GET /frame": framed(script, body) }, frameGuard);
      const { outcome, reason, hint, failure } = await logIn(run, {}, 600);
      expect({ outcome, reason, hint, failure }).toEqual({
        outcome: "needs-user",
        reason: `a call of the page had no effect: ${problem}`,
        hint: "call AP.verifyAuth({ code }) or AP.verifyAuth({ error }) when the user is done",
        failure: "other",
      });
    },
  );

  it("reports nothing, because its own call to the app failed", async () => {
    const script = `go = async () => AP.verifyAuth({ code: (await (await fetch("/code", { method: "POST" })).json()).code })`;
    const pages = (status: number): Pages => ({
      "GET /frame": framed(script, "<button onclick='go()'>Go</button>"),
      "POST /code": ({ call }) => call.reply({ error: "No" }, { status }),
    });
    const hint = async (status: number) => (await logIn(withPages(pages(status), frameGuard), {}, 600)).hint;
    expect(await hint(401)).toMatch(
      /^the page's own call POST \S+\/code was answered 401: does it send .* such as the jwtToken of the page's address\?$/,
    );
    expect(await hint(500)).toMatch(/^the page's own call POST \S+\/code was answered 500: look in the app's own log/);
  });

  it.each([
    ["connect-src 'none'", "http://127.0.0.1", "connect-src http://127.0.0.1"],
    ["default-src 'none'; script-src 'unsafe-inline' *", "", "connect-src 'self'"],
  ])("reports nothing, because its policy %s blocks its own call", async (policy, origin, needed) => {
    const script = `go = async () => AP.verifyAuth({ code: await fetch("${origin}/code").catch(() => 0) })`;
    const headers = { "content-security-policy": policy };
    const pages: Pages = { "GET /frame": framed(script, "<button onclick='go()'>Go</button>", headers) };
    const { hint } = await logIn(withPages(pages, frameGuard), {}, 600);
    expect(hint).toMatch(/^the page's Content-Security-Policy blocks its call to http:[^ ]+\/code: it needs /);
    expect(hint?.endsWith(` it needs ${needed}`)).toBe(true);
  });

  it("reports nothing, because its policy blocks its inline script", async () => {
    const page: Pages[string] = ({ call, platform }) =>
      html(
        call,
        `<script src="${platform}/host.js"></script><button id=go>Go</button><script>go.onclick = 1</script>`,
        {
          "content-security-policy": `script-src ${platform}/host.js`,
        },
      );
    withPages({ "GET /frame": page }, frameGuard);
    const { hint } = await logInUntilStuck({ press: "Go" }, { last: "GET /frame" });
    expect(hint).toMatch(
      /^the page's Content-Security-Policy does not let its inline code run: move the code to a file/,
    );
  });

  it("fetches the way back, which leaves the user on the page", async () => {
    // Because of its header, the browser asks the platform first, which does not allow it.
    const options = `{ method: "POST", headers: { "x-requested-with": "fetch" } }`;
    const page = `<!doctype html><button onclick='fetch("/done" + location.search, ${options})'>Go</button>`;
    withPages({
      "GET /page": ({ call }) => call.send(page, { headers: { "content-type": "text/html" } }),
      "POST /done": ({ call, query, callback }) =>
        redirect(call, callback({ state: query.get("state") ?? "", code: CODE })),
    });
    expect((await logInUntilStuck({ press: "Go" }, { last: "POST /done" })).hint).toMatch(
      /^a script of the page fetched the guard callback, which moves no browser: submit a form, or set location\.href/,
    );
  });

  it("is reloaded by its own form, because the script that handles the form lets the browser send it", async () => {
    const script = `document.forms[0].onsubmit = async () => { await new Promise(() => {}); }`;
    const run = withPages(
      {
        "GET /frame": (page) =>
          page.query.has("jwtToken")
            ? framed(script, "<form><button>Go</button></form>")?.(page)
            : page.call.send("", { status: 401 }),
      },
      frameGuard,
    );
    expect((await logIn(run)).hint).toBe(
      "the form's page was reloaded without the jwtToken of its address: does the script that handles the form call preventDefault()?",
    );
  });

  it("may call AP.verifyAuth() without arguments before it has its outcome", async () => {
    const script = `AP.verifyAuth(); go = () => setTimeout(() => AP.verifyAuth({ code: "${CODE}" }), 300);`;
    const run = withPages({ "GET /frame": framed(script, "<button onclick='go()'>Go</button>") }, frameGuard);
    expect(await logIn(run)).toMatchObject({ outcome: "granted" });
  });

  it.each([
    ["AP.verifyAuth({})", "AP.verifyAuth() was given neither a code nor an error"],
    ['throw new Error("boom")', "a script of the page failed: boom"],
  ])("has a script that fails, which is reported however the visit ends: %s", async (script, hint) => {
    const run = withPages({ "GET /frame": framed(script, "<button>Yes</button><button>No</button>") }, frameGuard);
    const result = await logIn(run);
    expect(result.reason).toBe("the app's page has several buttons");
    expect(result.hint).toContain(hint);
  });

  it("reports problems to the login while it is walked", async () => {
    const run = withPages({
      "GET /page": ({ call, query, callback }) => {
        const back = callback({ state: query.get("state") ?? "", code: CODE });
        html(
          call,
          `<button>Go on</button><script>
          console.error("first"); confirm("Sure?"); setTimeout(() => { throw new Error("late"); });
          fetch("http://127.0.0.1:9/x").catch(() => {});
          document.querySelector("button").onclick = () => { location = "${back}"; };</script>`,
        );
      },
    });
    const begun = await run.sim.login({ page: { browser: { executable, press: "Go on" } } });
    if (!begun.ok) throw new Error("the login did not start");
    const troubles = new Set<string>();
    begun.login.subscribe(() => {
      for (const { reason } of begun.login.view().interaction?.troubles ?? []) troubles.add(reason);
    });
    expect((await begun.login.result).outcome).toBe("granted");
    expect([...troubles]).toEqual(
      expect.arrayContaining([
        "the page's console: first",
        "the app's page opened a dialog, which was dismissed: Sure?",
        "a script of the page failed: late",
      ]),
    );
  });

  it("is left at once when the simulator closes", async () => {
    const opened = new EventEmitter();
    await using run = await startPageApp({
      "GET /page": ({ call }) => {
        html(call, "<p>Wait</p>");
        opened.emit("page");
      },
    });
    const arrived = once(opened, "page");
    const result = logIn(run, { press: "Never" });
    await arrived;
    await run.sim.close();
    expect(await result).toMatchObject({ outcome: "needs-user", failure: "interrupted" });
  });
});

describe("the Chromium of a simulator", () => {
  it("is shared by simultaneous visits, and ends with the last of them", async () => {
    const chromium = createChromium();
    const open = async () => {
      const opened = await chromium.open(executable);
      if (!opened.ok) throw new Error(opened.reason);
      return opened;
    };
    const [first, second] = await Promise.all([open(), open()]);
    expect(first.browser).toBe(second.browser);
    await first.release();
    expect(first.browser.isConnected()).toBe(true);
    await second.release();
    expect(first.browser.isConnected()).toBe(false);
    const third = await open();
    expect(third.browser).not.toBe(first.browser);
    await third.browser.close();
    const fourth = await open();
    expect(fourth.browser.isConnected()).toBe(true);
    await Promise.all([third.release(), fourth.release()]);
    expect(fourth.browser.isConnected()).toBe(false);
  });

  it("R1: finds no platform if another program has its port", async () => {
    await using busy = await startSilentPort();
    await using app = await startFakeApp({ manifest: redirectGuard });
    app.answer((call) => call.reply({ success: false }));
    await using sim = await startSimulator({ app: { url: app.url }, port: busy.port, listen: "when-needed" });
    expect(await sim.guard({ page: { browser: { executable } } })).toMatchObject({
      outcome: "needs-user",
      reason: `port ${busy.port} of 127.0.0.1 is taken`,
      hint: expect.stringContaining("--port"),
    });
  });

  it("is reported if it ends by itself", async () => {
    using dir = makeTempDir();
    const pid = join(dir.path, "pid");
    const named = dir.write("chromium", `#!/bin/sh\necho $$ > ${pid}\nexec ${executable} "$@"\n`);
    chmodSync(named, 0o755);
    await using run = await startPageApp({
      "GET /page": ({ call }) => {
        html(call, "<p>Wait</p>");
        process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
      },
    });
    expect(await logIn(run, { executable: named, press: "Never" })).toMatchObject({
      outcome: "needs-user",
      reason: "Chromium exited while walking the app's page",
      failure: "other",
    });
  });

  it.each([
    ["does not exist", null, "there is no program at FILE"],
    ["is no program", "text", "FILE did not start: Failed to launch: Error: spawn FILE EACCES"],
    [
      "has no libraries",
      "#!/bin/sh\necho 'cannot open shared object file: libnss3.so' >&2\nexit 127\n",
      "FILE did not start: cannot open shared object file: libnss3.so",
    ],
  ])("is not started if the file %s", async (_, content, reason) => {
    using dir = makeTempDir();
    const file = content === null ? join(dir.path, "none") : dir.write("chromium", content);
    if (content?.startsWith("#!")) chmodSync(file, 0o755);
    await using run = await startPageApp({ "GET /page": pinForm });
    const result = await logIn(run, { executable: file });
    expect(result).toMatchObject({ outcome: "needs-user", reason: reason.replaceAll("FILE", file), failure: "other" });
    expect(result.hint).toContain("CHROME_PATH");
  });
});
