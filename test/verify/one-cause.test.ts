import { createHmac, timingSafeEqual } from "node:crypto";
import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import type { Evidence, TrialCheck } from "../../src/checking/check.ts";
import type { Reply } from "../../src/checking/reply.ts";
import type { Exchange, VerifyResult } from "../../src/index.ts";
import { paintWith } from "../../src/output/paint.ts";
import { evidenceOfResult, noEvidence } from "../../src/platform/result-evidence.ts";
import { githubAnnotations } from "../../src/verify/report/github-report.ts";
import { verifyText } from "../../src/verify/text/verify-text.ts";
import { webhookChecks } from "../../src/webhook-checks/checks.ts";
import { type AppCall, guardEntry, importEntry, manifestOf, webhookEntry } from "../rig/fake-app.ts";
import { startSimulation } from "../rig/simulation.ts";
import { startEditedApp } from "./edited-app.ts";
import { faultsOf } from "./faults.ts";

const SECRET = "app-sim-app-secret";
const rightOf = (call: AppCall) => createHmac("sha256", SECRET).update(call.body).digest("hex");
const paint = paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY);

const evidenceOf = (result: object) => evidenceOfResult(result) ?? noEvidence;

async function verifyWebhook(status: (call: AppCall) => number, only: readonly string[]) {
  await using run = await startSimulation({
    serves: manifestOf({ webhooks: [webhookEntry("events")] }),
    answer: (call) => call.send("", { status: status(call) }),
  });
  return await run.sim.verify({ only });
}

/** Compares without a look at the lengths, as many apps do. */
function careless(call: AppCall): number {
  try {
    const given = Buffer.from(call.header("X-Platform-Signature") as string);
    return timingSafeEqual(given, Buffer.from(rightOf(call))) ? 204 : 401;
  } catch {
    return 500;
  }
}

describe("a guard that looks at no token", () => {
  const found = async (isWhole: boolean, answer: (call: AppCall) => unknown) => {
    await using run = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("door")] }),
      answer: (call) => call.reply(answer(call)),
    });
    const result = await run.sim.verify({ only: ["guard.token"] });
    return verifyText(result, noEvidence, paint, isWhole).filter((line) => /^[✗!]/.test(line));
  };

  test("is one finding, and what follows from it another", async () => {
    expect(await found(false, () => ({ success: true }))).toEqual([
      "✗ FAILED guard.token.missing",
      expect.stringMatching(
        /^✗ FAILED \d\d more of guard\.token\.\* at door follow from guard\.token\.missing: no token is looked at; --verbose/,
      ),
    ]);
  });

  test("is shown in full with --verbose", async () => {
    expect((await found(true, () => ({ success: true }))).length).toBeGreaterThan(3);
  });

  test("is not one that only accepts a request without a token", async () => {
    const shown = await found(false, (call) => ({ success: call.header("Authorization") === undefined }));
    expect(shown.join("\n")).not.toContain("follow from");
  });
});

describe("jobs at which the app breaks", () => {
  interface Sent {
    readonly strings?: readonly { readonly text: unknown }[];
  }

  /** What is found of an app that answers 500 to jobs without strings, or with strings that these do not take. */
  async function found(only: readonly string[], takes: (text: unknown) => boolean) {
    await using run = await startSimulation({
      serves: manifestOf({ imports: [importEntry("tidy")] }),
      answer: (call) => {
        const { strings } = call.json() as Sent;
        const isTaken = strings?.every(({ text }) => takes(text)) === true;
        return isTaken ? call.reply({ data: { strings } }) : call.send("", { status: 500 });
      },
    });
    const result = await run.sim.verify({ only });
    return verifyText(result, evidenceOf(result), paint).filter((line) => /^[✗!?]/.test(line));
  }

  test("because they have their strings by URL: one finding, and one line for what follows", async () => {
    const only = ["import.same.by-url", "import.lines.crlf", "import.lines.plain-text", "import.request.no-strings"];
    expect(await found(only, () => true)).toEqual([
      "✗ FAILED import.same.by-url",
      "✗ FAILED 2 more of import.lines.* at tidy follow from import.same.by-url: the app breaks at jobs with stringsUrl; --verbose shows each",
      "✗ FAILED import.request.no-strings",
    ]);
  });

  test("because they have plural strings: one finding, and one line for what follows", async () => {
    const only = ["import.job.plurals", "import.job.plural-translations", "import.job.empty-plurals"];
    expect(await found(only, (text) => typeof text === "string")).toEqual([
      "✗ FAILED import.job.plurals",
      expect.stringMatching(/^✗ FAILED 2 more of import\.job\.\* at tidy follow from import\.job\.plurals: /),
    ]);
  });

  test("of any kind: nothing follows from one of them", async () => {
    const only = ["import.job.plurals", "import.job.single", "import.same.by-url"];
    expect((await found(only, () => false)).join("\n")).not.toContain("follow");
  });
});

test("an app that takes files only from another address: checks of files decide nothing, and name the address", async () => {
  const edit = {
    file: "platform.js",
    from: "[new URL(authUrl).origin, new URL(apiUrl).origin]",
    to: '["http://127.0.0.1:1"]',
  };
  await using app = await startEditedApp([edit]);
  const refusing = ["bad-line", "cut-line"].map((name) => `import.lines.${name}`);
  const hosts = ["not-found", "redirect", "foreign", "local-file"].map((name) => `import.strings-host.${name}`);
  const { checks } = await app.sim.verify({ only: ["import.same.by-url", ...refusing, ...hosts] });
  const hint = `Fetch stringsUrl from ${new URL(app.sim.url).origin}, where the platform is. An app that fetches only from its PLATFORM_AUTH_URL needs this one there.`;
  expect(checks.map(({ id, result, hint: shown }) => ({ id, result, shown }))).toEqual(
    expect.arrayContaining([
      { id: "import.same.by-url", result: "fail", shown: hint },
      ...[...refusing, ...hosts].map((id) => ({ id, result: "inconclusive", shown: hint })),
    ]),
  );
}, 60_000);

describe("a delivery at which the app breaks", () => {
  test("a forged one of another length: the length is named, and unrelated findings come first", async () => {
    const result = await verifyWebhook(careless, ["webhook.signature", "webhook.input.signature"]);
    const found = result.checks.filter(({ result: each }) => each === "fail");
    const odd = result.checks.find(({ id }) => id === "webhook.input.signature");
    expect(odd).toMatchObject({ result: "warn", hint: found[0]?.hint });
    expect(found.map(({ id }) => id)).toContain("webhook.signature.unknown-organization");
    for (const { reason, hint } of found) {
      expect(reason).toMatch(/the app answered 500, which is not a decision$/);
      expect(hint).toContain("timingSafeEqual throws if the lengths differ");
    }
    const shown = verifyText(result, noEvidence, paint).filter((line) => line.startsWith("✗"));
    expect(shown).toEqual([
      "✗ FAILED webhook.signature.missing",
      "✗ FAILED webhook.signature.empty",
      expect.stringContaining("more of webhook.signature"),
    ]);
    const text = verifyText(result, noEvidence, paint).join("\n");
    expect(text).toMatch(/fix .*timingSafeEqual throws/);
    // The same fix again, in one line.
    expect(text).toMatch(
      /\n! warning 2 more with the same fix as webhook\.signature\.missing; [^\n]*\n {2}webhook\.signature\.sha1: [^\n]*\n {2}webhook\.input\.signature: /,
    );
  });

  test("a right one: the usual causes are named, as by app-sim webhook", async () => {
    const { checks } = await verifyWebhook(() => 500, ["webhook.delivery.acknowledged"]);
    expect(checks[0]).toMatchObject({
      result: "fail",
      hint: expect.stringMatching(/usual causes: .*express\.json\(\).*PLATFORM_APP_SECRET.*timingSafeEqual/),
    });
  });

  const eventsIn = (call: AppCall) => (call.json() as { readonly events: { readonly event: string }[] }).events;

  test.each<[what: string, takes: (names: readonly string[]) => boolean, reason: RegExp, hint: RegExp]>([
    [
      "one event alone",
      ({ length }) => length === 1,
      /; it accepts a delivery with a single event$/,
      /every element of/,
    ],
    [
      "one name of two",
      (names) => !names.includes("project.approved"),
      /; it accepts project\.translated alone, and refuses project\.approved alone$/,
      /^Does the handler know project\.approved\? .* remove it from the manifest\.$/,
    ],
    ["nothing", () => false, /to a correct delivery$/, /^Verify the HMAC-SHA256/],
  ])("a right one, of an app that accepts %s", async (_, takes, reason, hint) => {
    await using run = await startSimulation({
      serves: manifestOf({ webhooks: [webhookEntry("events", ["project.approved", "project.translated"])] }),
      answer: (call) => {
        const isRight = call.header("x-platform-signature") === rightOf(call);
        call.send("", { status: isRight && takes(eventsIn(call).map(({ event }) => event)) ? 204 : 400 });
      },
    });
    const { checks } = await run.sim.verify({ only: ["webhook.delivery.acknowledged"], seed: 1 });
    expect(checks[0]).toMatchObject({
      result: "fail",
      reason: expect.stringMatching(reason),
      hint: expect.stringMatching(hint),
    });
  });

  test("a right one that is refused: the hint is about the signature", async () => {
    const { checks } = await verifyWebhook(() => 401, ["webhook.delivery.acknowledged"]);
    expect(checks[0]?.hint).toMatch(/^Verify the HMAC-SHA256 of the raw body/);
  });
});

test("a constant code comes first, and in full; its consequences come after it", () => {
  const kinds = [
    "body.other-user",
    "code.other-user",
    "code.reused",
    "code.concurrent",
    "code.unpredictable",
    "code.expired",
  ];
  const ids = ["guard.denied.made-up-code", ...kinds.map((kind) => `guard.final.${kind}`), "page.logins.same-user"];
  const checks = ids.map((id) => ({
    ...{ id, area: "guard", title: id, section: "3.1", module: "terms", subject: "guard terms", result: "fail" },
    ...{ reason: "no", hint: null, known: null, runs: ["fail"], choices: [], exchanges: [], changes: [] },
    ...{ control: null, twin: null, exclusive: false },
  })) as unknown as VerifyResult["checks"];
  const summary = { passed: 0, failed: ids.length, warned: 0, inconclusive: 0, skipped: 0, known: 0, flaky: 0, ms: 1 };
  const result = { outcome: "failed", reason: null, hint: null, checks, coverage: [], seed: 1, summary, choices: [] };
  const shown = verifyText(result as unknown as VerifyResult, noEvidence, paint);
  expect(shown.filter((line) => line.startsWith("✗")).slice(0, 2)).toEqual([
    "✗ FAILED guard.final.code.unpredictable",
    expect.stringMatching(/^✗ FAILED guard\.final\.code\./),
  ]);
  const annotations = githubAnnotations(result as unknown as VerifyResult, noEvidence);
  expect(annotations[0]).toContain("guard.final.code.unpredictable");
});

test("for logins that get the same code, the fix is a new code for each", async () => {
  const edit = { file: "guard.js", from: "const code = unguessable();", to: 'const code = "always";' };
  await using edited = await startEditedApp([edit]);
  const only = ["page.logins.same-user", "guard.final.code.distinct"];
  const { checks } = await edited.sim.verify({ only, modules: ["terms"] });
  const failed = checks.filter(({ result }) => result === "fail");
  expect(failed.map(({ id, hint, reason }) => [id, reason, hint])).toEqual([
    ["guard.final.code.distinct", expect.stringMatching(/^all \d+ codes were the same$/), expect.anything()],
    ["page.logins.same-user", "two of them got the same code", expect.stringMatching(/^Make a new random code/)],
  ]);
});

test("an app that checks no signature is not accused of mixing up simultaneous deliveries", async () => {
  const { checks } = await verifyWebhook(() => 204, ["webhook.repeat.at-once"]);
  expect(checks[0]).toMatchObject({
    result: "skip",
    reason: expect.stringMatching(/a single forged delivery either: see/),
  });
});

test.each<[what: string, alone: Reply["kind"], forged: Reply["kind"], correct: Reply["kind"], expected: object]>([
  [
    "breaks on correct ones",
    "accepted",
    "accepted",
    "broken",
    { result: "fail", reason: "the app  to a correct delivery" },
  ],
  ["refuses a correct one", "accepted", "accepted", "refused", { result: "fail" }],
  ["takes forged ones only then", "refused", "accepted", "accepted", { result: "fail" }],
  ["tells them apart", "refused", "refused", "accepted", { result: "pass" }],
])("simultaneous deliveries: an app that %s", (_, alone, forged, correct, expected) => {
  const check = webhookChecks.find(({ id }) => id === "webhook.repeat.at-once") as TrialCheck;
  const kinds: Readonly<Record<string, Reply["kind"]>> = { "forged alone": alone, forged, correct };
  const steps = Object.keys(kinds).map((role) => ({ role, exchange: { role, response: null } as unknown as Exchange }));
  const read = (exchange: Exchange) => ({ kind: kinds[(exchange as unknown as { role: string }).role], says: "" });
  expect(check.judge({ steps, read } as unknown as Evidence)).toMatchObject(expected);
});

test("a job that is too large for the app: every finding says to raise its limit", async () => {
  await using run = await startSimulation({
    serves: manifestOf({ imports: [importEntry("tidy")] }),
    answer: (call) => {
      if (call.body.length > 100_000) return call.send("", { status: 413 });
      return call.reply({ data: { strings: (call.json() as { strings?: unknown }).strings ?? [] } });
    },
  });
  const { checks } = await run.sim.verify({
    only: ["import.same.many", "import.limit.request", "import.limit.long-text"],
  });
  expect(checks.map(({ reason, hint }) => [reason, hint])).toEqual(
    checks.map(() => [
      expect.stringContaining("the app answered 413"),
      expect.stringMatching(/^raise the app's body size limit, up to 5 MB/),
    ]),
  );
  expect(checks).toHaveLength(3);
});

test("two logins of an app without a state are mixed up because of that", async () => {
  const from = "const [state, verifier] = [unguessable(), unguessable()];";
  const to = 'const [state, verifier] = ["", unguessable()];';
  await using edited = await startEditedApp([{ file: "oauth-login.js", from, to }]);
  const { checks } = await edited.sim.verify({ only: ["oauth.login.two-tabs"] });
  expect(checks[0]).toMatchObject({
    result: "fail",
    reason: expect.stringMatching(/: without a state the app cannot tell them apart$/),
    hint: expect.stringMatching(/^Send an unguessable state/),
  });
});

test("a string that comes back invalid is not reported as missing", async () => {
  const fault = faultsOf("import").find(({ id }) => id === "import-labels-with-holes");
  await using edited = await startEditedApp(fault?.edits ?? []);
  const { checks } = await edited.sim.verify({ only: ["import.job", "import.answer", "import.text"] });
  const found = checks.filter(({ result }) => result !== "pass" && result !== "skip");
  expect(found.map(({ id }) => id)).toEqual(["import.answer.strings"]);
});

test("a user who is locked out after a wrong token: one line, which names the check after which it was so", async () => {
  const edit = {
    file: "guard.js",
    from: "    const claims = await verifyToken(bearerToken(request), moduleKey, settings);\n",
    to: `    const locked = (settings.locked ??= new Set());
    if (locked.has(moduleKey)) throw new Refusal(429, "Too many tries.");
    const claims = await verifyToken(bearerToken(request), moduleKey, settings).catch((error) => {
      if (bearerToken(request) !== "") locked.add(moduleKey);
      throw error;
    });
`,
  };
  await using edited = await startEditedApp([edit]);
  const result = await edited.sim.verify({ only: ["guard.token"], modules: ["network"] });
  const text = verifyText(result, noEvidence, paint).join("\n");
  expect(text).toMatch(/^\? inconclusive \d+ checks that depend on a correct request, which the app did not accept$/m);
  expect(text).toMatch(/^ +since {2}guard\.token\.\S+ at network: it was accepted before, and not after$/m);
});
