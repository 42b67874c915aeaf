import { expect, test } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { type AppGateway, systemClock } from "../../src/app-client/ports.ts";
import type { VerifyOptions } from "../../src/index.ts";
import { assemble } from "../rig/simulation.ts";
import { type Edit, type EditedApp, startEditedApp } from "./edited-app.ts";
import { faultsOf, variationsOf } from "./faults.ts";

const SLOW_MS = 300;

/** The real gateway to an app that seems to take this long for each answer. */
function slowGateway(answerMs: (callsAtOnce: number) => number): AppGateway {
  const gateway = createAppGateway(systemClock);
  let atOnce = 0;
  return {
    async call(call) {
      atOnce += 1;
      const totalMs = answerMs(atOnce);
      const answer = await gateway.call(call);
      atOnce -= 1;
      return { ...answer, timings: { ...answer.timings, totalMs } };
    },
  };
}

/** Verifies an app through a gateway. */
async function verifySlow(
  { sim: { config, url } }: EditedApp,
  options: VerifyOptions,
  answerMs: (callsAtOnce: number) => number = () => SLOW_MS,
) {
  const [app] = config.apps;
  const sim = await assemble({ app: app ?? {} }, { gateway: slowGateway(answerMs), baseUrl: () => url });
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

const tokens = { only: ["guard.token", "guard.final.code"], modules: ["terms"] };

test("checks of a slow app run in lanes, and their verdicts are those of one after another", async () => {
  await using edited = await startEditedApp([]);
  const slow = await verifySlow(edited, tokens);
  const alone = await verifySlow(edited, { ...tokens, jobs: 1 });
  expect(slow.checks).toEqual(alone.checks);
  const subjects = ["guard.first:terms", "guard.final:terms"];
  expect(subjects.map(slow.lanesOf)).toEqual([8, 8]);
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
    (callsAtOnce) => callsAtOnce * SLOW_MS,
  );
  expect(checks.filter((check) => !/pass|skip/.test(check))).toEqual([]);
  expect(lanesOf("guard.first:network")).toBe(0);
});

test("an app that keeps one code for each user is asked for one code after another", async () => {
  await using edited = await startEditedApp(editsOf(variationsOf("guard"), "one-code-for-each-user"));
  const { checks, lanesOf } = await verifySlow(edited, tokens);
  expect(checks.filter((check) => !/pass|skip/.test(check))).toEqual([]);
  expect([lanesOf("guard.first:terms"), lanesOf("guard.final:terms")]).toEqual([8, 0]);
});
