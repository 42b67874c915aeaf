import { createServer as createHttpsServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/app-client/ports.ts";
import type { ConfigInput, WebhookResult } from "../../src/index.ts";
import type { Simulator } from "../../src/simulator.ts";
import { type AttemptOutcome, attemptOutcomes } from "../../src/webhook/webhook-result.ts";
import {
  type CallHandler,
  type FakeApp,
  manifestOf,
  startFakeApp,
  startSilentPort,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { faults } from "../rig/faults.ts";
import { selfSigned } from "../rig/self-signed.ts";
import { assemble, exchangesOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";
import { sound } from "./hostile-answer.ts";
import { hostileHttp } from "./hostile-http.ts";

// R40 on the webhook path: every fault of R2 to R18, and of S16 to S20, ends each attempt with exactly one named outcome.

const LIMIT_MS = 300;
const choices = { "webhook.retries": 1, "webhook.backoff": 0, "webhook.timeout": LIMIT_MS } as const;
const acknowledges: CallHandler = (call) => call.send("", { status: 204 });

interface WebhookFault {
  readonly name: string;
  readonly play: CallHandler;
  readonly outcome: AttemptOutcome;
  /** It never ends by itself. */
  readonly isEndless: boolean;
}

/** What the status alone says, of faults that are whole answers; the body of an answer to a webhook decides nothing. */
const answered: Readonly<Record<string, AttemptOutcome>> = {
  "R11: has the status 999": "unexpected-status",
  "R13: redirects": "redirected",
  "R13: redirects to itself": "redirected",
  "answers 401": "refused",
  "answers 403 and says why": "refused",
  "answers 404": "refused",
  "answers 500": "server-error",
};

const webhookFaults: readonly WebhookFault[] = [
  ...faults.map(({ name, play, outcome, failure }) => ({
    name,
    play,
    outcome: outcome === "answered" ? (answered[name] ?? "acknowledged") : outcome,
    isEndless: failure === "timed-out",
  })),
  ...hostileHttp
    .filter(({ name }) => !faults.some((fault) => fault.name === name))
    .map(({ name, play, ends, isEndless = false }) => {
      const outcome = ends.answer?.outcome ?? "answered";
      return {
        name,
        play: (call: Parameters<CallHandler>[0]) => play(call, sound.answer),
        outcome: outcome === "answered" ? (answered[name] ?? "acknowledged") : outcome,
        isEndless,
      };
    }),
].sort((one, other) => one.name.localeCompare(other.name, "en"));

let directory: TempDir;
let manifest: string;
beforeAll(() => {
  directory = makeTempDir();
  manifest = directory.write("manifest.json", manifestOf({ webhooks: [webhookEntry("webhook")] }));
});
afterAll(() => directory[Symbol.dispose]());

const simulatorFor = (url: string, more: Partial<ConfigInput["choices"]> = {}) =>
  assemble({ app: { url, manifest }, choices: { ...choices, ...more } });

/** The attempts of the one delivery, after a look at what has to be so of any. */
function attemptsOf(sim: Simulator, { deliveries, summary }: WebhookResult) {
  const [delivery, ...others] = deliveries;
  if (delivery === undefined || others.length > 0) throw new Error(`${deliveries.length} deliveries, not one`);
  const { id, attempts } = delivery;
  const exchanges = exchangesOf(sim, "webhook");
  expect(exchanges.map((exchange) => exchange.delivery)).toEqual(attempts.map((_, at) => ({ id, attempt: at + 1 })));
  expect(attempts.map(({ exchange }) => exchange)).toEqual(exchanges.map((exchange) => exchange.id));
  expect(summary.attempts).toBe(attempts.length);
  for (const { outcome, reason, failure, ms } of attempts) {
    expect(attemptOutcomes).toContain(outcome);
    if (outcome === "acknowledged") expect([reason, failure]).toEqual([null, null]);
    else {
      expect(reason).toMatch(/^[^\p{Cc}\p{Cf}]{3,300}$/u);
      expect(failure).toBe(reason?.includes("expects TLS") === true ? "unreachable" : failureOf(outcome));
    }
    expect(ms).toBeLessThan(30_000);
  }
  return attempts;
}

function failureOf(outcome: AttemptOutcome): string {
  if (outcome === "unreachable" || outcome === "tls-failed") return "unreachable";
  return outcome === "timed-out" ? "timed-out" : "other";
}

describe.each(webhookFaults)("an app that $name", ({ play, outcome, isEndless }) => {
  // What ends by itself has all the time that it takes on a busy machine.
  const patient = isEndless ? {} : { "webhook.timeout": 30_000 };

  it(`ends each attempt as ${outcome}`, async () => {
    await using app = await startFakeApp();
    app.answer(play);
    const sim = await simulatorFor(app.url, patient);
    const result = await sim.webhook("project.approved");
    const attempts = attemptsOf(sim, result);
    const isTaken = outcome === "acknowledged";
    expect(attempts.map((attempt) => attempt.outcome)).toEqual(isTaken ? [outcome] : [outcome, outcome]);
    expect(result.outcome).toBe(isTaken ? "acknowledged" : "failed");
    expect([result.reason, result.failure]).toEqual([attempts.at(-1)?.reason, attempts.at(-1)?.failure]);
    expect(app.calls).toHaveLength(attempts.length);
    if (isEndless) for (const { ms } of attempts) expect(ms).toBeLessThan(LIMIT_MS + 1000);
  });

  it("and then acknowledges is acknowledged", async () => {
    await using app = await startFakeApp();
    app.answer((call) => (app.calls.length === 1 ? play(call) : acknowledges(call)));
    const sim = await simulatorFor(app.url, patient);
    const result = await sim.webhook("project.approved");
    const outcomes = attemptsOf(sim, result).map((attempt) => attempt.outcome);
    expect(outcomes).toEqual(outcome === "acknowledged" ? [outcome] : [outcome, "acknowledged"]);
    expect(result).toMatchObject({ outcome: "acknowledged", reason: null, failure: null });
    const [first, second] = app.calls;
    if (second !== undefined) expect(second.body).toEqual(first?.body);
  });

  it("under load has the same name", async () => {
    await using app = await startFakeApp();
    app.answer(play);
    const sim = await simulatorFor(app.url, patient);
    const { acknowledged, errors } = await sim.load("project.approved", { count: 1, concurrency: 1 });
    if (outcome === "acknowledged") expect([acknowledged, errors]).toEqual([1, []]);
    else expect(errors).toMatchObject([{ kind: outcome, count: 1, failure: failureOf(outcome) }]);
  });
});

describe("an app that cannot be reached", () => {
  /** Listens with TLS, and with a certificate that nobody trusts. */
  async function startTls(): Promise<Server> {
    const server = createHttpsServer(selfSigned(), (_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  async function outcomesAt(url: string) {
    const sim = await simulatorFor(url, { "webhook.timeout": 10_000 });
    const result = await sim.webhook("project.approved");
    const attempts = attemptsOf(sim, result);
    expect(attempts).toHaveLength(2);
    expect(attempts[1]).toMatchObject({ outcome: attempts[0]?.outcome, reason: attempts[0]?.reason });
    // A load tries a connection first: where there is none, nothing is sent, and why is the same.
    const load = await sim.load("project.approved", { count: 1, concurrency: 1 });
    const { failure: loadFailure, errors, sent, reason } = load;
    const told = sent === 0 ? { kind: attempts[0]?.outcome, failure: loadFailure, reason } : errors[0];
    // A load does not find out whether a server expects TLS.
    const isTls = / expects TLS, /.test(attempts[0]?.reason ?? "");
    expect(told).toMatchObject({
      kind: attempts[0]?.outcome,
      failure: isTls ? "other" : attempts[0]?.failure,
      reason: isTls ? expect.any(String) : attempts[0]?.reason,
    });
    const { outcome, failure } = result;
    return { outcome, failure, attempt: attempts[0] };
  }

  it("R2: nothing listens", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}`;
    expect(await outcomesAt(url)).toMatchObject({
      outcome: "failed",
      failure: "unreachable",
      attempt: { outcome: "unreachable", reason: `nothing listens at ${url}`, status: null },
    });
  });

  it("R2: there is no such name", async () => {
    const { attempt } = await outcomesAt("http://does-not-exist.invalid:3000");
    expect(attempt).toMatchObject({ outcome: "unreachable", failure: "unreachable" });
  });

  it("R3: it listens only on the other address family, and the hint says so", async () => {
    await using app = await startFakeApp({ host: "::1" });
    const { attempt } = await outcomesAt(`http://127.0.0.1:${app.port}`);
    expect(attempt).toMatchObject({ outcome: "unreachable" });
    expect(`${attempt?.reason} ${attempt?.hint}`).toContain(`[::1]:${app.port}`);
    expect(app.calls).toEqual([]);
  });

  it("R6: it accepts connections, and no more", async () => {
    await using port = await startSilentPort();
    const sim = await simulatorFor(port.url);
    const attempts = attemptsOf(sim, await sim.webhook("project.approved"));
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["timed-out", "timed-out"]);
  });

  it("R8: it speaks TLS, but the URL has http", async () => {
    const server = await startTls();
    const { port } = server.address() as AddressInfo;
    const { attempt } = await outcomesAt(`http://127.0.0.1:${port}`);
    server.close();
    expect(["not-http", "disconnected"]).toContain(attempt?.outcome);
    expect(attempt?.hint).toContain("https");
  });

  it("R8: it speaks HTTP, but the URL has https", async () => {
    await using app = await startFakeApp();
    app.answer(acknowledges);
    const { attempt } = await outcomesAt(app.url.replace("http:", "https:"));
    expect(attempt).toMatchObject({ outcome: "tls-failed", failure: "unreachable" });
  });

  it("S22: its certificate is not trusted", async () => {
    const server = await startTls();
    const { port } = server.address() as AddressInfo;
    const { attempt } = await outcomesAt(`https://127.0.0.1:${port}`);
    server.close();
    expect(attempt).toMatchObject({ outcome: "tls-failed", failure: "unreachable" });
  });
});

it("R4: an app that restarts between two attempts gets the same bytes", async () => {
  const port = await unusedPort();
  let app: FakeApp | null = null;
  const clock = {
    ...systemClock,
    async pause() {
      app = await startFakeApp({ port });
      app.answer(acknowledges);
    },
  };
  const sim = await assemble({ app: { url: `http://127.0.0.1:${port}`, manifest }, choices }, { clock });
  const result = await sim.webhook("project.approved");
  expect(attemptsOf(sim, result).map(({ outcome }) => outcome)).toEqual(["unreachable", "acknowledged"]);
  const [first, second] = exchangesOf(sim, "webhook");
  expect(second?.request).toEqual(first?.request);
  await (app as FakeApp | null)?.close();
});

it("an interruption ends the current attempt, and makes no other", async () => {
  await using app = await startFakeApp();
  const interruption = new AbortController();
  app.answer(() => interruption.abort());
  const sim = await assemble({ app: { url: app.url, manifest }, choices }, { signal: interruption.signal });
  const result = await sim.webhook("project.approved");
  expect(result).toMatchObject({ outcome: "failed", reason: "interrupted", failure: "interrupted" });
  expect(result.deliveries[0]?.attempts).toMatchObject([{ outcome: "interrupted", failure: "interrupted" }]);
  expect(exchangesOf(sim, "webhook")).toMatchObject([{ outcome: { kind: "interrupted" }, delivery: { attempt: 1 } }]);
});

it("of every named outcome but `cut-off`, which a webhook cannot end with, there is a test", () => {
  const tested = [...webhookFaults.map(({ outcome }) => outcome), "unreachable", "tls-failed", "interrupted"];
  expect(new Set(tested)).toEqual(new Set(attemptOutcomes.filter((outcome) => outcome !== "cut-off")));
});
