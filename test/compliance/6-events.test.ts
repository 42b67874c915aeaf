import { describe, expect, it } from "vitest";
import type { SimulatorOptions } from "../../src/index.ts";
import type { WebhookOptions } from "../../src/webhook/webhook-options.ts";
import { steeredClock } from "../rig/clock.ts";
import { type AppCall, type CallHandler, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { assemble, exchangesOf, onlyCall, startSimulation } from "../rig/simulation.ts";

// Interface 6: events; with 2.1 (webhook entry), 4.2 and 7 as far as they speak of them.

const both = ["project.translated", "project.approved"];
const serves = manifestOf({ webhooks: [webhookEntry("events")] });
const acknowledges: CallHandler = (call) => call.send("");

function namesIn(call: AppCall): string[] {
  return (call.json() as { events: { event: string }[] }).events.map(({ event }) => event);
}

describe("6 a webhook module", () => {
  it("gets the events that its `events` name at its url, by POST, and no others", async () => {
    const webhooks = [
      webhookEntry("both"),
      webhookEntry("approved", ["project.approved"]),
      webhookEntry("translated", ["project.translated", "file.added"]),
      webhookEntry("files", ["file.added"]),
    ];
    await using run = await startSimulation({ serves: manifestOf({ webhooks }), answer: acknowledges });
    await run.sim.webhook(both, { count: 2 });
    const got = run.app.calls.map((call) => [call.method, call.path, call.header("x-module-key"), namesIn(call)]);
    expect(got).toEqual([
      ["POST", "/both", "both", [...both, ...both]],
      ["POST", "/approved", "approved", ["project.approved", "project.approved"]],
      ["POST", "/translated", "translated", ["project.translated", "project.translated"]],
    ]);
  });

  it.each([
    [undefined, "standard", true],
    [undefined, "enterprise", true],
    [["platform"], "standard", true],
    [["platform"], "enterprise", false],
    [["platform-enterprise"], "standard", false],
    [["platform-enterprise"], "enterprise", true],
    [["platform", "platform-enterprise"], "standard", true],
    [["platform", "platform-enterprise"], "enterprise", true],
  ] as const)("2.1 environments %j in the edition %s: gets events is %s", async (environments, edition, gets) => {
    const entry = { ...webhookEntry("events"), ...(environments === undefined ? {} : { environments }) };
    await using run = await startSimulation({
      serves: manifestOf({ webhooks: [entry] }),
      answer: acknowledges,
      organization: { edition },
    });
    const { outcome } = await run.sim.webhook("project.approved");
    expect([outcome, run.app.calls.length]).toEqual(gets ? ["acknowledged", 1] : ["no-module", 0]);
  });
});

describe("6.1 a request", () => {
  it("can have one event or several, as many as the choice webhook.batch.events or the option says", async () => {
    const choices = { "webhook.batch.events": 3 } as const;
    await using run = await startSimulation({ serves, answer: acknowledges, choices });
    await run.sim.webhook("project.approved", { count: 7 });
    await run.sim.webhook("project.approved", { count: 2, batch: 1 });
    expect(run.app.calls.map((call) => namesIn(call).length)).toEqual([3, 3, 1, 1, 1]);
  });

  it("is no larger than the choice webhook.batch.bytes", async () => {
    const choices = { "webhook.batch.bytes": 1024 } as const;
    await using run = await startSimulation({ serves, answer: acknowledges, choices });
    const { summary } = await run.sim.webhook("project.approved", { count: 40 });
    expect(summary.events).toBe(40);
    expect(run.app.calls.length).toBeGreaterThan(1);
    for (const call of run.app.calls) expect(call.body.length).toBeLessThanOrEqual(1024);
    expect(run.app.calls.flatMap(namesIn)).toHaveLength(40);
  });
});

describe("6.2, 6.3 an event", () => {
  it.each(both)("%s has the fields event, project and targetLanguage, and no others", async (name) => {
    await using run = await startSimulation({ serves, answer: acknowledges });
    await run.sim.webhook(name);
    const { events } = onlyCall(run.app).json() as { events: object[] };
    expect(events.map((event) => Object.keys(event))).toEqual([["event", "project", "targetLanguage"]]);
  });

  it("may have a name that the interface does not show", async () => {
    const named = manifestOf({ webhooks: [webhookEntry("files", ["file.added"])] });
    await using run = await startSimulation({ serves: named, answer: acknowledges });
    const result = await run.sim.webhook("file.added");
    expect(result.outcome).toBe("acknowledged");
    expect(onlyCall(run.app).json()).toMatchObject({ events: [{ event: "file.added", project: { id: "501" } }] });
  });
});

describe("6.5, 4.2 any 2XX status acknowledges", () => {
  const outcomeOf = async (answer: CallHandler) => {
    await using run = await startSimulation({ serves, answer });
    const { outcome, deliveries, choices } = await run.sim.webhook("project.approved");
    const [attempt] = deliveries[0]?.attempts ?? [];
    return { outcome, attempt: attempt?.outcome, status: attempt?.status, choices };
  };

  it.each([200, 201, 202, 203, 204, 205, 206, 207, 226, 250, 299])("%d", async (status) => {
    const shown = await outcomeOf((call) => call.send("", { status }));
    expect(shown).toMatchObject({ outcome: "acknowledged", attempt: "acknowledged", status });
  });

  it.each([
    [300, "redirected"],
    [301, "redirected"],
    [302, "redirected"],
    [303, "redirected"],
    [304, "unexpected-status"],
    [307, "redirected"],
    [308, "redirected"],
    [399, "redirected"],
    [400, "refused"],
    [401, "refused"],
    [403, "refused"],
    [404, "refused"],
    [405, "refused"],
    [410, "refused"],
    [413, "refused"],
    [418, "refused"],
    [422, "refused"],
    [429, "refused"],
    [499, "refused"],
    [500, "server-error"],
    [502, "server-error"],
    [503, "server-error"],
    [504, "server-error"],
    [599, "server-error"],
    [600, "unexpected-status"],
    [999, "unexpected-status"],
  ] as const)("%d does not: %s", async (status, attempt) => {
    const headers = status < 400 ? { location: "/elsewhere" } : {};
    const shown = await outcomeOf((call) => call.send("", { status, headers }));
    expect(shown).toMatchObject({ outcome: "failed", attempt, status });
  });

  it("an informational status is not an answer", async () => {
    const shown = await outcomeOf((call) => call.raw("HTTP/1.1 199 Miscellaneous\r\n\r\n"));
    expect(shown).toMatchObject({ outcome: "failed", attempt: "disconnected", status: null });
  });

  it("one before the answer changes nothing", async () => {
    const shown = await outcomeOf((call) => {
      call.raw("HTTP/1.1 103 Early Hints\r\n\r\n", { end: false });
      call.raw("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
    });
    expect(shown).toMatchObject({ outcome: "acknowledged", status: 202 });
  });
});

describe("6.4, 7 a delivery that is not acknowledged", () => {
  interface Retrying {
    readonly choices?: NonNullable<SimulatorOptions["choices"]>;
    readonly options?: WebhookOptions;
    readonly answer?: CallHandler;
  }
  const start = Date.UTC(2031, 4, 6, 7, 8, 9);

  /** What comes of a delivery, and the pauses between its attempts in milliseconds of a clock that they turn. */
  async function retried({ choices = {}, options = {}, answer = (call) => call.send("", { status: 503 }) }: Retrying) {
    await using app = await startFakeApp({ manifest: serves });
    app.answer(answer);
    const steered = steeredClock(start);
    const pauses: number[] = [];
    const clock = {
      ...steered,
      async pause(milliseconds: number) {
        pauses.push(milliseconds);
        steered.advance(milliseconds);
      },
    };
    const sim = await assemble({ app: { url: app.url }, choices: { "webhook.jitter": 0, ...choices } }, { clock });
    const result = await sim.webhook("project.approved", options);
    const attempts = result.deliveries.flatMap((delivery) => delivery.attempts);
    return { result, attempts, pauses, calls: app.calls, exchanges: exchangesOf(sim, "webhook") };
  }

  it("is tried once by default", async () => {
    const { attempts, pauses, result } = await retried({});
    expect([attempts.length, pauses]).toEqual([1, []]);
    expect(result).toMatchObject({ outcome: "failed", choices: expect.arrayContaining(["webhook.retries"]) });
  });

  it("is tried again if the choice webhook.retries says so, after doubling pauses", async () => {
    const { pauses, calls } = await retried({ choices: { "webhook.retries": 5, "webhook.backoff": 250 } });
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000]);
    expect(new Set(calls.map(({ body }) => body.toString()))).toHaveLength(1);
  });

  it("is not tried again once it is acknowledged", async () => {
    let left = 2;
    const { result, pauses } = await retried({
      choices: { "webhook.retries": 5 },
      answer(call) {
        left -= 1;
        call.send("", { status: left < 0 ? 200 : 500 });
      },
    });
    expect([result.outcome, pauses]).toEqual(["acknowledged", [1000, 2000]]);
  });

  it("has pauses varied by the choice webhook.jitter, the same for the same seed", async () => {
    const choices = { "webhook.retries": 5, "webhook.jitter": 0.2 } as const;
    const { pauses } = await retried({ choices, options: { seed: 7 } });
    for (const [index, pause] of pauses.entries()) {
      const doubled = 1000 * 2 ** index;
      expect(pause).toBeGreaterThanOrEqual(doubled * 0.8);
      expect(pause).toBeLessThanOrEqual(doubled * 1.2);
      expect(pause).not.toBe(doubled);
    }
    expect((await retried({ choices, options: { seed: 7 } })).pauses).toEqual(pauses);
    expect((await retried({ choices, options: { seed: 8 } })).pauses).not.toEqual(pauses);
  });

  describe("and a Retry-After", () => {
    const asking = (value: string): CallHandler => {
      return (call) => call.send("", { status: 429, headers: { "retry-after": value } });
    };
    const choices = { "webhook.retries": 1 } as const;

    it("is shown, and changes nothing by default", async () => {
      const { attempts, pauses } = await retried({ choices, answer: asking("120") });
      expect(attempts.map(({ retryAfter }) => retryAfter)).toEqual(["120", "120"]);
      expect(pauses).toEqual([1000]);
    });

    it.each([
      ["seconds", "120", 120_000],
      ["a date", new Date(start + 90_000).toUTCString(), 90_000],
      ["a date that is over", new Date(start - 90_000).toUTCString(), 1000],
      ["less than the pause", "0", 1000],
      ["more than ten minutes", "86400", 600_000],
      ["what is neither", "soon", 1000],
    ])("is obeyed if the choice webhook.retryAfter says so: %s", async (_, value, pause) => {
      const obeying = { ...choices, "webhook.retryAfter": "obeyed" } as const;
      const { pauses, result } = await retried({ choices: obeying, answer: asking(value) });
      expect(pauses).toEqual([pause]);
      expect(result.choices).toContain("webhook.retryAfter");
    });
  });

  it("keeps its id over attempts and duplicates, and shares it with no other", async () => {
    const { result, calls, exchanges } = await retried({
      choices: { "webhook.retries": 1, "webhook.delivery.header": "X-Delivery", "webhook.batch.events": 1 },
      options: { count: 2, duplicate: 1 },
    });
    const ids = result.deliveries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(result.deliveries.map(({ copy }) => copy)).toEqual([0, 1, 0, 1]);
    expect(calls.map((call) => call.header("x-delivery"))).toEqual(ids.flatMap((id) => [id, id]));
    expect(exchanges.map(({ delivery }) => delivery)).toEqual(
      ids.flatMap((id) => [
        { id, attempt: 1 },
        { id, attempt: 2 },
      ]),
    );
    const bodies = new Map(calls.map((call) => [call.header("x-delivery"), call.body.toString()]));
    for (const call of calls) expect(call.body.toString()).toBe(bodies.get(call.header("x-delivery")));
  });

  it("is sent in order, one at a time for each module", async () => {
    let underWay = 0;
    let most = 0;
    const { calls } = await retried({
      choices: { "webhook.batch.events": 1 },
      options: { count: 4, set: [0, 1, 2, 3].map((at) => `events[${at}].project.id=${at}`) },
      async answer(call) {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        call.send("");
      },
    });
    expect(
      calls.map((call) => (call.json() as { events: { project: { id: string } }[] }).events[0]?.project.id),
    ).toEqual(["0", "1", "2", "3"]);
    expect(most).toBe(1);
  });
});
