import { describe, expect, it } from "vitest";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { type AppGateway, systemClock } from "../../src/app-client/ports.ts";
import type { Exchange } from "../../src/index.ts";
import type { Simulator } from "../../src/simulator.ts";
import {
  type AppCall,
  guardEntry,
  importEntry,
  manifestOf,
  startFakeApp,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { faults } from "../rig/faults.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { assemble, exchangesOf, jobWith, record } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { hostileHttp } from "./hostile-http.ts";

// R40: each fault of R2 to R18 in each flow in which the platform calls the app has exactly one outcome, which is the
// same in all of them, and an end that says so.

/** Of calls that a fault never ends by itself. */
const LIMIT_MS = 200;

interface Row {
  readonly name: string;
  readonly play: (call: AppCall, sound: string) => unknown;
  /** The outcome of every exchange with the fault, in every flow. */
  readonly outcome: Exchange["outcome"]["kind"];
  readonly isEndless: boolean;
}

const rows: readonly Row[] = [
  ...faults.map((fault) => ({ ...fault, isEndless: fault.failure === "timed-out" })),
  ...hostileHttp
    .filter(({ name }) => !faults.some((fault) => fault.name === name))
    .map(({ name, play, ends, isEndless = false }) => ({
      name,
      play,
      outcome: ends.answer?.outcome ?? "answered",
      isEndless,
    })),
].filter(({ name }) => /^R(\d|1[0-8]):/.test(name));

/** What a flow says of its end, in one shape. */
interface End {
  readonly outcome: string;
  readonly reason?: string | null | undefined;
  readonly failure?: string | null | undefined;
}

interface Flow {
  readonly purpose: Exchange["purpose"];
  /** Which of the app's calls have the fault; default all. */
  readonly isFaulty?: (call: Pick<AppCall, "method" | "body">) => boolean;
  /** What an app in order answers to that call. */
  readonly sound: string;
  /** A flow that asks again after a redirect, or whatever comes of the first call. */
  readonly asksAgain?: boolean;
  readonly good: readonly string[];
  readonly bad: readonly string[];
  readonly run: (sim: Simulator) => Promise<End>;
}

const approval = '{"success":true}';
const imported = '{"data":{"strings":[{"uniqId":"1","identifier":"key.1","text":"Save"}]}}';
const job = jobWith([record("1", "Save")]);
const login = { purpose: "guard", sound: approval, good: ["granted"], bad: ["failed"] } as const;
const importEnds = { purpose: "post-import", sound: imported, good: ["imported"], bad: ["failed"] } as const;
const hasCode = ({ method, body }: Pick<AppCall, "method" | "body">) => method === "POST" && body.includes('"code"');
const importBy = (via: "inline" | "url") => async (sim: Simulator) => {
  const [only] = (await sim.postImport({ name: "job", job }, { via })).jobs;
  return { outcome: only?.outcome ?? "", reason: only?.error, failure: only?.failure };
};

const flows: Readonly<Record<string, Flow>> = {
  "the first call of a guard": { ...login, run: (sim) => sim.guard({ modules: ["direct"] }) },
  "the final call of a guard": {
    ...login,
    isFaulty: hasCode,
    run: (sim) => sim.guard({ modules: ["terms"], page: { code: "the-code" } }),
  },
  "the page of a guard": {
    ...login,
    purpose: "guard-page",
    sound: "<!doctype html>",
    isFaulty: ({ method }) => method === "GET",
    asksAgain: true,
    bad: ["needs-user"],
    run: (sim) => sim.guard({ modules: ["terms"], page: { fill: {} } }),
  },
  "an import inline": { ...importEnds, run: importBy("inline") },
  "an import by URL": { ...importEnds, run: importBy("url") },
  "a delivery": {
    purpose: "webhook",
    sound: "acknowledged",
    good: ["acknowledged"],
    bad: ["failed"],
    run: (sim) => sim.webhook("project.approved"),
  },
  "the login link of an app": {
    purpose: "visit",
    sound: "<!doctype html>",
    asksAgain: true,
    good: [],
    bad: ["failed"],
    run: (sim) => sim.oauthLogin({ start: "/login", refresh: false, forge: false }),
  },
  "an installation": {
    purpose: "install",
    sound: "acknowledged",
    good: ["installed"],
    bad: ["failed"],
    run: (sim) => sim.install(),
  },
  "a verification": {
    purpose: "webhook",
    sound: "acknowledged",
    asksAgain: true,
    good: ["passed"],
    bad: ["failed", "inconclusive"],
    run: async (sim) => ({ outcome: (await sim.verify({ only: ["webhook.events.one"], wait: 0 })).outcome }),
  },
};

const manifest = {
  ...manifestOf({
    guards: [guardEntry("direct"), guardEntry("terms", { type: "redirect", url: "/page" })],
    imports: [importEntry("import")],
    webhooks: [webhookEntry("webhook")],
  }),
  events: { installed: "/installed", uninstall: "/uninstall" },
};

/** The real gateway, which waits no longer for what never ends. */
function impatientGateway(isEndless: boolean, { isFaulty = () => true }: Flow): AppGateway {
  const gateway = createAppGateway(systemClock);
  const isLimited = ({ url, method, body }: Parameters<AppGateway["call"]>[0]) =>
    isEndless && !url.endsWith("/manifest.json") && isFaulty({ method, body: Buffer.from(body) });
  return { call: (call) => gateway.call(isLimited(call) ? { ...call, timeoutMs: LIMIT_MS } : call) };
}

function expectEnd(end: End, kinds: readonly Exchange["outcome"]["kind"][], flow: Flow, outcome: Row["outcome"]) {
  expect(kinds.length).toBeGreaterThan(0);
  if (flow.asksAgain !== true) expect(kinds).toHaveLength(1);
  expect([...new Set(kinds)]).toEqual([outcome]);
  expect([...flow.good, ...flow.bad]).toContain(end.outcome);
  // What was no answer is never taken for one.
  if (outcome !== "answered") expect(flow.bad).toContain(end.outcome);
  if (end.reason !== null && end.reason !== undefined) expect(end.reason).toMatch(/^[^\p{Cc}\p{Cf}]{3,400}$/u);
  if (outcome === "timed-out" && end.failure !== undefined) expect(end.failure).toBe("timed-out");
}

describe.each(Object.entries(flows))("R40: %s", (_, flow) => {
  it.concurrent.each(rows)("of an app that has the fault $name has one outcome and one end", async (row) => {
    const { isFaulty = () => true, sound } = flow;
    await using app = await startFakeApp({ manifest });
    app.answer((call) => (isFaulty(call) ? void row.play(call, sound) : call.reply({ success: false })));
    const config = { app: { url: app.url }, choices: { "install.event": "on" } } as const;
    const sim = await assemble(config, { gateway: impatientGateway(row.isEndless, flow) });
    const end = await flow.run(sim);
    const calls = exchangesOf(sim, flow.purpose).filter(
      ({ request }) => flow.isFaulty !== hasCode || Buffer.from(request.body.base64, "base64").includes('"code"'),
    );
    const kinds = calls.map(({ outcome }) => outcome.kind);
    expectEnd(end, kinds, flow, row.outcome);
  });

  it("R2: of an app that is not running says where nothing listens", async () => {
    if (flow.isFaulty !== undefined) return;
    using directory = makeTempDir();
    const url = `http://127.0.0.1:${await unusedPort()}`;
    const app = { url, manifest: directory.write("manifest.json", manifest) };
    const sim = await assemble({ app, choices: { "install.event": "on" } });
    const end = await flow.run(sim);
    if (end.reason !== undefined) expect(end.reason).toContain(`nothing listens at ${url}`);
    expect([...new Set(exchangesOf(sim, flow.purpose).map(({ outcome }) => outcome.kind))]).toEqual(["unreachable"]);
  });
});

const commands: readonly (readonly string[])[] = [
  ["guard", "--module", "direct"],
  ["guard", "--module", "terms", "--code", "the-code"],
  ["post-import", "job.json"],
  ["webhook", "project.approved"],
  ["oauth", "--start", "/login"],
  ["install", "--choose", "install.event=on"],
  ["verify", "--only", "webhook.events.one"],
];

// A run of verify asks an app that fails a second time a moment later, and there are many faults.
it.concurrent.each(commands)(
  "R33: app-sim %s %s %s … --format json prints one JSON value, whatever the fault",
  async (...args) => {
    using directory = makeTempDir();
    directory.write("job.json", job);
    await using app = await startFakeApp({ manifest });
    for (const row of rows.filter(({ isEndless }) => !isEndless)) {
      app.answer((call) => void row.play(call, imported));
      const line = [...args, "--app", app.url, "--port", "0", "--format", "json"];
      const { code, stdout, stderr } = await runLine(line, { cwd: directory.path });
      expect(typeof onlyObject(stdout), row.name).toBe("object");
      expect([0, 1, 3, 4], `${row.name} ${stderr}`).toContain(code);
    }
  },
);
