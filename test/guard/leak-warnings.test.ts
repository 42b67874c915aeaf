import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { guardLeaks } from "../../src/guard/checks/leak-warnings.ts";
import type { GuardResult } from "../../src/index.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { type CallHandler, guardEntry, manifestOf } from "../rig/fake-app.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";
import { bearerOf, startSimulation } from "../rig/simulation.ts";
import { CODE, formWith, html, judgePin, type Pages, pinForm, redirect, startPageApp } from "./page-app.ts";

const SECRET = "app-sim-client-secret-long-enough-for-HS256";
const LOGS = "addresses are kept in logs and histories";

const warningsOf = ({ stages }: GuardResult) => stages.flatMap(({ warnings = [] }) => warnings);

const page = { fill: { pin: "1234" } };
const back = (more: (token: string) => Readonly<Record<string, string>>): Pages => ({
  "GET /page": ({ call, query }) => {
    const fields = [...query].map(([name, value]) => `<input type=hidden name=${name} value="${value}">`).join("");
    html(call, `<form method=post action=/send>${fields}<input name=pin><button>Go on</button></form>`);
  },
  "POST /send": ({ call, form, callback }) => {
    const came = { state: form.get("state") ?? "", code: CODE };
    redirect(call, callback({ ...came, ...more(form.get("jwtToken") ?? "") }));
  },
});

describe("a secret that a page reveals is a warning, even if it is hidden afterwards", () => {
  it.each<[string, Pages, string]>([
    [
      "its token in the address of the callback",
      back((jwtToken) => ({ jwtToken })),
      `the address of the callback holds the token: ${LOGS}`,
    ],
    [
      "its token in base64",
      back((token) => ({ context: Buffer.from(token).toString("base64") })),
      `the address of the callback holds the token: ${LOGS}`,
    ],
    [
      "a secret in the address of the callback",
      back(() => ({ key: SECRET })),
      `the address of the callback holds the client secret: ${LOGS}`,
    ],
    [
      "its token in hex",
      back((token) => ({ context: Buffer.from(token).toString("hex") })),
      `the address of the callback holds the token: ${LOGS}`,
    ],
    [
      "its token behind the address of the callback",
      {
        ...back(() => ({})),
        "POST /send": ({ call, form, callback }) => {
          const location = callback({ state: form.get("state") ?? "", code: CODE });
          redirect(call, `${location}#${form.get("jwtToken")}`);
        },
      },
      "the address of the callback holds the token after its #",
    ],
    [
      "a secret in base64, in the path of a link among hundreds of others",
      {
        "GET /page": (call) =>
          formWith(
            `<input name=pin>${"<i>abcdefghijklmnopqrstuvwxyz</i>".repeat(300)}<img src="/key/${btoa(SECRET)}"><button>`,
          )?.(call),
        "POST /send": judgePin,
      },
      "the app's page holds the client secret",
    ],
    [
      "a secret in HTML that is packed",
      {
        "GET /page": ({ call, query }) => {
          const state = `<input type=hidden name=state value="${query.get("state")}">`;
          const form = `<form method=post action=/send>${state}<input name=pin><!-- ${SECRET} --><button>Go on</button></form>`;
          call.send(gzipSync(form), { headers: { "content-type": "text/html", "content-encoding": "gzip" } });
        },
        "POST /send": judgePin,
      },
      "the app's page holds the client secret",
    ],
    [
      "a secret in its HTML",
      { "GET /page": (call) => formWith(`<input name=pin><!-- ${SECRET} --><button>`)?.(call), "POST /send": judgePin },
      "the app's page holds the client secret",
    ],
    [
      "a secret in a cookie",
      {
        "GET /page": pinForm,
        "POST /send": ({ call, form, callback }) => {
          const location = callback({ state: form.get("state") ?? "", code: CODE });
          redirect(call, location, 302, { "set-cookie": `key=${SECRET}; HttpOnly` });
        },
      },
      "the app's cookie holds the client secret",
    ],
    [
      "a secret in an address of its own",
      {
        "GET /page": ({ call, query }) => redirect(call, `/form?key=${SECRET}&state=${query.get("state")}`),
        "GET /form": pinForm,
        "POST /send": judgePin,
      },
      "the app's redirect to an address holds the client secret",
    ],
  ])("%s", async (_, pages, warning) => {
    await using run = await startPageApp(pages);
    const result = await run.sim.guard({ page });
    expect(result.outcome).toBe("granted");
    expect(warningsOf(result)).toEqual([warning]);
  });

  it.each<[string, string, string]>([
    [
      "a secret in the callback of another host",
      `http://other.test/acme/guard/callback?code=1&key=${SECRET}`,
      "an address holds the client secret",
    ],
    [
      "its token in an address of another host",
      "http://other.test/in?token=TOKEN",
      "http://other.test/in holds the token",
    ],
    [
      "a secret in a callback that names no domain",
      `PLATFORM/guard/callback?code=1&key=${SECRET}`,
      "an address holds the client secret",
    ],
  ])("%s", async (_, location, told) => {
    await using run = await startPageApp({
      "GET /page": ({ call, query, callback }) => {
        const platform = new URL(callback({ state: "", code: "" })).origin;
        redirect(call, location.replace("TOKEN", query.get("jwtToken") ?? "").replace("PLATFORM", platform));
      },
    });
    const result = await run.sim.guard({ page });
    expect(result.outcome).toBe("needs-user");
    expect(warningsOf(result)).toContainEqual(`the app's redirect to ${told}`);
  });

  it.each([400, 500])("the stack trace of an error page with status %i", async (status) => {
    await using run = await startPageApp({
      "GET /page": pinForm,
      "POST /send": ({ call }) =>
        call.send("<pre>Error: no\n    at judge (/srv/app/pages.js:12:7)</pre>", {
          status,
          headers: { "content-type": "text/html" },
        }),
    });
    const result = await run.sim.guard({ page });
    expect(result.outcome).toBe("needs-user");
    expect(warningsOf(result)).toEqual(["the app's answer holds a stack trace"]);
  });

  it("there is no warning for a page that passes its token on in a form, or reveals nothing", async () => {
    await using run = await startPageApp(back(() => ({})));
    expect(warningsOf(await run.sim.guard({ page }))).toEqual([]);
  });
});

describe("a secret that a guard's answer reveals is a warning", () => {
  it.each<[string, CallHandler, string[]]>([
    [
      "its token in the message",
      (call) => call.reply({ success: false, message: `no user in ${bearerOf(call)}` }),
      ["the app's answer holds the token"],
    ],
    [
      "its secret in a refusal",
      (call) => call.reply({ success: false, message: `not signed with ${SECRET}` }, { status: 401 }),
      [
        "the app's answer holds the client secret",
        "it answered 401, but the interface shows 200: nobody is let in, whatever success says",
      ],
    ],
    [
      "a stack trace in an error",
      (call) => call.reply({ error: { stack: 'Traceback (most recent call last):\n  File "/srv/app.py", line 3' } }),
      ["the app's answer holds a stack trace"],
    ],
    ["nothing", (call) => call.reply({ success: false, message: "look at the terms first" }), []],
  ])("%s", async (_, answer, warnings) => {
    await using run = await startSimulation({ serves: manifestOf({ guards: [guardEntry("office")] }), answer });
    expect(warningsOf(await run.sim.guard())).toEqual(warnings);
  });
});

describe("the answer of a page, by itself", () => {
  const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA";
  const app = {
    url: "http://127.0.0.1:3000",
    fileOrigins: ["http://files.test"],
    clientSecret: SECRET,
    appSecret: "app-sim-app-secret",
  };
  const page = { isCallback: () => false, tokens: [{ name: "token", value: TOKEN }] };
  const answered = (status: number, location: string, body = "") =>
    exchangeRecord("id", {
      purpose: "guard-page",
      request: { ...exchangeRecord("id").request, headers: [] },
      response: {
        status,
        headers: location === "" ? [] : [["Location", location]],
        body: recordBody(Buffer.from(body)),
      },
    });

  it.each([
    ["may redirect to the app with the token", "http://127.0.0.1:3000/in?token=TOKEN", []],
    ["may redirect to the app under another name of this machine", "http://localhost:3000/in?token=TOKEN", []],
    ["may redirect to another origin of the app with the token", "http://files.test/in?token=TOKEN", []],
    ["may redirect elsewhere without the token", "http://other.test/in", []],
    [
      "must not redirect elsewhere with the token",
      "http://other.test/in?token=TOKEN",
      ["the app's redirect to http://other.test/in holds the token"],
    ],
  ])("%s", (_, location, warnings) => {
    expect(guardLeaks(answered(302, location.replace("TOKEN", TOKEN)), app, page)).toEqual(warnings);
  });

  it("may look like a stack trace if it is no error", () => {
    const trace = "Error: no\n    at judge (/srv/app/pages.js:12:7)";
    expect(guardLeaks(answered(200, "", trace), app, page)).toEqual([]);
    expect(guardLeaks(answered(404, "", trace), app, page)).toEqual(["the app's answer holds a stack trace"]);
  });

  it("reveals nothing if there is none", () => {
    expect(guardLeaks({ ...answered(200, ""), response: null }, app, page)).toEqual([]);
  });
});
