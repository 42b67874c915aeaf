import { describe, expect, it } from "vitest";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { type Simulation, startSimulation } from "../rig/simulation.ts";
import { type Answered, ask, logIn, loginAt, pageOnce, pageWhen, textOf, titleOf } from "./visitor.ts";

const guards = [guardEntry("terms", { type: "redirect", url: "/terms?lang=en" })];

/** An app that wants its user at the page first, and says in the final call what `final` is. */
function startApp(final: unknown = { success: true }): Promise<Simulation> {
  return startSimulation({
    serves: manifestOf({ guards }),
    answer: (call) => call.reply("code" in (call.json() as object) ? final : { success: false }),
  });
}

/** The page of a login that has come to the guard, as the 302 that it is then. */
async function sentAway(run: Simulation): Promise<{ readonly page: Answered; readonly query: URLSearchParams }> {
  const { url } = await logIn(run.sim);
  const page = await pageOnce(run.sim, url, ({ status }) => status === 302);
  return { page, query: new URL(page.headers.location ?? "").searchParams };
}

/** The platform's callback, as an app sends a browser there. */
function callback({ sim }: Simulation, query: string | Record<string, string>, domain = "acme"): Promise<Answered> {
  const text = typeof query === "string" ? query : new URLSearchParams(query).toString();
  return ask(`${sim.url}/${domain}/guard/callback?${text}`);
}

describe("3.1: a redirect guard", () => {
  it("sends the browser with 302 to options.url with jwtToken and state, as often as the page is loaded", async () => {
    await using run = await startApp();
    const { page, query } = await sentAway(run);
    const location = page.headers.location ?? "";
    expect(location.startsWith(`${run.app.url}/terms?lang=en&jwtToken=`)).toBe(true);
    expect([...query.keys()]).toEqual(["lang", "jwtToken", "state"]);
    expect(query.get("jwtToken")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(query.get("state")).toMatch(/^[\w-]{43}$/);
    const again = new URL((await ask(page.url)).headers.location ?? "").searchParams;
    expect(again.get("state")).toBe(query.get("state"));
  });

  it("with a code goes on to the final call, and 303 to the page of the login", async () => {
    await using run = await startApp();
    const { page, query } = await sentAway(run);
    const back = await callback(run, { state: query.get("state") ?? "", code: "a code & more" });
    expect([back.status, back.headers.location]).toEqual([303, new URL(page.url).pathname]);
    await pageWhen(run.sim, page.url, "Access granted");
    expect(run.app.calls.map((call) => (call.json() as { code?: string }).code)).toEqual([undefined, "a code & more"]);
  });

  it("with an error denies access, and shows the app's text", async () => {
    await using run = await startApp();
    const { page, query } = await sentAway(run);
    const error = "Déclined – </script><img src=x onerror=alert(1)>";
    await callback(run, { state: query.get("state") ?? "", error });
    const end = await pageWhen(run.sim, page.url, "Access denied");
    expect(textOf(end)).toContain(error);
    expect(end.body).not.toContain("<img");
    expect(run.app.calls).toHaveLength(1);
  });

  it("is denied if the final call is, with the app's message", async () => {
    await using run = await startApp({ success: false, message: "That code is old." });
    const { page, query } = await sentAway(run);
    await callback(run, { state: query.get("state") ?? "", code: "c" });
    const end = textOf(await pageWhen(run.sim, page.url, "Access denied"));
    expect(end).toContain("That code is old.");
    expect(end).toContain('in the page\'s token a string, sub: "104"; in the final call a number, userId: 104');
    expect(end).toContain("The final call also has another token, and no cookies");
  });
});

describe("4.1, R35: a callback that is not accepted", () => {
  const refused: [what: string, query: (state: string) => string, status: number, says: string][] = [
    ["no query", () => "", 400, "The callback has no state."],
    ["an empty state", () => "state=&code=c", 400, "The callback has no state."],
    ["two states", (state) => `state=${state}&state=${state}&code=c`, 400, "more than one state"],
    ["a made-up state", () => "state=made-up&code=c", 400, "was not issued by this platform"],
    ["a state of 15,000 characters", () => `state=${"s".repeat(15_000)}&code=c`, 400, "was not issued"],
    ["a state array", (state) => `state[]=${state}&code=c`, 400, "The callback has no state."],
    ["neither code nor error", (state) => `state=${state}`, 400, "neither a code nor an error"],
    ["an empty code", (state) => `state=${state}&code=`, 400, "neither a code nor an error"],
    ["code and error", (state) => `state=${state}&code=c&error=e`, 400, "both a code and an error"],
    ["two codes", (state) => `state=${state}&code=c&code=d`, 400, "more than one code or error"],
    ["two errors", (state) => `state=${state}&error=c&error=d`, 400, "more than one code or error"],
    ["a cut escape", (state) => `state=${state}&code=%E0%A4%A`, 400, "not percent-encoded UTF-8"],
    ["bytes that are not UTF-8", (state) => `state=${state}&error=%ff`, 400, "not percent-encoded UTF-8"],
    ["markup", () => "state=<script>alert(1)</script>&code=c", 400, "was not issued by this platform"],
  ];

  it.each(refused)("%s", async (_, query, status, says) => {
    await using run = await startApp();
    const { page: waiting, query: sent } = await sentAway(run);
    const state = sent.get("state") ?? "";
    const page = await callback(run, query(state));
    expect([page.status, titleOf(page)]).toEqual([status, "This callback was not accepted"]);
    expect(textOf(page)).toContain(says);
    expect(textOf(page)).toContain("Hint: ");
    expect(page.body).not.toContain("alert(1)");
    // The login waits on: a right callback still works.
    await callback(run, { state, code: "c" });
    await pageWhen(run.sim, waiting.url, "Access granted");
    expect(run.app.calls).toHaveLength(2);
  });

  it("the domain of another organization", async () => {
    await using run = await startApp();
    const { query } = await sentAway(run);
    const page = await callback(run, { state: query.get("state") ?? "", code: "c" }, "beta");
    expect(page.status).toBe(404);
    expect(textOf(page)).toContain("belongs to a login of another organization");
    expect(run.app.calls).toHaveLength(1);
  });

  it("a state that was used, whatever comes with it: one return, one final call", async () => {
    await using run = await startApp();
    const { page, query } = await sentAway(run);
    const state = query.get("state") ?? "";
    const [first, second] = await Promise.all([
      callback(run, { state, code: "c" }),
      callback(run, { state, code: "c" }),
    ]);
    expect([first.status, second.status].sort()).toEqual([303, 409]);
    await pageWhen(run.sim, page.url, "Access granted");
    const late = await callback(run, { state, error: "changed my mind" });
    expect([late.status, textOf(late).includes("has already been used")]).toEqual([409, true]);
    expect(titleOf(await ask(page.url))).toBe("Access granted");
    expect(run.app.calls).toHaveLength(2);
  });

  it("a state that has expired", async () => {
    await using run = await startApp();
    const { page, query } = await sentAway(run);
    loginAt(run.sim, page.url).leave({ reason: "the time is over", hint: null, failure: null });
    const late = await callback(run, { state: query.get("state") ?? "", code: "c" });
    expect([late.status, textOf(late).includes("has expired")]).toEqual([410, true]);
    expect(titleOf(await ask(page.url))).toBe("Login not completed");
  });

  it("is JSON for a program", async () => {
    await using run = await startApp();
    const headers = { accept: "application/json" };
    const answered = await ask(`${run.sim.url}/acme/guard/callback`, { headers });
    expect(answered.headers["content-type"]).toContain("application/json");
    expect(JSON.parse(answered.body).error).toEqual({
      code: 400,
      message: "This callback was not accepted: The callback has no state.",
      hint: expect.stringContaining("interface 4.2"),
    });
  });

  it.each(["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])(
    "%s is not a callback: 405, and the state stays valid",
    async (method) => {
      await using run = await startApp();
      const { page, query } = await sentAway(run);
      const url = `${run.sim.url}/acme/guard/callback?state=${query.get("state")}&code=c`;
      const answered = await ask(url, { method });
      expect([answered.status, answered.headers.allow]).toEqual([405, "GET"]);
      await ask(url);
      await pageWhen(run.sim, page.url, "Access granted");
    },
  );

  it("is an unreadable request if its query is longer than a header may be", async () => {
    await using run = await startApp();
    expect((await callback(run, `state=${"s".repeat(17_000)}&code=c`)).status).toBe(431);
    expect((await callback(run, "state=s&code=c", "%zz")).status).toBe(400);
    expect((await ask(run.sim.url)).status).toBe(200);
  });
});
