import { describe, expect, it } from "vitest";
import { type CallHandler, guardEntry, manifestOf, unusedPort } from "../rig/fake-app.ts";
import { awaitPage } from "../rig/logins.ts";
import { exchangesOf, type Simulation, startSimulation } from "../rig/simulation.ts";
import { type Answered, ask, logIn, loginAt, pageOf, pageWhen, textOf, titleOf } from "./visitor.ts";

const office = {
  ...guardEntry("presence", { type: "frame", url: "/page?lang=en" }),
  name: "Are you there?",
  description: "Somebody logs in from afar.",
};

interface StartOptions {
  readonly page?: CallHandler;
  readonly guard?: object;
  readonly final?: unknown;
  readonly fileOrigins?: string[];
}

/** An app whose guard wants its user at the page in the frame, and which says in the final call what `final` is. */
function startApp({
  page,
  guard = office,
  final = { success: true },
  fileOrigins = [],
}: StartOptions = {}): Promise<Simulation> {
  return startSimulation({
    fileOrigins,
    serves: manifestOf({ guards: [guard] }),
    answer: (call) => {
      if (call.method === "GET") return page?.(call);
      call.reply("code" in (call.json() as object) ? final : { success: false });
    },
  });
}

/** The page of a login that shows the frame, and what a script of it knows. */
async function framePage(run: Simulation) {
  const { url } = await logIn(run.sim);
  await awaitPage(loginAt(run.sim, url));
  const framed = await ask(url);
  const frame = pageOf(framed)("iframe");
  const state = frame.attr("data-state") ?? "";
  return { page: framed, frame, state, reportAt: `${run.sim.url}${frame.attr("data-report")}` };
}

function send(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const json = { "content-type": "application/json", accept: "*/*" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return ask(url, { method: "POST", headers: { ...json, ...headers }, body: text });
}

describe("3.1, 4.2: a frame guard", () => {
  it("has a page with options.url and jwtToken in an iframe, and the module's name and description", async () => {
    await using run = await startApp();
    const { page, frame } = await framePage(run);
    const src = new URL(frame.attr("src") ?? "");
    expect(src.origin + src.pathname).toBe(`${run.app.url}/page`);
    expect([...src.searchParams.keys()]).toEqual(["lang", "jwtToken"]);
    expect(frame.attr("title")).toBe("Are you there?");
    expect(titleOf(page)).toBe("Verification: Are you there?");
    expect(textOf(page)).toContain("Somebody logs in from afar.");
  });

  it("listens to the frame before it is loaded", async () => {
    await using run = await startApp();
    const { page } = await framePage(run);
    const listening = page.body.indexOf('<script src="/frame.js"></script>');
    expect(listening).toBeGreaterThan(0);
    expect(page.body.indexOf("<iframe")).toBeGreaterThan(listening);
  });

  it("S12: its policy allows only the app's origin in the frame; the page itself cannot be framed", async () => {
    await using run = await startApp();
    const { page } = await framePage(run);
    const policy = String(page.headers["content-security-policy"]).split("; ");
    expect(policy).toContain(`frame-src ${run.app.url}`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
  });

  it("may have its page at an origin other than the app's", async () => {
    const elsewhere = `http://localhost:${await unusedPort()}/page`;
    await using run = await startApp({
      guard: guardEntry("presence", { type: "frame", url: elsewhere }),
      fileOrigins: [new URL(elsewhere).origin],
    });
    const { page, frame } = await framePage(run);
    expect(frame.attr("src")).toMatch(`${elsewhere}?jwtToken=`);
    expect(page.headers["content-security-policy"]).toContain(`frame-src ${new URL(elsewhere).origin};`);
    expect(frame.attr("data-origin")).toBe(new URL(elsewhere).origin);
  });

  it("with a code continues with the final call", async () => {
    await using run = await startApp();
    const { page, state, reportAt } = await framePage(run);
    expect((await send(reportAt, { state, code: "c" })).status).toBe(204);
    await pageWhen(run.sim, page.url, "Access granted");
    expect(run.app.calls.map((call) => (call.json() as { code?: string }).code)).toEqual([undefined, "c"]);
  });

  it("with an error denies access", async () => {
    await using run = await startApp();
    const { page, state, reportAt } = await framePage(run);
    expect((await send(reportAt, { state, error: "It was not me." })).status).toBe(204);
    expect(textOf(await ask(page.url))).toContain("It was not me.");
    expect(run.app.calls).toHaveLength(1);
  });

  it("takes one outcome: the second of two is refused", async () => {
    await using run = await startApp();
    const { page, state, reportAt } = await framePage(run);
    const both = await Promise.all([send(reportAt, { state, code: "c" }), send(reportAt, { state, code: "d" })]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
    await pageWhen(run.sim, page.url, "Access granted");
    expect(run.app.calls).toHaveLength(2);
    expect((await send(reportAt, { state, error: "late" })).status).toBe(409);
  });
});

describe("S4, S10, S12: an outcome that is not accepted", () => {
  const outcomes: [string, (state: string) => unknown, Record<string, string>, number][] = [
    ["another state", () => ({ state: "made-up", code: "c" }), {}, 409],
    ["no state", () => ({ code: "c" }), {}, 400],
    ["neither code nor error", (state) => ({ state }), {}, 400],
    ["both", (state) => ({ state, code: "c", error: "e" }), {}, 400],
    ["an empty code", (state) => ({ state, code: "" }), {}, 400],
    ["a number as code", (state) => ({ state, code: 1 }), {}, 400],
    ["a list", () => [], {}, 400],
    ["no JSON", () => "state=s&code=c", {}, 400],
    ["__proto__", (state) => `{"state":"${state}","__proto__":{"code":"c"}}`, {}, 400],
    ["a form", (state) => ({ state, code: "c" }), { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["plain text, which needs no permission", (state) => ({ state, code: "c" }), { "content-type": "text/plain" }, 415],
    ["the Origin null", (state) => ({ state, code: "c" }), { origin: "null" }, 403],
    ["another Origin", (state) => ({ state, code: "c" }), { origin: "http://1.2.3.4" }, 403],
    ["a malformed Origin", (state) => ({ state, code: "c" }), { origin: "http://[" }, 403],
    ["another site", (state) => ({ state, code: "c" }), { "sec-fetch-site": "cross-site" }, 403],
    ["another port", (state) => ({ state, code: "c" }), { "sec-fetch-site": "same-site" }, 403],
  ];

  it.each(outcomes)("%s", async (_, body, headers, status) => {
    await using run = await startApp();
    const { page, state, reportAt } = await framePage(run);
    expect((await send(reportAt, body(state), headers)).status).toBe(status);
    expect((await ask(page.url)).body).toContain("<iframe");
    // The state is still good for whom it was meant for.
    const own = { origin: run.sim.url, "sec-fetch-site": "same-origin" };
    expect((await send(reportAt, { state, code: "c" }, own)).status).toBe(204);
  });

  it("one of another login", async () => {
    await using run = await startApp();
    const first = await framePage(run);
    const second = await framePage(run);
    expect((await send(first.reportAt, { state: second.state, code: "c" })).status).toBe(409);
    expect(loginAt(run.sim, second.page.url).interaction()?.state).toBe(second.state);
    expect(run.app.calls).toHaveLength(2);
  });

  it("a callback with the state of a frame, which only its page knows", async () => {
    await using run = await startApp();
    const { page, state } = await framePage(run);
    expect((await ask(`${run.sim.url}/acme/guard/callback?state=${state}&code=c`)).status).toBe(400);
    expect((await ask(page.url)).body).toContain("<iframe");
  });
});

describe("a frame that is silent", () => {
  it("is examined: the login says what is wrong, on the page and in its view", async () => {
    const page: CallHandler = (call) =>
      call.send("<h1>page</h1>", { headers: { "content-type": "text/html", "x-frame-options": "DENY" } });
    await using run = await startApp({ page });
    const { page: framed, state, reportAt } = await framePage(run);
    expect((await send(reportAt, { state, trouble: "no-sdk" })).status).toBe(204);
    const reasons = [
      "the page refuses to be framed: X-Frame-Options is DENY",
      `the page's HTML does not load ${run.sim.url}/host.js`,
    ];
    const { interaction } = loginAt(run.sim, framed.url).view();
    expect(interaction?.troubles.map(({ reason }) => reason)).toEqual(reasons);
    const text = textOf(await ask(framed.url));
    for (const reason of reasons) expect(text).toContain(reason);
    const [look] = exchangesOf(run.sim, "guard-page");
    expect(look).toMatchObject({ module: "presence", request: { method: "GET" }, response: { status: 200 } });
    // The endpoint itself was called once only (interface 4.2).
    expect(exchangesOf(run.sim, "guard")).toHaveLength(1);
  });

  it("may be a page that cannot be fetched", async () => {
    await using run = await startApp({ page: (call) => call.reset() });
    const { page, state, reportAt } = await framePage(run);
    await send(reportAt, { state, trouble: "no-sdk" });
    expect(textOf(await ask(page.url))).toContain("the page cannot be shown: the app closed the connection");
  });

  it("may be a page that never called AP.verifyAuth(): this is the reason when the time is over", async () => {
    await using run = await startApp();
    const { state, reportAt, page } = await framePage(run);
    await send(reportAt, { state, trouble: "no-report" });
    const [trouble] = loginAt(run.sim, page.url).view().interaction?.troubles ?? [];
    expect(trouble?.reason).toBe("the page loaded host.js, but never called AP.verifyAuth()");
    expect(run.app.calls).toHaveLength(1);
  });

  it("is not examined for a state of another login", async () => {
    await using run = await startApp();
    const { reportAt } = await framePage(run);
    expect((await send(reportAt, { state: "made-up", trouble: "no-sdk" })).status).toBe(409);
    expect(run.app.calls).toHaveLength(1);
  });
});
