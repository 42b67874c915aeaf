import { describe, expect, it } from "vitest";
import {
  type Progress,
  type RunningSimulator,
  type ScenarioResult,
  type SimulatorOptions,
  scenarioResultSchema,
} from "../../src/index.ts";
import { type CallingApp, startCallingApp } from "../rig/calling-app.ts";
import { callApi, garden, refresh, startPlatform, tokens } from "../rig/oauth.ts";
import { fixturePath } from "../rig/output.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

interface Stage {
  readonly app: CallingApp;
  readonly sim: RunningSimulator;
  /** Runs scenarios with these steps, one file for each. */
  readonly run: (...yamls: readonly string[]) => Promise<ScenarioResult>;
}

/** That app as it is registered. */
function appAt({ url, callbackUrl }: CallingApp) {
  return { ...garden, url, redirectUris: [...garden.redirectUris, callbackUrl] };
}

/** Plays a test on a platform whose app is authorized, and fetches its projects at each event. */
async function onStage(
  play: (stage: Stage) => Promise<void>,
  { fetches, ...options }: SimulatorOptions & { readonly fetches?: "before" } = {},
): Promise<void> {
  using directory = makeTempDir();
  await using app = await startCallingApp(fetches);
  await using sim = await startPlatform({ apps: [appAt(app)], ...options });
  app.connect(sim, await tokens(sim));
  const run: Stage["run"] = async (...yamls) => {
    const files = yamls.map((yaml, index) => directory.write(`${index + 1}.yml`, yaml));
    const result = await sim.run(files);
    const printed = JSON.parse(JSON.stringify(result));
    expect(printed).toEqual(result);
    return scenarioResultSchema.parse(printed);
  };
  await play({ app, sim, run });
}

function stepsOf({ scenarios }: ScenarioResult): ScenarioResult["scenarios"][number]["steps"] {
  return scenarios.flatMap(({ steps }) => steps);
}

function ends(result: ScenarioResult): string[] {
  return stepsOf(result).map((step) => step.result);
}

const fetches = "expect: { call: GET /api/v2/projects, status: 200, within: 9s }";

describe("a scenario", () => {
  it("passes when the app does what every step expects", () =>
    onStage(async ({ sim, run }) => {
      const result = await run(`
name: a round
seed: 7
steps:
  - deliver: project.translated
    expect: { result: acknowledged, status: 204, within: 9s, attempts: 1 }
  - ${fetches}
  - deliver: { events: [project.translated, project.approved], count: 2, batch: 1, shuffle: true }
  - expect: { call: "/api/*/projects", times: { min: 4 } }
  - deliver: { events: project.translated, tamper: [body, secret] }
  - ${fetches}
  - expect: { no: POST /**, within: 1ms }
`);
      expect(result).toMatchObject({ command: "run", outcome: "passed", reason: null, failure: null, warnings: [] });
      expect(ends(result)).toEqual(Array(7).fill("passed"));
      expect(result.choices).toContain("webhook.signature.content");
      const [scenario] = result.scenarios;
      expect(scenario).toMatchObject({ name: "a round", outcome: "passed", seed: 7 });
      const purposes = stepsOf(result).map(({ exchanges }) =>
        exchanges.map((id) => {
          const record = sim.journal.find(id);
          return record?.type === "exchange" ? record.purpose : null;
        }),
      );
      expect(purposes.slice(0, 4)).toEqual([["webhook"], ["api"], Array(4).fill("webhook"), Array(4).fill("api")]);
    }));

  it("repeats random events with its seed", () =>
    onStage(async ({ app, run }) => {
      const names = "[a.b, project.translated, project.approved]";
      const shuffled = (seed: string) =>
        `${seed}\nsteps:\n  - deliver: { events: ${names}, count: 9, shuffle: true }\n`;
      const first = await run(shuffled(""));
      const seed = first.scenarios[0]?.seed;
      await run(shuffled(`seed: ${seed}`));
      await run(shuffled(`seed: ${(seed ?? 0) + 1}`));
      const [one, same, other] = app.calls.map(({ body }) => body.toString());
      expect([one === same, one === other]).toEqual([true, false]);
    }));

  it("sets the clock, so that the app must refresh its token; at the end the clock is restored", () =>
    onStage(async ({ sim, run }) => {
      const result = await run(`
steps:
  - advance: 3h
  - deliver: project.approved
  - expect: { token: refresh_token, times: { min: 1 }, status: 200 }
  - expect: { call: GET /api/v2/projects, status: 401 }
  - ${fetches}
`);
      expect(result.outcome).toBe("passed");
      expect(Math.abs(sim.clock.state().offsetMs)).toBeLessThan(60_000);
      sim.clock.freeze("2031-05-06");
      await run("steps:\n  - advance: 3h\n  - expect: { call: /x, within: 0ms }\n");
      expect(sim.clock.state()).toMatchObject({ now: "2031-05-06T00:00:00.000Z", frozen: true });
    }));

  it("adds faults; at the end the earlier ones are restored, with the remaining number of times", () =>
    onStage(async ({ sim, run }) => {
      sim.oauth.faults.add("refresh=503x3", "consent=denied");
      expect((await refresh(sim, "unknown")).status).toBe(503);
      const result = await run(`
steps:
  - fault: [clear, api=503x1]
  - deliver: project.approved
  - expect: { call: GET /api/v2/projects, status: 503 }
  - fault: api=500
  - deliver: project.approved
  - expect: { call: GET /api/v2/projects, status: 500 }
`);
      expect(result.outcome).toBe("passed");
      expect(sim.oauth.faults.list()).toEqual([
        { fault: "refresh=503x2", left: 2 },
        { fault: "consent=denied", left: null },
      ]);
    }));

  it("ends at the first step that fails; the others are skipped, and the next scenario is run", () =>
    onStage(async ({ app, run }) => {
      const fails = "steps:\n  - expect: { call: GET /api/v2/projects, within: 1ms }\n  - deliver: project.approved\n";
      const result = await run(fails, "steps:\n  - deliver: project.approved\n");
      expect(result).toMatchObject({ outcome: "failed", failure: "other" });
      expect(result.scenarios.map(({ outcome }) => outcome)).toEqual(["failed", "passed"]);
      expect(ends(result)).toEqual(["failed", "skipped", "passed"]);
      expect(result.reason).toBe("GET /api/v2/projects did not arrive within 1ms");
      expect(result.hint).toContain("the app did not call the platform at all");
      expect(app.calls).toHaveLength(1);
    }));

  it("forbids calls only after the last step that did something", () =>
    onStage(
      async ({ run }) => {
        const delivers = "  - deliver: project.approved\n";
        const forbids = "  - expect: { no: GET /**, within: 0ms }\n";
        const waits = "  - wait: 1ms\n  - expect: { no: POST /**, within: 0ms }\n";
        const quiet = await run(`steps:\n${delivers}  - advance: 1s\n${waits}${forbids}`);
        expect(ends(quiet)).toEqual(Array(5).fill("passed"));
        const loud = await run(`steps:\n${delivers}${waits}${forbids}`);
        expect(ends(loud)).toEqual(["passed", "passed", "passed", "failed"]);
      },
      { fetches: "before" },
    ));

  it("sees only what happened since it started", () =>
    onStage(
      async ({ sim, run }) => {
        await callApi(sim, null);
        const looks = "steps:\n  - expect: { call: GET /api/v2/projects, within: 0ms }\n";
        expect(ends(await run(looks))).toEqual(["failed"]);
        const delivers = "steps:\n  - deliver: { events: project.approved, duplicate: 1 }\n";
        expect(ends(await run(delivers, looks))).toEqual(["passed", "failed"]);
      },
      { fetches: "before" },
    ));
});

describe("an expectation of the app's calls", () => {
  it.each<[expectation: string, reason: string | null, hint?: RegExp]>([
    ["{ call: GET /api/v2/projects, times: { min: 3 } }", null],
    [
      "{ call: GET /api/v2/projects, times: { min: 4 }, within: 50ms }",
      "GET /api/v2/projects came 3 times within 50ms, not at least 4 times",
    ],
    ["{ call: GET /api/v2/projects, times: 2 }", "GET /api/v2/projects came 3 times, not 2 times"],
    ["{ call: GET /api/v2/projects, times: { max: 2 } }", "GET /api/v2/projects came 3 times, not at most 2 times"],
    ["{ no: GET /api/** }", "GET /api/** came"],
    ["{ no: POST /api/**, within: 1ms }", null],
    [
      "{ call: GET /api/v2/projects, status: 401, within: 50ms }",
      "GET /api/v2/projects with status 401 did not arrive within 50ms",
      /answered with 200: app-sim log \w+ shows why/,
    ],
    [
      "{ call: GET /api/v2/project, within: 50ms }",
      "GET /api/v2/project did not arrive within 50ms",
      /Did you mean "GET \/api\/v2\/projects"\?/,
    ],
    ["{ token: refresh_token, within: 50ms }", "a token request with refresh_token did not arrive within 50ms"],
  ])("%s", (expectation, reason, hint) =>
    onStage(
      async ({ run }) => {
        const delivers = "deliver: { events: project.approved, count: 3, batch: 1 }";
        const step = stepsOf(await run(`steps:\n  - ${delivers}\n  - expect: ${expectation}\n`)).at(-1);
        expect([step?.reason, step?.result]).toEqual([reason, reason === null ? "passed" : "failed"]);
        if (hint !== undefined) expect(step?.hint).toMatch(hint);
        expect(step?.lastCalls).toHaveLength(reason === null ? 0 : 3);
      },
      { fetches: "before" },
    ),
  );

  it("each uses up what it matched, oldest first; others can match the rest", () =>
    onStage(
      async ({ run }) => {
        const one = "  - expect: { call: GET /api/v2/projects, within: 0ms }\n";
        const result = await run(
          `steps:\n  - deliver: { events: project.approved, duplicate: 1 }\n${one}${one}  - expect: { no: GET /**, within: 0ms }\n${one}`,
        );
        expect(ends(result)).toEqual(["passed", "passed", "passed", "passed", "failed"]);
        expect(new Set(stepsOf(result).flatMap(({ exchanges }) => exchanges)).size).toBe(4);
        expect(result.hint).toBe("it arrived, but an earlier step has already matched it");
      },
      { fetches: "before" },
    ));

  it("with a maximum watches for the whole time", () =>
    onStage(async ({ run }) => {
      const expectation = "expect: { call: GET /api/v2/projects, times: 1, within: 300ms }";
      const result = await run(`steps:\n  - deliver: project.approved\n  - ${expectation}\n`);
      expect(result.outcome).toBe("passed");
      expect(stepsOf(result)[1]?.ms).toBeGreaterThanOrEqual(250);
    }));
});

describe("a delivery that is not as expected", () => {
  it.each<[step: string, reason: RegExp]>([
    ["{ deliver: project.approved, expect: refused }", /^the app should have refused it: the app acknowledged it$/],
    ["{ deliver: project.approved, expect: { status: 200 } }", /^webhook hook answered 204, not 200$/],
    ["{ deliver: project.approved, expect: { attempts: 2 } }", /^webhook hook took one attempt, not 2$/],
    ["{ deliver: project.approved, expect: { within: 0ms } }", /^webhook hook answered after \d+ ms, not within 0ms$/],
    ["deliver: project.aproved", /Did you mean "project\.approved"\?/],
  ])("%s", (step, reason) =>
    onStage(async ({ run }) => {
      const result = await run(`steps:\n  - ${step}\n`);
      expect(result).toMatchObject({ outcome: "failed", reason: expect.stringMatching(reason), failure: "other" });
    }),
  );

  it("an app that refuses a right one can be expected", () =>
    onStage(async ({ app, run }) => {
      app.answer((call) => call.send("", { status: 422 }));
      const refuses = "steps:\n  - { deliver: project.approved, expect: { result: refused, status: 422 } }\n";
      expect(ends(await run(refuses, "steps:\n  - deliver: project.approved\n"))).toEqual(["passed", "failed"]);
    }));

  it.each([
    ["a step", "deliver: { events: project.approved, tamper: [body] }"],
    ["one that says so", "{ deliver: { events: project.approved, tamper: body }, expect: refused }"],
    ["one with the status", "{ deliver: { events: project.approved, tamper: all }, expect: { status: 401 } }"],
  ])("an app that refuses everything proves nothing to %s with tampering", (_, step) =>
    onStage(async ({ app, run }) => {
      const scenario = `steps:\n  - ${step}\n`;
      expect(ends(await run(scenario))).toEqual(["passed"]);
      app.answer((call) => call.send("", { status: 401 }));
      const reason = expect.stringContaining("refuses correct deliveries as well");
      expect(await run(scenario)).toMatchObject({ outcome: "failed", reason });
    }),
  );

  it("of several tampered ones, says which one", () =>
    onStage(async ({ sim, run }) => {
      const result = await run(
        "steps:\n  - { deliver: { events: project.approved, tamper: [secret, header] }, expect: { status: 403 } }\n",
      );
      expect(result.reason).toMatch(/^webhook hook \(tamper: (secret|header)\) answered 401, not 403$/);
      const [step] = stepsOf(result);
      const decisive = step?.decisive.map((id) => sim.journal.find(id));
      expect(decisive).toMatchObject([{ response: { status: 401 } }]);
    }));

  it.each(["{ deliver: EVENTS, expect: refused }", "deliver: EVENTS"])("of many, shows the decisive one: %s", (step) =>
    onStage(async ({ app, sim, run }) => {
      const [most, odd] = step.includes("refused") ? [422, 204] : [204, 422];
      app.answer((call) => call.send("", { status: app.calls.length === 4 ? odd : most }));
      const result = await run(
        `steps:\n  - ${step.replace("EVENTS", "{ events: project.approved, count: 9, batch: 1 }")}\n`,
      );
      const [{ exchanges, decisive } = { exchanges: [], decisive: [] }] = stepsOf(result);
      expect(result.outcome).toBe("failed");
      expect([exchanges.length, decisive]).toEqual([9, [exchanges[3]]]);
      expect(sim.journal.find(decisive[0] ?? "")).toMatchObject({ response: { status: odd } });
    }),
  );

  it("an app that accepts forged deliveries fails without any setting", () =>
    onStage(async ({ app, run }) => {
      app.answer((call) => call.send("", { status: 204 }));
      const result = await run("steps:\n  - deliver: { events: project.approved, tamper: secret }\n");
      expect(result).toMatchObject({ outcome: "failed", reason: expect.stringContaining("secret") });
    }));

  it("an app that cannot be reached is a failure of its own", () =>
    onStage(async ({ app, run }) => {
      await app.close();
      const result = await run("steps:\n  - deliver: project.approved\n");
      expect(result).toMatchObject({ outcome: "failed", failure: "unreachable" });
    }));
});

describe("a mistake that shows only when it runs", () => {
  it("fails its step, and is reported with its line; clock and faults are restored", () =>
    onStage(async ({ sim, run }) => {
      const mistaken =
        "steps:\n  - advance: 3h\n  - fault: api=500\n  - deliver: { events: project.approved, set: [projet.id=1] }\n";
      const result = await run(mistaken, "steps:\n  - deliver: project.approved\n");
      expect(ends(result)).toEqual(["passed", "passed", "failed", "passed"]);
      expect(stepsOf(result)[2]).toMatchObject({
        line: 4,
        mistake: true,
        failure: "other",
        reason: expect.stringContaining("Did you mean"),
        hint: expect.any(String),
      });
      expect(Math.abs(sim.clock.state().offsetMs)).toBeLessThan(60_000);
      expect(sim.oauth.faults.list()).toEqual([]);
    }));

  it("and an invalid file stops the run before anything is sent", () =>
    onStage(async ({ app, run }) => {
      const error = await usageErrorOf(run("steps:\n  - deliver: project.approved\n", "steps:\n  - waitt: 1s\n"));
      expect(error.code).toBe("scenario-invalid");
      expect(app.calls).toEqual([]);
    }));

  it("such as a missing file", () =>
    onStage(async ({ run }) => {
      expect(await usageErrorOf(run())).toMatchObject({ code: "no-scenario" });
    }));
});

/** What tells of the progress of a scenario, and resolves once that many of its steps are done. */
function stepsDone(count: number): {
  readonly onProgress: (progress: Progress) => void;
  readonly reached: Promise<void>;
} {
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return {
    onProgress: ({ what, done }) => (what.startsWith("steps;") && done === count ? reach() : undefined),
    reached,
  };
}

it("listens for the app by default", async () => {
  using directory = makeTempDir();
  const { onProgress, reached } = stepsDone(0);
  await using sim = await startPlatform({ listen: "when-needed", onProgress });
  const file = directory.write("a.yml", "steps:\n  - expect: { call: GET /api/v2/projects, status: 401 }\n");
  const run = sim.run(file);
  await reached;
  await callApi(sim, null);
  expect((await run).outcome).toBe("passed");
});

it("is interrupted at its end: the current step fails, and the others are skipped", async () => {
  const { onProgress, reached } = stepsDone(1);
  await onStage(
    async ({ sim, run }) => {
      const result = run("steps:\n  - wait: 1ms\n  - wait: 1h\n  - deliver: project.approved\n");
      await reached;
      await sim.close();
      expect(await result).toMatchObject({ outcome: "failed", failure: "interrupted", reason: "interrupted" });
      expect(ends(await result)).toEqual(["passed", "failed", "skipped"]);
    },
    { onProgress },
  );
});

it("says what it waits for", async () => {
  const told: string[] = [];
  await onStage(
    async ({ run }) => {
      await run(
        "steps:\n  - deliver: project.approved\n  - expect: { call: GET /api/** }\n  - expect: { no: POST /**, within: 1ms }\n  - expect: { token: refresh_token, within: 1ms }\n  - wait: 1s\n",
      );
    },
    { onProgress: ({ what, done, of }) => told.push(`${done} of ${of} ${what}`) },
  );
  expect(told.filter((text) => text.includes("steps"))).toEqual([
    "0 of 5 steps",
    "0 of 5 steps; deliver project.approved",
    "1 of 5 steps; waiting for GET /api/**, at most 10s",
    "2 of 5 steps; watching for POST /**, at most 1ms",
    "3 of 5 steps; waiting for a token request with refresh_token, at most 1ms",
  ]);
});

it("after an interruption starts no other scenario", async () => {
  const { onProgress, reached } = stepsDone(1);
  await onStage(
    async ({ sim, run }) => {
      const result = run("steps:\n  - wait: 1ms\n  - wait: 1h\n", "seed: 7\nsteps:\n  - deliver: project.approved\n");
      await reached;
      await sim.close();
      expect(await result).toMatchObject({
        outcome: "failed",
        failure: "interrupted",
        scenarios: [{ outcome: "failed" }, { outcome: "skipped", seed: null, steps: [{ result: "skipped" }] }],
      });
    },
    { onProgress },
  );
});

it("fixtures/scenarios pass for a correct app, without a person", async () => {
  await using app = await startCallingApp();
  await using sim = await startPlatform({ apps: [appAt(app)], oauth: { consent: "ask" } });
  app.connect(sim);
  const names = ["expired-token", "translation-round"];
  const result = await sim.run(names.map((name) => fixturePath(`scenarios/${name}.yml`)));
  expect(result).toMatchObject({ outcome: "passed", reason: null });
});
