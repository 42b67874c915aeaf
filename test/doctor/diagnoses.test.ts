import { expect, test } from "vitest";
import type { CallResult } from "../../src/app-client/call-app.ts";
import type { App } from "../../src/config/schema.ts";
import {
  judgeForged,
  judgeReformatted,
  judgeRefused,
  type TriedDelivery,
} from "../../src/doctor/rules/judge-delivery.ts";
import {
  appFound,
  clockFound,
  configFound,
  type Manifests,
  manifestFound,
} from "../../src/doctor/rules/judge-setup.ts";
import type { ManifestResult } from "../../src/manifest/manifest-result.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";

const webhook = { key: "events", events: ["project.translated"] } as Parameters<typeof judgeRefused>[0];
const answered = (status: number) => ({ ok: true, answer: { status } }) as CallResult;
const silent = { ok: false } as CallResult;

test.each([
  [401, "failed", true, "not me. `app-sim webhook project.translated --diagnose` finds out what it accepts instead"],
  [403, "failed", true, "not me. `app-sim webhook project.translated --diagnose` finds out what it accepts instead"],
  [404, "failed", false, "not me."],
  [405, "failed", false, "not me."],
  [400, "skipped", false, "try it with: app-sim webhook project.translated --tamper all"],
  [500, "skipped", false, "try it with: app-sim webhook project.translated --tamper all"],
])("a signed delivery that is answered %i: %s", (status, result, isRefused, hint) => {
  const judged = judgeRefused(webhook, status, { reason: "the app refused it", hint: "not me." });
  expect(judged).toMatchObject({ result, isRefused, hint });
});

test("a signed delivery that is refused without a hint, and a webhook without events", () => {
  const { hint } = judgeRefused({ ...webhook, events: [] }, 401, { reason: "no", hint: null });
  expect(hint).toBe("`app-sim webhook EVENT --diagnose` finds out what it accepts instead");
});

test.each<[string, CallResult, string, string]>([
  ["refused", answered(400), "passed", "webhook events accepts a signed delivery, and refuses a forged one"],
  ["refused with 499", answered(499), "passed", "webhook events accepts a signed delivery, and refuses a forged one"],
  ["accepted", answered(200), "warned", "webhook events accepts a signed delivery, but a forged one as well"],
  ["accepted with 299", answered(299), "warned", "webhook events accepts a signed delivery, but a forged one as well"],
  ["redirected", answered(300), "warned", "webhook events accepts a signed delivery, but answered 300 to a forged one"],
  [
    "the end of an app",
    answered(500),
    "warned",
    "webhook events accepts a signed delivery, but answered 500 to a forged one",
  ],
  [
    "answered early",
    answered(100),
    "warned",
    "webhook events accepts a signed delivery, but answered 100 to a forged one",
  ],
  ["not answered", silent, "warned", "webhook events accepts a signed delivery, but gave no answer to a forged one"],
])("a forged delivery that is %s", (_, forged, result, message) => {
  const isAccepted = message.endsWith("as well");
  const hint = isAccepted
    ? "does it check the signature? Try app-sim webhook project.translated --tamper all"
    : "answer it with 401";
  expect(judgeForged(webhook, forged)).toEqual({
    result,
    message,
    hint: result === "passed" ? null : hint,
    isRefused: false,
  });
});

test.each<[string, CallResult, boolean]>([
  ["refused with 401", answered(401), true],
  ["refused with 403", answered(403), true],
  ["answered 400", answered(400), false],
  ["accepted", answered(200), false],
  ["not answered", silent, false],
])("a reformatted delivery that is %s", (_, reformatted, isWarning) => {
  const passed = { result: "passed", message: "m", hint: null, isRefused: false } satisfies TriedDelivery;
  const judged = judgeReformatted(webhook, passed, reformatted);
  expect(judged).toMatchObject({ result: isWarning ? "warned" : "passed", isRefused: false });
  if (!isWarning) expect(judged).toBe(passed);
});

const NOW = 1_700_000_000_000;

test.each([
  [0, "passed", "the app's clock agrees with this one"],
  [30_400, "passed", "the app's clock agrees with this one"],
  [-30_400, "passed", "the app's clock agrees with this one"],
  [31_000, "warned", "the app's clock is 31 s ahead: "],
  [-31_000, "warned", "the app's clock is 31 s behind: "],
])("the app's clock, %i ms from this one", (offset, result, says) => {
  expect(clockFound(NOW + offset, NOW, true)).toMatchObject({ result, message: expect.stringContaining(says) });
});

test("the app's clock is unknown without an answer, and without a date", () => {
  expect(clockFound(undefined, NOW, true)).toMatchObject({ result: "skipped", message: expect.stringMatching(/Date/) });
  expect(clockFound(undefined, NOW, false)).toMatchObject({
    result: "skipped",
    message: expect.stringMatching(/no answer$/),
  });
});

const originsOf = (count: number): Parameters<typeof configFound>[0]["origins"] =>
  new Map([
    ["port", "default"],
    ...Array.from({ length: count }, (_, index): [string, string] => [`v${index}`, index % 2 === 0 ? "env" : "flag"]),
  ]) as never;

test.each([
  [0, "everything is at its default"],
  [3, "set: v0, v2 (env), v1 (flag)"],
  [6, "set: v0, v2, v4 (env), v1, v3, v5 (flag)"],
  [8, "set: v0, v2, v4 (env), v1, v3, v5 (flag) and 2 more: app-sim config"],
])("%i values that are set", (count, message) => {
  const facts = { origins: originsOf(count), searched: [], lookAlikes: [{ name: "x", right: "y" }], unknown: [] };
  expect(configFound(facts)).toMatchObject({ result: "passed", message });
});

test.each([
  [["/a/b"], "no config file was found in /a/b"],
  [["/a/b", "/a", "/"], "no config file was found in /a/b, or above it up to /"],
])("no config file in %j", (searched, says) => {
  const facts = { origins: originsOf(0), searched, lookAlikes: [], unknown: [] };
  expect(configFound(facts)).toMatchObject({ result: "passed", message: `everything is at its default; ${says}` });
  const lookAlikes = [{ name: ".app-sim.json", right: "app-sim.config.json" }];
  expect(configFound({ ...facts, lookAlikes, unknown: ["verify.guards.x: no app declares this guard."] })).toEqual({
    check: "config",
    result: "warned",
    message: `everything is at its default; ${says}; .app-sim.json is not read; verify.guards.x: no app declares this guard.`,
    hint: "rename .app-sim.json to app-sim.config.json",
  });
});

const apps = [{ url: "http://a.test" }, { url: "http://b.test" }] as App[];
const manifest = (changes: Partial<ManifestResult>): Manifests =>
  ({ outcome: "ok", reason: null, hint: null, failure: null, apps: [], problems: [], ...changes }) as ManifestResult;
const failed = { outcome: "failed", reason: "it is no JSON" } as const;
const unknown = new UsageError("app-elsewhere", "there is no app", "name one");

test.each<[string, Manifests, boolean, boolean, string, string | null]>([
  ["that answers", manifest({}), true, true, "passed", null],
  ["that answers without a manifest", manifest(failed), true, true, "passed", null],
  ["that answers nothing", manifest(failed), true, false, "warned", null],
  ["that was not asked", manifest({}), true, false, "passed", null],
  ["that cannot be asked", unknown, true, false, "passed", null],
  [
    "that is down",
    manifest({ ...failed, failure: "unreachable", hint: "start it" }),
    false,
    false,
    "failed",
    "start it",
  ],
  [
    "that is down, for another reason",
    manifest({ ...failed, failure: "other", hint: "write it" }),
    false,
    false,
    "failed",
    "start the app, or set its address with --app URL",
  ],
  [
    "that is down, and cannot be asked",
    unknown,
    false,
    false,
    "failed",
    "start the app, or set its address with --app URL",
  ],
])("an app %s", (_, found, listens, hasAnswered, result, hint) => {
  const judged = appFound(apps, found, { listens, hasAnswered });
  expect(judged).toMatchObject({ result, hint, message: expect.stringContaining("http://a.test, http://b.test") });
});

const problem = { path: "modules.webhook", message: "is odd" } as ManifestResult["problems"][number];
const declared = (guards: number, imports: number, webhooks: number) =>
  ({
    guards: Array(guards),
    imports: Array(imports),
    webhooks: Array(webhooks),
  }) as unknown as ManifestResult["apps"][number];

test.each<[string, Manifests, boolean, object]>([
  ["of no app", unknown, true, { result: "failed", message: "there is no app", hint: "name one" }],
  ["of an app that is down", manifest({ ...failed, failure: "unreachable" }), false, { result: "skipped" }],
  [
    "that cannot be reached",
    manifest({ ...failed, failure: "unreachable", hint: "h" }),
    true,
    { result: "failed", hint: "h" },
  ],
  ["that fails", manifest({ ...failed, hint: "h" }), false, { result: "failed", message: "it is no JSON", hint: "h" }],
  ["that fails for no reason", manifest({ outcome: "failed" }), true, { message: "it cannot be used" }],
  [
    "with a mistake",
    manifest({ ...failed, hint: "h", problems: [problem] }),
    true,
    { result: "failed", message: "it is no JSON: modules.webhook is odd", hint: "h" },
  ],
  [
    "with mistakes",
    manifest({ ...failed, hint: "h", problems: [problem, problem] }),
    true,
    { result: "failed", hint: "`app-sim manifest` lists all of its problems" },
  ],
  [
    "with a mistake of its whole",
    manifest({ ...failed, problems: [{ ...problem, path: "" }] }),
    true,
    { message: "it is no JSON" },
  ],
  [
    "with a mistake that is the reason",
    manifest({ ...failed, reason: "it is odd", problems: [problem] }),
    true,
    { message: "it is odd" },
  ],
  [
    "that is right",
    manifest({ apps: [declared(1, 2, 3), declared(1, 0, 1)] }),
    true,
    { result: "passed", message: "guards: 2, post-imports: 2, webhooks: 4", hint: null },
  ],
  [
    "that is odd",
    manifest({ apps: [declared(0, 0, 1)], problems: [problem] }),
    true,
    {
      result: "warned",
      message: "guards: 0, post-imports: 0, webhooks: 1; 1 member is unusual: modules.webhook is odd",
    },
  ],
])("a manifest %s", (_, found, listens, expected) => {
  expect(manifestFound(found, listens)).toMatchObject(expected);
});
