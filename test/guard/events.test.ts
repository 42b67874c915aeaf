import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { LiveState } from "../../src/login-pages/login-page.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { awaitPage } from "../rig/logins.ts";
import { startServer } from "../rig/server.ts";
import { always, startSimulation } from "../rig/simulation.ts";
import { ask, begin, logIn, loginAt, pageOf, pageWhen, submit } from "./visitor.ts";

const serves = manifestOf({ guards: [guardEntry("office")] });
const login = { mfa: true };

/** The events of a stream as they come; the end of the stream ends them. */
async function* eventsOf(stream: IncomingMessage): AsyncGenerator<LiveState> {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield JSON.parse(part.replace(/^data: /, ""));
  }
}

async function next(events: AsyncGenerator<LiveState>): Promise<LiveState | null> {
  const { value, done } = await events.next();
  return done ? null : value;
}

describe("the events of a login", () => {
  it("name its page immediately and after each change, and end with the login", async () => {
    await using run = await startSimulation({ serves, login });
    const page = await logIn(run.sim);
    const shown = pageOf(page)("main").attr("data-page");
    const stream = await begin(`${page.url}/events`);
    expect(stream.headers["content-type"]).toBe("text/event-stream");
    const events = eventsOf(stream);
    expect((await next(events))?.page).toBe(shown);
    const wrong = await submit(page, { code: "wrong" });
    const second = (await next(events))?.page;
    expect(second).toBe(pageOf(wrong)("main").attr("data-page"));
    expect(second).not.toBe(shown);
    // As the terminal does it.
    const session = loginAt(run.sim, page.url);
    session.enter({ stage: "mfa", code: session.authenticator().code });
    const third = (await next(events))?.page;
    expect(third).toBe(pageOf(await ask(page.url))("main").attr("data-page"));
    (await run.app.nextCall()).reply({ success: true });
    expect((await next(events))?.page).toBe("ended granted");
    expect(await next(events)).toBeNull();
  });

  it("are the same for every page that is open", async () => {
    await using run = await startSimulation({ serves, login, answer: always({ success: true }) });
    const page = await logIn(run.sim);
    const tabs = await Promise.all([1, 2, 3].map(async () => eventsOf(await begin(`${page.url}/events`))));
    for (const tab of tabs) await next(tab);
    await submit(page, { code: "wrong" });
    const pages = await Promise.all(tabs.map(async (tab) => (await next(tab))?.page));
    expect(new Set(pages).size).toBe(1);
  });

  it("are 204 when the login is over, so that a browser does not ask again", async () => {
    await using run = await startSimulation({ serves, answer: always({ success: true }) });
    const page = await pageWhen(run.sim, (await logIn(run.sim)).url, "Access granted");
    const answered = await ask(`${page.url}/events`);
    expect([answered.status, answered.body]).toEqual([204, ""]);
  });

  it("say what is wrong with the page in a frame, made harmless", async () => {
    const guards = [guardEntry("presence", { type: "frame", url: "/page" })];
    await using run = await startSimulation({
      serves: manifestOf({ guards }),
      answer: always({ success: false }),
    });
    const { url } = await logIn(run.sim);
    const session = loginAt(run.sim, url);
    const interaction = await awaitPage(session);
    const events = eventsOf(await begin(`${url}/events`));
    const first = await next(events);
    interaction.report({ reason: "it says \u202e\u001b app-sim-app-secret", hint: null });
    const second = await next(events);
    expect(second).toEqual({ ...first, troubles: [{ reason: "it says <U+202E>␛ ‹redacted›", hint: null }] });
  });

  it("are no longer sent when the page is gone", async () => {
    await using run = await startSimulation({ serves, login });
    const { url } = await logIn(run.sim);
    const session = loginAt(run.sim, url);
    let gone = () => {};
    const hasGone = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const subscribe = session.subscribe.bind(session);
    session.subscribe = (listener) => {
      const leave = subscribe(listener);
      return () => {
        leave();
        gone();
      };
    };
    const server = await startServer(run.sim);
    const stream = await begin(`${server.url}${new URL(url).pathname}/events`);
    await next(eventsOf(stream));
    stream.destroy();
    await hasGone;
    await server.close();
  });

  it("do not keep the platform from closing, and end when it does", async () => {
    await using run = await startSimulation({ serves, login });
    const { url } = await logIn(run.sim);
    const stream = await begin(`${url}/events`);
    const ended = new Promise((resolve) => stream.once("close", resolve));
    stream.resume();
    await run.sim.close();
    await ended;
  });

  it("refuse other methods", async () => {
    await using run = await startSimulation({ serves, login });
    const page = await logIn(run.sim);
    for (const method of ["HEAD", "POST", "OPTIONS"]) {
      const { status, headers } = await ask(`${page.url}/events`, { method });
      expect([status, headers.allow]).toEqual([405, "GET"]);
    }
  });
});
