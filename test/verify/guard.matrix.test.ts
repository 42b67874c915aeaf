import { describe, expect, test } from "vitest";
import { guardChecks } from "../../src/guard-checks/checks.ts";
import { reportText } from "../../src/index.ts";
import { judgeAgain, lastVerification } from "../../src/verify/judge-again.ts";
import { VerifiedJournal } from "../../src/verify/verified-journal.ts";
import { type Edit, startEditedApp } from "./edited-app.ts";
import { type Fault, faultsOf, type Variation, variationsOf } from "./faults.ts";

/** Takes an app that knows the platform's public key, or a configuration that says whom a guard denies. */
const foundElsewhere = /^guard\.((final\.)?token\.hs256-with-public-key|answer\.(as-configured|asks))$/;

/** A guard that decides at once, and one with a page over HTTP: the others say the same again. */
const fewGuards: Edit = {
  file: "app.js",
  from: "const showManifest = async () => json(200, manifest);",
  to: `const guards = manifest.modules["auth-guard"].filter(({ key }) => key === "network" || key === "terms");
  const showManifest = async () => json(200, { modules: { "auth-guard": guards } });`,
};
/** Wrong calls that are there for the checks which look at every answer. */
const wrongCalls = [
  "guard.*.garbage",
  "guard.*.other-secret",
  "guard.body.no-json",
  "guard.final.body.other-user",
  "guard.final.code.unknown",
];

/** Variations in as few apps as possible: each edit has lines of its own. */
function packed(variations: readonly Variation[]) {
  const packs: Variation[][] = [];
  const isApart = (one: Edit, other: Edit) =>
    one.file !== other.file || (!one.from.includes(other.from) && !other.from.includes(one.from));
  for (const variation of variations) {
    const pack = packs.find(
      (others) =>
        !variation.isAlone &&
        others.every(({ isAlone }) => !isAlone) &&
        others.flatMap(({ edits }) => edits).every((other) => variation.edits.every((edit) => isApart(edit, other))),
    );
    if (pack === undefined) packs.push([variation]);
    else pack.push(variation);
  }
  return packs.map((pack) => ({
    ids: pack.map(({ id }) => id).join(", "),
    edits: pack.flatMap(({ edits }) => edits),
    isAlone: pack.some(({ isAlone }) => isAlone),
  }));
}

/** What a run of these checks found that is neither right nor skipped. */
async function findingsOf(
  { edits, choices = {}, verify = {} }: Pick<Fault, "edits" | "choices" | "verify">,
  only: readonly string[],
) {
  await using edited = await startEditedApp(edits, { choices, verify });
  const { checks } = await edited.sim.verify({ only, slow: true });
  return checks.filter(({ result }) => result !== "pass" && result !== "skip");
}

test("the guards of the sample app pass every check", async () => {
  await using edited = await startEditedApp([]);
  const { checks } = await edited.sim.verify({ only: ["guard"], skip: ["guard.final.token"] });
  expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
});

describe("a fault of the guards is found", () => {
  // Each by its own checks: a run with all of them takes seconds.
  test.concurrent.each(faultsOf("guard"))(
    "$id: $says",
    async ({ checks: expected, ...fault }) => {
      const isObserved = expected.some((id) => id.includes(".answer."));
      const findings = await findingsOf(fault, [...expected, ...(isObserved ? wrongCalls : [])]);
      const found = findings.filter(({ result }) => result !== "inconclusive").map(({ id }) => id);
      expect(found).toEqual(expect.arrayContaining([...expected]));
    },
    120_000,
  );
});

describe("correct alternatives are not accused", () => {
  // Several at once, where they do not edit the same lines: an app is written its own way in more than one place.
  test.each(packed(variationsOf("guard")))("$ids", async ({ edits, isAlone }) => {
    await using edited = await startEditedApp([...edits, fewGuards]);
    const { checks } = await edited.sim.verify({ only: ["guard"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    // Without this, a page that cannot be passed any more would hide what is found behind it.
    if (!isAlone)
      expect(checks).toContainEqual(expect.objectContaining({ id: "guard.final.code.reused", result: "pass" }));
  });
});

/** The tokens of a platform with a key pair are verified with the keys that it serves. */
const servedKeys = (algorithm: string): readonly Edit[] => [
  { file: "jwt.js", from: "import { jwtVerify }", to: "import { createRemoteJWKSet, jwtVerify }" },
  { file: "jwt.js", from: "moduleKey, { clientId, clientSecret }", to: "moduleKey, { clientId, authUrl }" },
  {
    file: "jwt.js",
    from: "new TextEncoder().encode(clientSecret)",
    to: 'createRemoteJWKSet(new URL("/.well-known/jwks.json", authUrl))',
  },
  { file: "jwt.js", from: 'algorithms: ["HS256"]', to: `algorithms: ["${algorithm}"]` },
];

test.each(["RS256", "ES256", "EdDSA"] as const)(
  "a right app that verifies tokens of %s with the served keys is not accused",
  async (algorithm) => {
    await using edited = await startEditedApp([...servedKeys(algorithm), fewGuards], {
      choices: { "guard.jwt.algorithm": algorithm },
    });
    const { checks } = await edited.sim.verify({ only: ["guard.token", "guard.final.token"] });
    expect(checks.filter(({ result }) => result !== "pass" && result !== "skip")).toEqual([]);
    for (const id of ["guard.token.kid-unknown", "guard.final.token.kid-missing"])
      expect(checks).toContainEqual(expect.objectContaining({ id, result: "pass" }));
  },
);

test("a guard with a page that denies by status is not said to let everybody in", async () => {
  const denial = "return json(200, denial === null ? { success: true } : { success: false, message: denial });";
  const byStatus: Edit = { file: "guard.js", from: denial, to: denial.replace("200", "denial === null ? 200 : 403") };
  await using edited = await startEditedApp([byStatus], {
    verify: { guards: { terms: { pass: { press: "accept" } } } },
  });
  const { checks } = await edited.sim.verify({ only: ["guard.answer.asks"], modules: ["terms"] });
  expect(checks).toMatchObject([{ result: "warn", reason: expect.stringContaining("only status 200") }]);
});

describe("a guard with configured people whom it denies", () => {
  const guards = { network: { lets: { ip: "203.0.113.10" }, denies: { ip: "198.51.100.7" } } } as const;
  const everybody: Edit = { file: "guard.js", from: "return list.check(", to: "return false && list.check(" };
  const decision = 'isInNetworks(ipAddress, deniedNetworks) ? "Log in from the office network or the VPN." : null;';
  const forHalfASecond: Edit = {
    file: "guard.js",
    from: decision,
    to: `{
      if (Date.now() < globalThis.openUntil) return null;
      const denial = ${decision}
      if (denial === null) globalThis.openUntil = Date.now() + 500;
      return denial;
    };`,
  };

  test("nobody: that it lets everybody in is reported at the end, with the lines to add", async () => {
    await using edited = await startEditedApp([everybody]);
    const result = await edited.sim.verify({ only: ["guard.answer", "guard.denied"], modules: ["network"] });
    expect(result.checks.find(({ id }) => id === "guard.answer.as-configured")).toMatchObject({
      result: "skip",
      reason: "the guard network let in everybody who was tried: it is not known whether it denies anybody",
      hint: expect.stringContaining(
        '{"verify":{"guards":{"network":{"denies":{"user":"ROLE","ip":"ADDRESS"}}}}}; judge addresses by ipAddress in the body',
      ),
    });
    const lines = (await reportText(result)).trim().split("\n");
    expect(lines.slice(-2).join(" ")).toContain("not known whether network denies anybody");
  });

  test("nobody: one that denied somebody is not reported", async () => {
    await using edited = await startEditedApp([]);
    const result = await edited.sim.verify({ only: ["guard.answer.as-configured"], modules: ["network"] });
    expect(await reportText(result)).not.toContain("not known whether");
  });

  test.each([
    ["as configured", [], "pass"],
    ["not at all", [everybody], "fail"],
    ["not just after it let somebody in", [forHalfASecond], "fail"],
  ] as const)("%s", async (_, edits, expected) => {
    await using edited = await startEditedApp(edits, { verify: { guards } });
    const { checks } = await edited.sim.verify({ only: ["guard.answer.as-configured"], modules: ["network"] });
    expect(checks.map(({ result }) => result)).toEqual([expected]);
  });

  const answers = "return json(200, denial === null ? { success: true } : { success: false, message: denial });";
  const refuses = (status: number): Edit => ({
    file: "guard.js",
    from: answers,
    to: `throw new Refusal(${status}, denial ?? "no");`,
  });
  const byStatus: Edit = {
    file: "guard.js",
    from: answers,
    to: "if (denial !== null) throw new Refusal(403, denial);\nreturn json(200, { success: true });",
  };

  test.each([
    ["403 to everybody", refuses(403), guards, "fail", "the app answered 403 to a correct"],
    ["401 to everybody", refuses(401), guards, "fail", "PLATFORM_CLIENT_SECRET"],
    ["500 to everybody", refuses(500), guards, "fail", "the app answered 500 to a correct"],
    ["403 to everybody, where nobody is named", refuses(403), {}, "skip", "the app answered 403 to a correct"],
    ["403 to those whom it denies alone", byStatus, guards, "pass", null],
  ] as const)("%s", async (_, edit, told, result, reason) => {
    await using edited = await startEditedApp([edit], { verify: { guards: told } });
    const { checks } = await edited.sim.verify({ only: ["guard.answer.as-configured"], modules: ["network"] });
    expect(checks).toMatchObject([{ result, reason: reason === null ? null : expect.stringContaining(reason) }]);
    if (result === "fail") {
      expect(checks[0]?.reason).toMatch(/^not even the user in verify\.guards\.network\.lets is let in: /);
      const records = edited.sim.journal.list();
      expect(judgeAgain(new VerifiedJournal(records), lastVerification(records), edited.sim)).toEqual(checks);
    }
  });
});

test("guards that share a page, which goes by the token, are not accused of each other's codes", async () => {
  const fault = faultsOf("guard").find(({ id }) => id === "codes-for-any-guard");
  const routes = '"/guards/terms": { POST: guardWithPage("terms", settings, codes, firstRule) },';
  const edits: readonly Edit[] = [
    ...(fault?.edits ?? []).map((edit) => ({
      ...edit,
      to: edit.to.replace("verifyToken(token, module,", 'verifyToken(token, module === "rules" ? module : "terms",'),
    })),
    { file: "guard-redirect.js", from: routes, to: `${routes}\n${routes.replaceAll("terms", "rules")}` },
    {
      file: "app.js",
      from: '"auth-guard": [',
      to: `"auth-guard": [
        { key: "rules", name: "Rules", url: "/guards/rules", options: { type: "redirect", url: "/guards/terms/page" } },`,
    },
  ];
  await using edited = await startEditedApp(edits);
  const only = ["guard.final.accepted", "guard.final.code.others-token"];
  const { checks } = await edited.sim.verify({ only, modules: ["terms", "rules"] });
  expect(checks.map(({ id, module, result }) => [id, module, result]).toSorted()).toEqual([
    ["guard.final.accepted", "rules", "pass"],
    ["guard.final.accepted", "terms", "pass"],
    ["guard.final.code.others-token", "rules", "skip"],
    ["guard.final.code.others-token", "terms", "skip"],
  ]);
});

describe("the page of a frame guard", () => {
  test("is walked in Chromium to the codes of the final call", async () => {
    await using edited = await startEditedApp([]);
    const only = ["guard.final.code.reused", "guard.final.code.unknown", "guard.final.code.distinct"];
    const { checks } = await edited.sim.verify({ only });
    const ofFrame = checks.filter(({ module }) => module === "presence");
    expect(ofFrame.map(({ id, result }) => [id, result])).toEqual(
      expect.arrayContaining(only.map((id) => [id, "pass"])),
    );
  });
});

test("a guard that asks a single user only once says so where nobody is left to ask", async () => {
  const seen = "seen.has(userId) || userId !== 103 ? null : ";
  await using edited = await startEditedApp([
    {
      file: "guard-redirect.js",
      from: "/** A `redirect` guard:",
      to: "const seen = new Set();\n\n/** A `redirect` guard:",
    },
    {
      file: "guard-redirect.js",
      from: "    visit.code ??=",
      to: "    seen.add(login.person.userId);\n    visit.code ??=",
    },
    {
      file: "guard-redirect.js",
      from: '(managers.has(userId) ? "Accept the confidentiality terms." : null)',
      to: `(${seen}"Accept the confidentiality terms.")`,
    },
  ]);
  const only = ["guard.final.accepted", "guard.final.unfinished"];
  const { checks } = await edited.sim.verify({ only, modules: ["terms"] });
  expect(checks.find(({ id }) => id === "guard.final.unfinished")).toMatchObject({
    result: "skip",
    reason: "the guard no longer asks the users whom it asked at the beginning",
  });
});

test("every check of guards finds a fault", () => {
  const found = new Set(faultsOf("guard").flatMap(({ checks }) => checks));
  expect(guardChecks.map(({ id }) => id).filter((id) => !found.has(id) && !foundElsewhere.test(id))).toEqual([]);
});
