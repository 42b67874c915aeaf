import { expect, test } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { type AppAnswer, type AppCall, type AppGateway, type Clock, systemClock } from "../../src/app-client/ports.ts";
import type { VerifyOptions } from "../../src/index.ts";
import type { CheckEvent } from "../../src/verify/check-event.ts";
import { afterEvent, startOfLive } from "../../src/verify/live/live-state.ts";
import { assemble } from "../rig/simulation.ts";
import { type Edit, type EditedApp, startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

const SLOW_MS = 300;

/** What a slow app does otherwise than the edited one. */
interface Slow {
  /** How many milliseconds it seems to take for an answer. */
  readonly answerMs?: (callsAtOnce: number) => number;
  /** What it answers instead of its own answer; default that. */
  readonly instead?: (call: AppCall, answer: AppAnswer, callsAtOnce: number) => AppAnswer;
  readonly pause?: Clock["pause"];
}

/** The real gateway to a slow app. */
function slowGateway({ answerMs = () => SLOW_MS, instead = (_, answer) => answer }: Slow): AppGateway {
  const gateway = createAppGateway(systemClock);
  let atOnce = 0;
  return {
    async call(call) {
      atOnce += 1;
      const callsAtOnce = atOnce;
      const answer = await gateway.call(call);
      atOnce -= 1;
      const timings = { ...answer.timings, totalMs: answerMs(callsAtOnce) };
      return instead(call, { ...answer, timings }, callsAtOnce);
    },
  };
}

/** Verifies an app through a gateway. */
async function verifySlow({ sim: { config, url } }: EditedApp, options: VerifyOptions, slow: Slow = {}) {
  const [app] = config.apps;
  // The time that an answer really takes depends on what else this machine does.
  const clock = { ...systemClock, monotonic: () => 0, pause: slow.pause ?? systemClock.pause };
  const sim = await assemble({ app: app ?? {} }, { gateway: slowGateway(slow), clock, baseUrl: () => url });
  const { checks } = await sim.verify(options);
  const sent = sim.journal.list().flatMap((record) => (record.type === "exchange" ? (record.check ?? []) : []));
  const lanesOf = (subject: string) =>
    new Set(sent.flatMap((tag) => (tag.subject === subject && tag.lane !== undefined ? [tag.lane] : []))).size;
  return { checks: checks.map(({ id, module, result }) => `${id} ${module} ${result}`), sent, lanesOf };
}

function editsOf(list: readonly { readonly id: string; readonly edits: readonly Edit[] }[], wanted: string): Edit[] {
  const found = list.find(({ id }) => id === wanted);
  if (found === undefined) throw new Error(`no ${wanted}`);
  return [...found.edits];
}

const tokens = {
  only: [
    ...["missing", "expired", "alg-none", "signature-empty"].map((name) => `guard.token.${name}`),
    ...["unknown", "empty", "cut", "longer"].map((name) => `guard.final.code.${name}`),
  ],
  modules: ["terms"],
};
const codes = { only: ["guard.final.code"], modules: ["terms"] };

test("checks of a slow app run in lanes, and their verdicts are those of one after another", async () => {
  await using edited = await startEditedApp([]);
  const slow = await verifySlow(edited, tokens);
  const alone = await verifySlow(edited, { ...tokens, jobs: 1 });
  expect(slow.checks).toEqual(alone.checks);
  const subjects = ["guard.first:terms", "guard.final:terms"];
  expect(subjects.map(slow.lanesOf)).toEqual([2, 2]);
  expect(subjects.map(alone.lanesOf)).toEqual([0, 0]);
});

test("a check that finds something in a lane decides nothing before it has run alone", async () => {
  await using edited = await startEditedApp(editsOf(faultsOf("guard"), "guard-no-expiry"));
  const { checks, sent } = await verifySlow(edited, { only: ["guard.token"], modules: ["network"] });
  expect(checks.filter((check) => check.endsWith("fail"))).toEqual(["guard.token.expired network fail"]);
  const twins = sent.filter(({ id, role }) => id === "guard.token.expired" && role === "twin");
  expect(twins.map(({ lane }) => lane !== undefined)).toEqual([true, false]);
});

test("an app that answers one request after another gets one after another", async () => {
  await using edited = await startEditedApp([]);
  const { checks, lanesOf } = await verifySlow(
    edited,
    { only: ["guard.token"], modules: ["network"] },
    { answerMs: (callsAtOnce) => callsAtOnce * SLOW_MS },
  );
  expect(checks.filter((check) => !/pass|skip/.test(check))).toEqual([]);
  expect(lanesOf("guard.first:network")).toBe(0);
});

test("an app that keeps one code for each user is asked for one code after another", async () => {
  await using edited = await startEditedApp(editsOf(variationsOf("guard"), "one-code-for-each-user"));
  const { checks, sent, lanesOf } = await verifySlow(edited, tokens);
  expect(checks.filter((check) => !/pass|skip/.test(check))).toEqual([]);
  expect([lanesOf("guard.first:terms"), lanesOf("guard.final:terms")]).toEqual([2, 0]);
  // More wrong codes in a row may lock out the user.
  expect(sent.filter(({ subject, role }) => subject === "guard.final:terms" && role === "together")).toHaveLength(2);
});

test("a check of which nothing is left to do is not shown as running", async () => {
  await using edited = await startEditedApp([]);
  let state = startOfLive;
  const onCheck = (event: CheckEvent) => {
    state = afterEvent(state, event);
  };
  await verifySlow(edited, { only: ["webhook"], onCheck });
  expect(state.parts.flatMap(({ running }) => running)).toEqual([]);
});

// Some checks of repeated deliveries send them at once by themselves.
const hooks = { only: ["webhook"], skip: ["webhook.repeat"] };
const isUnsigned = ({ method, headers }: AppCall) =>
  method === "POST" && !headers.some(([name]) => /signature/i.test(name));

function answered(answer: AppAnswer, status: number, text = ""): AppAnswer {
  const raw = Buffer.from(text);
  return answer.ok ? { ...answer, response: { ...answer.response, status, raw, size: raw.length } } : answer;
}

test.each([409, 500])("an app that answers %i to requests at once is not accused", async (status) => {
  await using edited = await startEditedApp([]);
  let laned = 0;
  const { checks, lanesOf } = await verifySlow(edited, hooks, {
    pause: async () => {},
    instead: (_, answer, callsAtOnce) => {
      laned += callsAtOnce > 1 ? 1 : 0;
      return callsAtOnce > 1 && laned > 20 && laned % 11 === 0 ? answered(answer, status) : answer;
    },
  });
  expect(checks).toEqual((await verifySlow(edited, { ...hooks, jobs: 1 })).checks);
  expect(lanesOf("webhook.delivery:translation-events")).toBe(8);
});

test("a check for which a page in another lane stood in the way is tried again", async () => {
  await using edited = await startEditedApp([]);
  let laned = 0;
  const { checks } = await verifySlow(edited, codes, {
    pause: async () => {},
    instead: ({ method, url }, answer, callsAtOnce) => {
      if (callsAtOnce === 1 || method !== "POST" || !url.includes("/page")) return answer;
      laned += 1;
      // After those of the correct requests: ten to see whether the app can answer them, and one of each lane.
      return laned === 22 ? answered(answer, 500) : answer;
    },
  });
  expect(checks).toEqual((await verifySlow(edited, { ...codes, jobs: 1 })).checks);
  expect(laned).toBeGreaterThan(22);
});

const down = { code: "ECONNREFUSED", detail: "refused", elsewhere: null, kind: "unreachable" } as const;

test.each([
  ["blocks its callers for a minute", (answer: AppAnswer) => answered(answer, 403)],
  [
    "goes down",
    ({ timings }: AppAnswer): AppAnswer => ({ ok: false, outcome: down, response: null, sentHeaders: [], timings }),
  ],
])("an app that %s after too many requests has time to recover", async (_, otherwise) => {
  await using edited = await startEditedApp([]);
  let [isOff, laned] = [false, 0];
  const { checks } = await verifySlow(edited, hooks, {
    pause: async (milliseconds) => {
      if (milliseconds > 1000) isOff = false;
    },
    instead: (_, answer, callsAtOnce) => {
      laned += callsAtOnce > 1 ? 1 : 0;
      if (laned === 30) isOff = true;
      return isOff ? otherwise(answer) : answer;
    },
  });
  expect(checks).toEqual((await verifySlow(edited, { ...hooks, jobs: 1 })).checks);
});

test("what only a request in a lane shows is looked for again, one request after another", async () => {
  await using edited = await startEditedApp([]);
  const trace = "Error: no signature\n    at verify (/srv/app/hooks.js:10:5)\n    at handle (/srv/app/hooks.js:20:7)";
  const { checks } = await verifySlow(edited, hooks, {
    instead: (call, answer) => (isUnsigned(call) ? answered(answer, 401, trace) : answer),
  });
  expect(checks.filter((check) => !/pass|skip/.test(check))).toEqual([
    "webhook.delivery.no-trace translation-events warn",
  ]);
});

test("an app that blocks its callers after a few wrong requests in a row is found out, too", async () => {
  await using edited = await startEditedApp([]);
  let wrong = 0;
  const { checks, lanesOf } = await verifySlow(edited, hooks, {
    pause: async (milliseconds) => {
      if (milliseconds > 1000) wrong = 0;
    },
    instead: (_, answer) => {
      if (wrong >= 4) return answered(answer, 403);
      wrong = answer.response !== null && answer.response.status >= 400 ? wrong + 1 : 0;
      return answer;
    },
  });
  expect(lanesOf("webhook.delivery:translation-events")).toBe(8);
  expect(checks.filter((check) => check.endsWith("inconclusive"))).not.toEqual([]);
});
