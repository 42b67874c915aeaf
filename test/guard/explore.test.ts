import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startSampleApp } from "../../examples/sample-app/app.js";
import { checkOptions } from "../../src/action/check-options.ts";
import { createAppGateway } from "../../src/app-client/app-gateway.ts";
import { randomIds, systemClock } from "../../src/app-client/ports.ts";
import { createChromium } from "../../src/browser/chromium.ts";
import { configure } from "../../src/config/load.ts";
import type { GuardRequest } from "../../src/guard/checks/verification.ts";
import { runExplore } from "../../src/guard/explore/explore.ts";
import { exploreGuard } from "../../src/guard/explore/explore-guard.ts";
import { type ExploreOptions, exploreOptions } from "../../src/guard/explore/explore-options.ts";
import { type ExploreResult, exploreResultSchema } from "../../src/guard/explore/explore-result.ts";
import { createLogins } from "../../src/guard/login/logins.ts";
import {
  candidatesOf,
  explorationVerdict,
  exploredAddresses,
  exploredUsers,
  type GuardExploration,
} from "../../src/guard/rules/explore.ts";
import { loginTable } from "../../src/guard/rules/login-table.ts";
import type { VisitContext } from "../../src/guard/visit/page-visitor.ts";
import { type ConfigInput, UsageError } from "../../src/index.ts";
import { createJournal } from "../../src/journal/journal.ts";
import { createTokenSigner } from "../../src/platform/tokens.ts";
import { createUnderWay } from "../../src/platform/under-way.ts";
import { type CallHandler, type FakeApp, guardEntry, manifestOf, startFakeApp } from "../rig/fake-app.ts";
import { byPath, hurriedGateway, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

// Nobody calls it: without a browser the platform need not listen.
const platform = "http://127.0.0.1:7410";
// The users of the default world.
const [owner, admin, manager, member, outsider] = [101, 102, 103, 104, 105];

type Rule = (request: GuardRequest) => boolean;

const requestOf = (call: FakeApp["calls"][number]) => call.json() as GuardRequest;
const answersBy =
  (rule: Rule): CallHandler =>
  (call) =>
    call.reply({ success: rule(requestOf(call)), message: "no" });
const everybody: Rule = () => true;
const nobody: Rule = () => false;
const except =
  (id: number): Rule =>
  ({ userId }) =>
    userId !== id;

/** The rule of a guard with a page: who is let in at once, and otherwise the one code that the app issues. */
const codeOr =
  (atOnce: Rule): Rule =>
  (request) =>
    request.code === undefined ? atOnce(request) : request.code === "issued";

const page = { code: "issued" };
const direct = guardEntry("office");
const redirect = guardEntry("terms", { type: "redirect", url: "/page" });
const frame = guardEntry("presence", { type: "frame", url: "/page" });
const allTypes = manifestOf({ guards: [direct, redirect, frame] });
const wellBehaved = byPath({
  "/office": answersBy(except(outsider)),
  "/terms": answersBy(codeOr(except(manager))),
  "/presence": answersBy(codeOr(({ ipAddress }) => !ipAddress.startsWith("192.0.2."))),
});

async function contextOf(config: ConfigInput, parts: Partial<VisitContext> = {}): Promise<VisitContext> {
  const journal = createJournal();
  return {
    ...(await configure(config, process.cwd())),
    cwd: process.cwd(),
    identities: new Map(),
    journal,
    clock: systemClock,
    ids: randomIds,
    gateway: createAppGateway(systemClock),
    signer: createTokenSigner(null),
    baseUrl: () => platform,
    listen: async () => platform,
    onCall: () => {},
    onPause: () => {},
    onProgress: () => {},
    signal: undefined,
    manifests: null,
    chromium: createChromium(),
    underWay: createUnderWay(),
    ...parts,
  };
}

async function explore(context: VisitContext, options: ExploreOptions = {}): Promise<ExploreResult> {
  return runExplore(context, createLogins(context), checkOptions("explore()", exploreOptions, options));
}

/** An exploration of a fake app, and the calls that the app got. */
async function exploring(
  serves: unknown,
  answer: CallHandler,
  options: ExploreOptions = { page },
  config: ConfigInput = {},
): Promise<{ result: ExploreResult; requests: GuardRequest[]; context: VisitContext }> {
  await using app = await startFakeApp({ manifest: serves });
  app.answer(answer);
  const context = await contextOf({ app: { url: app.url }, ...config });
  const result = await explore(context, options);
  return { result, context, requests: app.calls.map(requestOf) };
}

const codeSentIn = ({ journal }: VisitContext, id: string): unknown => {
  const record = journal.find(id);
  return record?.type === "exchange"
    ? JSON.parse(Buffer.from(record.request.body.base64, "base64").toString()).code
    : null;
};

const statuses = ({ rows }: ExploreResult) => rows.map(({ status }) => status);
const rowsThat = ({ rows }: ExploreResult, status: string) =>
  rows.filter((row) => row.status === status).map(({ row }) => row);
const whyOf = ({ rows }: ExploreResult, row: number) => rows[row - 1]?.why;

describe("an app that uses every row", () => {
  it("is explored completely, row by row of the table of interface 3.1", async () => {
    const { result } = await exploring(allTypes, wellBehaved);
    expect(result).toMatchObject({ command: "explore", outcome: "complete", reason: null, failure: null });
    expect(result.rows).toMatchObject(loginTable.map((row) => ({ ...row, status: "seen", why: null })));
  });

  it("gives for each row one login of each guard that took it, with its exchanges", async () => {
    const { result, context } = await exploring(allTypes, wellBehaved);
    const shown = result.rows.map(({ evidence }) =>
      evidence.map(({ module, user, page: play, reason }) => [module, user, play, reason].join(" ").trim()),
    );
    expect(shown).toEqual([
      ["office member"],
      ["office outsider  no"],
      ["terms manager"],
      ["terms member"],
      ["terms manager made-up-code"],
      ["terms manager error app-sim explores: the user did not complete this page"],
      ["presence member"],
      ["presence member made-up-code"],
      ["presence member error app-sim explores: the user did not complete this page"],
      ["terms manager code", "presence member code"],
      ["terms manager made-up-code no", "presence member made-up-code no"],
    ]);
    for (const { evidence } of result.rows) {
      for (const { exchanges, module } of evidence) {
        expect(exchanges.length).toBeGreaterThan(0);
        for (const id of exchanges) expect(context.journal.find(id)).toMatchObject({ type: "exchange", module });
      }
    }
  });

  it("comes out the same when it is explored again, but for the ids of the exchanges", async () => {
    await using app = await startFakeApp({ manifest: allTypes });
    app.answer(wellBehaved);
    const context = await contextOf({ app: { url: app.url } });
    const withoutIds = (result: ExploreResult) =>
      JSON.parse(JSON.stringify(result, (key, value) => (key === "exchanges" ? value.length : value)));
    const once = await explore(context, { page });
    expect(withoutIds(await explore(context, { page }))).toEqual(withoutIds(once));
  });

  it("leaves every login in the journal, and is what its schema says, as JSON too", async () => {
    const { result, context } = await exploring(allTypes, wellBehaved);
    const logins = context.journal.list().filter(({ type }) => type === "login");
    expect(logins).toHaveLength(result.logins);
    expect(exploreResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  it("is asked at most twice in a login, the second time with a code (interface 4.2)", async () => {
    const { requests } = await exploring(allTypes, wellBehaved);
    const madeUp = requests.flatMap(({ code }) => code ?? []).filter((code) => code !== "issued");
    expect(madeUp).toHaveLength(2);
    expect(new Set(madeUp).size).toBe(2);
    for (const code of madeUp) expect(code).toMatch(/^[\w-]{43}$/);
    expect(requests.filter(({ moduleKey, code }) => moduleKey === "office" && code !== undefined)).toEqual([]);
  });
});

describe("the sample app", () => {
  const credentials = {
    clientId: "app-sim-client",
    clientSecret: "app-sim-client-secret",
    appSecret: "app-sim-app-secret",
  };

  it("takes every row in one run, without a person and without a browser", async () => {
    const sample = await startSampleApp({ ...credentials, authUrl: platform });
    const result = await explore(await contextOf({ app: { url: sample.url } })).finally(sample.close);
    expect(result).toMatchObject({ outcome: "complete", reason: null, failure: null });
    expect(statuses(result)).toEqual(loginTable.map(() => "seen"));
    expect(result.rows[9]).toMatchObject({
      evidence: [{ module: "terms", user: "manager", page: "form" }],
      why: "presence: the page of a frame guard takes a browser: give --browser",
    });
    expect(result.rows[10]?.evidence.map(({ module }) => module)).toEqual(["terms", "presence"]);
    // The rules of the sample app are found by the first tries of who and where.
    expect(result.logins).toBeLessThan(40);
  });
});

describe("a row that no guard can take", () => {
  it.each([
    ["direct", direct, [1, 2], "no redirect guard"],
    ["redirect", redirect, [3, 4, 5, 6, 10, 11], "no direct guard"],
    ["frame", frame, [7, 8, 9, 10, 11], "no direct guard"],
  ])("is not missed: a manifest with a %s guard alone", async (_, entry, possible, why) => {
    const { result } = await exploring(manifestOf({ guards: [entry] }), wellBehaved);
    expect(rowsThat(result, "seen")).toEqual(possible);
    expect(rowsThat(result, "not-possible")).toHaveLength(11 - possible.length);
    expect(result.rows.some((row) => row.why === `the manifest declares ${why}`)).toBe(true);
    expect(result.outcome).toBe("complete");
  });

  it("is named as such where the guards were chosen", async () => {
    const { result, requests } = await exploring(allTypes, wellBehaved, { modules: ["office"] });
    expect(whyOf(result, 10)).toBe("no redirect or frame guard is among those chosen");
    expect([...new Set(requests.map(({ moduleKey }) => moduleKey))]).toEqual(["office"]);
  });

  it("leaves nothing to explore where there is no guard at all", async () => {
    const { result } = await exploring(manifestOf({}), wellBehaved);
    expect(result).toMatchObject({ outcome: "incomplete", reason: "there is no auth-guard module to explore" });
    expect(rowsThat(result, "not-possible")).toHaveLength(11);
  });
});

describe("a row that was possible and not seen", () => {
  const pairs = 3 * exploredAddresses.length;
  const atFirst = (requests: GuardRequest[]) =>
    new Set(requests.map(({ userId, ipAddress }) => `${userId} ${ipAddress}`)).size;

  it("direct: an app that denies nobody was tried with everybody", async () => {
    const { result, requests } = await exploring(manifestOf({ guards: [direct] }), answersBy(everybody));
    expect(statuses(result).slice(0, 2)).toEqual(["seen", "not-seen"]);
    expect(whyOf(result, 2)).toBe(
      `office: it let every user in, in ${pairs} tries; give a user whom it denies access with --user, --ip`,
    );
    expect(atFirst(requests)).toBe(pairs);
    expect(result).toMatchObject({
      outcome: "incomplete",
      reason: "row 2 of the table can be taken, and was not",
      failure: null,
    });
  });

  it("direct: an app that lets nobody in was tried with everybody", async () => {
    const { result, requests } = await exploring(manifestOf({ guards: [direct] }), answersBy(nobody));
    expect(statuses(result).slice(0, 2)).toEqual(["not-seen", "seen"]);
    expect(whyOf(result, 1)).toContain(`it let no user in at once, in ${pairs} tries`);
    expect(requests).toHaveLength(pairs);
    expect(result.tried).toEqual({
      users: ["member", "manager", "outsider"],
      ipAddresses: expect.arrayContaining([...exploredAddresses]),
    });
  });

  it("redirect: an app that asks nobody gives no cause to interact", async () => {
    const { result } = await exploring(manifestOf({ guards: [redirect] }), answersBy(everybody));
    expect(rowsThat(result, "not-seen")).toEqual([3, 5, 6, 10, 11]);
    expect(result.reason).toBe("rows 3, 5, 6, 10, 11 of the table can be taken, and were not");
    expect(whyOf(result, 3)).toContain("a user whom it asks to interact");
    expect(whyOf(result, 10)).toBe("terms: its user was never asked to interact");
  });

  it("redirect: an app that asks everybody leaves its first answer true unseen, and no more", async () => {
    const { result } = await exploring(manifestOf({ guards: [redirect] }), answersBy(codeOr(nobody)));
    expect(rowsThat(result, "not-seen")).toEqual([4]);
  });

  it("a code that is not the app's own is said to be denied, with the app's words", async () => {
    const { result } = await exploring(manifestOf({ guards: [redirect] }), wellBehaved, { page: { code: "other" } });
    expect(rowsThat(result, "not-seen")).toEqual([10]);
    expect(whyOf(result, 10)).toBe("terms: the given code led to a denial: no");
  });

  it("an app that remembers who passed is asked for what it forgets first", async () => {
    const passed = new Set<number>();
    const remembers: Rule = ({ userId, code }) => {
      if (code === "issued") passed.add(userId);
      return code === "issued" || (code === undefined && (passed.has(userId) || userId !== manager));
    };
    const { result } = await exploring(manifestOf({ guards: [redirect] }), answersBy(remembers));
    expect(result.outcome).toBe("complete");
  });

  it("through one guard is seen if it is through another, and what is missing is said", async () => {
    const answer = byPath({ "/office": answersBy(everybody), "/account": answersBy(except(outsider)) });
    const { result } = await exploring(manifestOf({ guards: [direct, guardEntry("account")] }), answer);
    expect(result.outcome).toBe("complete");
    expect(result.rows[1]).toMatchObject({ status: "seen", evidence: [{ module: "account" }] });
    expect(whyOf(result, 2)).toMatch(/^office: it let every user in/);
  });

  it("is so for a guard from which every configured user is exempt", async () => {
    const { result, requests } = await exploring(manifestOf({ guards: [direct] }), answersBy(everybody), undefined, {
      users: [{ id: owner, role: "owner", login: "o" }],
    });
    expect(rowsThat(result, "not-seen")).toEqual([1, 2]);
    expect(whyOf(result, 1)).toBe("office: every configured user is exempt from it");
    expect(requests).toEqual([]);
  });
});

describe("G14: an app that lets somebody in for a code that it never issued", () => {
  const trusting: Rule = ({ code, userId }) => code !== undefined || userId !== manager;

  it.each([
    ["redirect", redirect],
    ["frame", frame],
  ])("fails: %s", async (_, entry) => {
    const { result, context } = await exploring(manifestOf({ guards: [entry] }), answersBy(trusting));
    expect(result).toMatchObject({ outcome: "failed", failure: null });
    expect(result.reason).toContain(`${entry.key}: it let a user in for a code that it never issued`);
    expect(rowsThat(result, "failed")).toEqual([11]);
    const [{ exchanges = [], ...shown } = {}, ...others] = result.rows[10]?.evidence ?? [];
    expect(shown).toMatchObject({ module: entry.key, user: "manager", page: "made-up-code", reason: null });
    expect(exchanges.map((id) => codeSentIn(context, id))).toEqual([undefined, expect.stringMatching(/^[\w-]{43}$/)]);
    expect(others).toEqual([]);
    // What was let in by mistake shows no right way in.
    expect(result.rows[9]?.evidence).toMatchObject([{ page: "code" }]);
  });

  it("fails though another guard denies such a code", async () => {
    const answer = byPath({ "/terms": answersBy(codeOr(except(manager))), "/presence": answersBy(trusting) });
    const { result } = await exploring(manifestOf({ guards: [redirect, frame] }), answer);
    expect(result).toMatchObject({ outcome: "failed" });
    expect(result.rows[10]).toMatchObject({
      status: "failed",
      evidence: [{ module: "terms", reason: "no" }, { module: "presence" }],
    });
  });
});

describe("a call that fails", () => {
  const withDirect = manifestOf({ guards: [guardEntry("broken"), direct] });

  it("ends the exploration of its guard, and of no other", async () => {
    const answer = byPath({
      "/broken": (call) => call.send("oops", { status: 500 }),
      "/office": answersBy(except(outsider)),
    });
    const { result, requests } = await exploring(withDirect, answer);
    expect(result).toMatchObject({ outcome: "failed", failure: "other" });
    expect(result.reason).toMatch(/^broken: .*500/);
    expect(rowsThat(result, "seen")).toEqual([1, 2]);
    expect(whyOf(result, 1)).toMatch(/^broken: .*500/);
    const first = requests.filter(({ moduleKey, userId }) => moduleKey === "broken" && userId === member);
    expect(first).toHaveLength(1);
  });

  it("makes rows failed that no other guard took", async () => {
    const answer: CallHandler = (call) => call.reply({ success: "yes" });
    const { result } = await exploring(manifestOf({ guards: [direct] }), answer);
    expect(rowsThat(result, "failed")).toEqual([1, 2]);
    expect(result).toMatchObject({ outcome: "failed", failure: "other" });
    for (const { evidence } of result.rows.slice(0, 2))
      expect(evidence).toMatchObject([{ module: "office", user: "member", exchanges: { length: 1 } }]);
  });

  it("keeps what the login took before: the final call of a made-up code", async () => {
    const rule = codeOr(except(manager));
    const answer: CallHandler = (call) => {
      const request = requestOf(call);
      if (request.code === undefined) call.reply({ success: rule(request) });
      else call.send("", { status: 500 });
    };
    const { result } = await exploring(manifestOf({ guards: [redirect] }), answer);
    expect(rowsThat(result, "seen")).toEqual([3, 4, 5, 6]);
    expect(rowsThat(result, "failed")).toEqual([10, 11]);
    for (const { evidence } of result.rows.slice(9))
      expect(evidence).toMatchObject([{ module: "terms", page: "made-up-code", exchanges: { length: 2 } }]);
  });

  it("that takes too long counts as such", async () => {
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [direct] }) });
    app.answer((call) => call.hang());
    const result = await explore(await contextOf({ app: { url: app.url } }, { gateway: hurriedGateway(30) }));
    expect(result).toMatchObject({ outcome: "failed", failure: "timed-out" });
  });

  it("for want of an app ends all of it", async () => {
    using directory = makeTempDir();
    const manifest = directory.write("manifest.json", allTypes);
    const app = await startFakeApp();
    await app.close();
    const context = await contextOf({ app: { url: app.url, manifest } });
    const result = await explore(context, { page });
    expect(result).toMatchObject({ outcome: "failed", failure: "unreachable" });
    expect(result.reason).toContain(app.url);
    expect(rowsThat(result, "failed")).toHaveLength(11);
    // Those that were under way at once; none is begun after.
    expect(result.logins).toBeLessThanOrEqual(4);
  });

  it("for want of a manifest explores nothing, and still has the document's rows", async () => {
    const app = await startFakeApp();
    await app.close();
    const result = await explore(await contextOf({ app: { url: app.url } }));
    expect(result).toMatchObject({ outcome: "failed", failure: "unreachable", logins: 0, beside: [] });
    expect(result.rows).toMatchObject(loginTable.map((row) => ({ ...row, status: "failed" })));
  });

  it("because the user interrupted ends all of it", async () => {
    const interrupt = new AbortController();
    await using app = await startFakeApp({ manifest: allTypes });
    app.answer((call) => {
      interrupt.abort();
      call.hang();
    });
    const context = await contextOf({ app: { url: app.url } }, { signal: interrupt.signal });
    const result = await explore(context, { page });
    expect(result).toMatchObject({ outcome: "failed", failure: "interrupted" });
    expect(result.logins).toBeLessThanOrEqual(4);
  });
});

describe("who is tried", () => {
  it("first is who is given, from where is given", async () => {
    const options = { page, user: "outsider", ipAddress: "2001:db8:5::5" } as const;
    const rule: Rule = ({ userId, ipAddress }) => !(userId === outsider && ipAddress === "2001:db8:5::5");
    const { result, requests } = await exploring(manifestOf({ guards: [direct] }), answersBy(rule), options);
    expect(requests[0]).toMatchObject({ userId: outsider, ipAddress: "2001:db8:5::5" });
    expect(result.outcome).toBe("complete");
  });

  it("is everybody from everywhere, where the app looks at both", async () => {
    const rule: Rule = ({ userId, ipAddress }) => !(userId === outsider && ipAddress === exploredAddresses.at(-1));
    const { result } = await exploring(manifestOf({ guards: [direct] }), answersBy(rule));
    expect(result.rows[1]?.evidence).toMatchObject([{ user: "outsider", ipAddress: exploredAddresses.at(-1) }]);
  });

  it("is nobody who is exempt", async () => {
    const guards = [direct, guardEntry("all", { applyToAdmins: true })];
    const { result, requests } = await exploring(manifestOf({ guards }), answersBy(everybody));
    const called = (id: number) => [
      ...new Set(requests.filter(({ userId }) => userId === id).map(({ moduleKey }) => moduleKey)),
    ];
    expect(called(owner)).toEqual([]);
    expect(called(admin)).toEqual(["all"]);
    expect(called(member).sort()).toEqual(["all", "office"]);
    expect(result.choices).toContain("guard.owner.exempt");
  });

  it("is the owner too, where the choice guard.owner.exempt is false", async () => {
    const config = { choices: { "guard.owner.exempt": false } };
    const { result } = await exploring(manifestOf({ guards: [direct] }), answersBy(except(owner)), { page }, config);
    expect(result.rows[1]?.evidence).toMatchObject([{ user: "owner" }]);
  });

  const users = fc.uniqueArray(fc.constantFrom("owner", "admin", "manager", "member", "outsider" as const));
  const addresses = fc.uniqueArray(fc.ipV4(), { maxLength: 6 });

  it("is every pair, once: first every user at the first address, then the first user everywhere", () => {
    fc.assert(
      fc.property(users, addresses, (who, where) => {
        const pairs = candidatesOf(who as never, where).map(({ user, ipAddress }) => `${user} ${ipAddress}`);
        expect([...pairs].sort()).toEqual(who.flatMap((user) => where.map((ip) => `${user} ${ip}`)).sort());
        if (where.length === 0 || who.length === 0) return;
        expect(pairs.slice(0, who.length)).toEqual(who.map((user) => `${user} ${where[0]}`));
        const next = pairs.slice(who.length, who.length + where.length - 1);
        expect(next).toEqual(where.slice(1).map((ip) => `${who[0]} ${ip}`));
      }),
    );
  });

  it("is somebody configured", () => {
    expect(exploredUsers(["manager", "member"], ["member", "outsider", "member"])).toEqual(["member", "outsider"]);
  });
});

describe("the search for both first answers", () => {
  const who = candidatesOf(["member", "outsider", "manager"], exploredAddresses.slice(0, 4));
  const guard = { module: "office", app: "http://app.example", type: "direct", candidates: who } as const;

  it("finds both where there are both, and stops there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: who.length, maxLength: who.length }), async (lets) => {
        let count = 0;
        const explored = await exploreGuard(guard, undefined, "made-up", async ({ user, ipAddress = "" }) => {
          count++;
          const isIn = lets[who.findIndex((each) => each.user === user && each.ipAddress === ipAddress)] === true;
          const stage = {
            stage: "guard",
            module: "office",
            app: guard.app,
            result: isIn ? "passed" : "denied",
            rows: [isIn ? 1 : 2],
            exchanges: [`${count}`],
          } as const;
          return { result: { stages: [stage] } as never, trouble: null };
        });
        expect([...explored.seen.keys()].sort()).toEqual([...new Set(lets.map((isIn) => (isIn ? 1 : 2)))].sort());
        const both = Math.max(lets.indexOf(true), lets.indexOf(false)) + 1;
        expect(count).toBe(lets.includes(true) && lets.includes(false) ? both : who.length);
      }),
    );
  });
});

describe("the verdict", () => {
  it("names the failure that says most about where to look, whichever came first", () => {
    const failures = ["interrupted", "unreachable", "timed-out", null, "other"] as const;
    const explorations = failures.toReversed().map(
      (failure): GuardExploration => ({
        guard: { module: "office", app: "http://app.example", type: "direct", candidates: [] },
        trouble: { reason: String(failure), hint: null, failure },
        seen: new Map(),
        missing: new Map(),
        tried: [],
        failed: null,
        acceptedMadeUpCode: null,
      }),
    );
    const verdicts = failures.map((_, index) => {
      const { reason, failure } = explorationVerdict([], explorations.slice(0, failures.length - index), null);
      return [reason, failure];
    });
    expect(verdicts).toEqual(failures.map((failure) => [`office: ${failure}`, failure]));
  });
});

describe("several apps", () => {
  it("are explored together; guards with the same key are told apart", async () => {
    const serves = manifestOf({ guards: [direct] });
    await using one = await startFakeApp({ manifest: serves });
    await using two = await startFakeApp({ manifest: serves });
    one.answer(answersBy(except(outsider)));
    two.answer(answersBy(except(manager)));
    const context = await contextOf({ apps: [{ url: one.url }, { url: two.url }] });
    const { rows } = await explore(context);
    expect(rows[1]?.evidence).toMatchObject([
      { app: one.url, user: "outsider" },
      { app: two.url, user: "manager" },
    ]);
  });

  it("are explored each by itself: a guard that denies keeps nobody from another with the same key", async () => {
    const serves = manifestOf({ guards: [direct] });
    await using one = await startFakeApp({ manifest: serves });
    await using two = await startFakeApp({ manifest: serves });
    one.answer(answersBy(nobody));
    two.answer(answersBy(except(manager)));
    const result = await explore(await contextOf({ apps: [{ url: one.url }, { url: two.url }] }));
    expect(result.rows[0]).toMatchObject({ status: "seen", evidence: [{ app: two.url, user: "member" }] });
    expect(result.rows[1]?.evidence).toMatchObject([{ app: one.url }, { app: two.url, user: "manager" }]);
  });
});

describe("mistakes", () => {
  it("are a guard or a user that there is not", async () => {
    await using app = await startFakeApp({ manifest: allTypes });
    const context = await contextOf({ app: { url: app.url }, users: [{ id: 1, role: "member", login: "m" }] });
    expect(await usageErrorOf(explore(context, { modules: ["ofice"] }))).toMatchObject({ code: "unknown-module" });
    expect(await usageErrorOf(explore(context, { user: "admin" }))).toMatchObject({ code: "unknown-user" });
    expect(app.calls).toEqual([]);
  });

  it.each([
    [{ page: "wait" }, "an exploration waits for no user"],
    [{ page: { error: "x" } }, "expected { code }, { fill } or { browser }"],
    [{ usr: "admin" }, "usr is not a known name"],
    [{ mfa: true }, "mfa is not a known name"],
  ])("are options that make no sense: %j", (options, message) => {
    const check = () => checkOptions("explore()", exploreOptions, options);
    expect(check).toThrow(UsageError);
    const { problems } = (() => {
      try {
        return check() as never;
      } catch (error) {
        return error as UsageError;
      }
    })();
    expect(problems.map((problem) => `${problem.path} ${problem.message}`).join()).toContain(message);
  });
});
