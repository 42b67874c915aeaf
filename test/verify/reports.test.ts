import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { Chalk } from "chalk";
import type { Log } from "sarif";
import { type FinalResults, Parser } from "tap-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { validateXML } from "xmllint-wasm";
import { NO_PLAYWRIGHT } from "../../src/browser/chromium.ts";
import type { CheckResult, VerifyResult } from "../../src/checking/verify-result.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { columnsOf } from "../../src/output/layout.ts";
import { paintWith } from "../../src/output/paint.ts";
import type { ResultEvidence } from "../../src/platform/result-evidence.ts";
import { reportIn } from "../../src/verify/report/report-in.ts";
import { sarifReport } from "../../src/verify/report/sarif-report.ts";
import { untriedWithout } from "../../src/verify/rules/select.ts";
import { countResults } from "../../src/verify/rules/summary.ts";
import { type EditedApp, startEditedApp } from "./edited-app.ts";
import { faultsOf } from "./faults.ts";

const formats = join(import.meta.dirname, "formats");
/** The secrets of the apps that tests start. */
const secrets = ["canary-client-secret-0123456789abcdef", "canary-app-secret-0123456789abcdef"];

let edited: EditedApp;
let right: VerifyResult;
let faulty: VerifyResult;
let evidences: ResultEvidence;

beforeAll(async () => {
  const edits = faultsOf("guard").flatMap(({ id, edits }) => (id === "guard-any-secret" ? edits : []));
  edited = await startEditedApp(edits);
  const options = { only: ["guard"], modules: ["network", "terms"], seed: 7 };
  const found = await edited.sim.verify(options);
  const hostile = '<b>&"\u001b[31m\u202e]]>\n#|`\\';
  const known = { reason: `it is ${hostile}`, until: "2999-12-31" };
  const [first, second, ...others] = found.checks.filter(({ result }) => result === "fail");
  const changed = new Map<CheckResult | undefined, Partial<CheckResult>>([
    [first, { known }],
    [second, { result: "inconclusive", reason: hostile, subject: `guard ${hostile}`, module: hostile }],
    [others[0], { runs: ["fail", "pass"], reason: "flaky (fail, pass): the app answered 200" }],
  ]);
  const checks = found.checks.map((check) => ({ ...check, ...changed.get(check) }));
  faulty = { ...found, checks, summary: { ...countResults(checks), ms: found.summary.ms } };
  right = { ...found, outcome: "passed", checks: found.checks.filter(({ result }) => result === "pass") };
  evidences = {
    redactor: new Redactor(secrets),
    find: (id) => {
      const record = edited.sim.journal.find(id);
      return record?.type === "exchange" ? record : null;
    },
  };
});
afterAll(() => edited[Symbol.asyncDispose]());

const report = (format: string, result: VerifyResult, width = 80) =>
  reportIn(format, result, evidences, { paint: paintWith(new Chalk({ level: 0 }), width) }).join("\n");

/** Control characters of a terminal, and what hides or turns text round. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

describe("every format", () => {
  it.each(["text", "junit", "tap", "sarif", "github", "markdown"])(
    "%s shows no secret and nothing active",
    (format) => {
      const text = report(format, faulty);
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(harmful);
      // A signature of a token is as good as the token.
      for (const check of faulty.checks) {
        const signature = check.twin === null ? "" : signatureOf(evidences.find(check.twin));
        if (signature.length > 20) expect(text).not.toContain(signature);
      }
    },
  );
});

function signatureOf(exchange: Exchange | null): string {
  const header = exchange?.request.headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "";
  return header.slice(header.lastIndexOf(".") + 1);
}

describe("text", () => {
  it.each([40, 60, 80, 120, 200])("fits %i columns, except for addresses", (width) => {
    const lines = report("text", faulty, width).split("\n");
    const tooWide = lines.filter((line) => columnsOf(line) > width && !line.includes("://"));
    expect(tooWide).toEqual([]);
  });

  it("shows in one line each what resembles earlier findings", () => {
    const text = report("text", faulty, 120);
    const more = /✗ FAILED \d+ more of guard\.token\.\* at network, terms[^✗!?]*/.exec(text)?.[0] ?? "";
    expect(more.replaceAll(/\s+/g, " ")).toMatch(
      /guard\.token\.payload-changed: token\.claims\.name: added, "somebody else"; the app answered 200 with success: true; app-sim log \w{8} /,
    );
    // In full comes first what the app took, and not what it only failed at.
    expect(text).toMatch(/^✗ FAILED guard\.token\.alg-none$/m);
    const failed = faulty.checks.filter(({ result, known }) => result === "fail" && known === null);
    expect(failed.map(({ id }) => id).filter((id) => !text.includes(id))).toEqual([]);
  });

  it("shows failures first, and for each finding the request, its difference, the answer, why it matters and how to fix it", () => {
    const text = report("text", faulty, 120);
    const findings = text.match(/✗ FAILED guard\.token\.[a-z-]+\n[^✗!?]*/g) ?? [];
    const finding = findings.find((each) => each.includes("also   guard terms")) ?? "";
    expect(finding).toMatch(/at {5}guard network, first call\n/);
    expect(finding).toMatch(/sent {3}POST http:\/\/127\.0\.0\.1:\d+\/guards\/network\n/);
    expect(finding).toMatch(/≠ {6}token\.\S+: .*\n/);
    expect(finding).toMatch(/came {3}200 \{"success":true\} in [\d.]+ ms\n/);
    expect(finding).toMatch(/look {3}app-sim log \w{8} {2}\(also \w{8}\)\n/);
    expect(finding).toMatch(/also {3}guard terms, first call: app-sim log \w{8}\n/);
    expect(finding).toMatch(/why {4}\S[\s\S]*fix {4}\S/);
    const order = ["✗ FAILED", "? inconclusive", "! warning", "! known ", "Not tried", "The interface:", "\nFailed"];
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(text.replaceAll(/\s+/g, " ")).toMatch(
      /\d+ passed, \d+ failed, .*\d+ skipped \(.*\) \(1 flaky\); (\d+ min )?[\d.]+ s, seed 7/,
    );
  });

  it("says at its end which page was not checked without Playwright, even if everything passes", () => {
    const unseen = {
      result: "skip",
      reason: `how it is passed is not known: ${NO_PLAYWRIGHT}`,
      module: "presence",
    } as const;
    const checks = right.checks.map((check, index) => (index < 2 ? { ...check, ...unseen } : check));
    const said = "The page of presence was not tried (2 checks): it needs a browser, and Playwright is not installed";
    const [before = "", after = ""] = report("text", { ...right, checks }, 200).split(`\n${said}\n`);
    expect(before.split("\n").at(-1)).toMatch(/^Passed/);
    expect(after).toMatch(/^\d+ passed/);
    expect(report("text", right, 200)).not.toContain("Playwright");
  });

  it("says at the end of a green run of which page nothing was tried", () => {
    const about = {
      area: "page",
      module: "terms",
      result: "skip",
      reason: "the guard asks nobody to interact",
    } as const;
    const [first, second, ...others] = right.checks;
    const ofPage = [first, second].flatMap((check) => (check === undefined ? [] : [{ ...check, ...about }]));
    const said = "\nThe page of terms was not tried (2 checks): the guard asks nobody to interact\n";
    expect(report("text", { ...right, checks: [...ofPage, ...others] }, 200)).toContain(said);
    const tried = ofPage.map((check, index) =>
      index === 0 ? { ...check, result: "pass" as const, reason: null } : check,
    );
    expect(report("text", { ...right, checks: [...tried, ...others] }, 200)).not.toContain("The page of terms");
  });

  it("says at the end of a green run that the login by OAuth was not tried at all", () => {
    const about = { area: "oauth", result: "skip", reason: "no login link was found; name it", hint: null } as const;
    const [first, second, ...others] = right.checks;
    const ofLogin = [first, second].flatMap((check) => (check === undefined ? [] : [{ ...check, ...about }]));
    const said = "\nThe login by OAuth was not tried (2 checks): no login link was found\n";
    const rest = others.filter(({ area }) => area !== "oauth");
    expect(report("text", { ...right, checks: [...ofLogin, ...rest] }, 200)).toContain(said);
    const slow = ofLogin.map((check) => ({ ...check, ...untriedWithout.slow }));
    const withSlow = report("text", { ...right, checks: [...ofLogin, ...slow, ...rest] }, 200);
    expect(withSlow).toContain(said.replace("2 checks", "4 checks"));
    expect(report("text", { ...right, outcome: "failed", checks: [...ofLogin, ...rest] }, 200)).not.toContain(said);
    const tried = ofLogin.map((check, index) => (index === 0 ? { ...check, result: "pass", reason: null } : check));
    expect(report("text", { ...right, checks: [...tried, ...rest] } as typeof right, 200)).not.toContain(said);
  });

  it("lists each untried check only on demand", () => {
    const paint = paintWith(new Chalk({ level: 0 }), 120);
    const [short, whole] = [false, true].map((isWhole) => reportIn("text", faulty, evidences, { paint, isWhole }));
    const skipped = faulty.checks.filter(({ result }) => result === "skip").map(({ id }) => id.split(".")[0]);
    const notTried = (lines: readonly string[] = []) => lines.slice(lines.indexOf("Not tried")).join("\n");
    expect(skipped.length).toBeGreaterThan(0);
    for (const area of skipped) expect(notTried(whole)).toContain(`${area}.`);
    expect(notTried(short)).not.toMatch(/^ {2}(guard|page|oauth)\.|not exercised:/m);
    expect(notTried(short)).toMatch(/rows of its tables exercised; --verbose names the others/);
  });

  it("names each check that passed only on demand", () => {
    const paint = paintWith(new Chalk({ level: 0 }), Number.POSITIVE_INFINITY);
    const [short = [], whole = []] = [false, true].map((isWhole) =>
      reportIn("text", faulty, evidences, { paint, isWhole }),
    );
    const passed = faulty.checks.filter(({ result }) => result === "pass").map(({ id }) => id);
    const listed = whole.slice(whole.indexOf("Checks that passed")).join("\n");
    expect(passed.filter((id) => !listed.includes(id))).toEqual([]);
    expect(passed.length).toBeGreaterThan(0);
    expect(short).not.toContain("Checks that passed");
  });

  it("shows a time in a token next to the time of the request", () => {
    const text = report("text", faulty, 120);
    expect(text).toMatch(/token\.claims\.exp: \d+ \(900 s after it was sent\) → \d+ \(6[12] s before it was sent\)/);
  });

  it("has words in addition to colours", () => {
    const plain = report("text", faulty, 80);
    const coloured = reportIn("text", faulty, evidences, { paint: paintWith(new Chalk({ level: 1 }), 80) }).join("\n");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours themselves
    expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
  });
});

describe("JUnit", () => {
  const schema = readFileSync(join(formats, "junit.xsd"), "utf8");

  it.each([
    ["with findings", () => faulty],
    ["without", () => right],
    ["of nothing", (): VerifyResult => ({ ...right, checks: [], outcome: "failed", reason: "no check ran" })],
  ])("%s is valid", async (_, result) => {
    const xml = report("junit", result());
    const { valid, errors } = await validateXML({ xml: [{ fileName: "verify.xml", contents: xml }], schema });
    expect(errors).toEqual([]);
    expect(valid).toBe(true);
  });

  it("has counts that match its content", () => {
    const xml = report("junit", faulty);
    const [, tests, failures, errors] = /tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(xml) ?? [];
    expect([tests, failures, errors].map(Number)).toEqual([
      xml.match(/<testcase /g)?.length,
      xml.match(/<failure /g)?.length,
      xml.match(/<error /g)?.length,
    ]);
  });
});

describe("TAP", () => {
  const parse = (text: string) =>
    new Promise<FinalResults>((resolve) => {
      new Parser({ strict: true }, resolve).end(text);
    });

  it("is valid for a parser, with failures, skips and known findings", async () => {
    const { count, fail, skip, todo, failures, plan, bailout } = await parse(`${report("tap", faulty)}\n`);
    expect({ count, bailout }).toEqual({ count: faulty.checks.length, bailout: false });
    expect(plan.end).toBe(faulty.checks.length);
    const wrong = faulty.checks.filter(({ result }) => result === "fail" || result === "inconclusive");
    expect({ fail, todo }).toEqual({ fail: wrong.length, todo: 1 });
    expect(skip).toBe(faulty.checks.filter(({ result }) => result === "skip").length);
    expect(failures.map(({ tapError }) => tapError).filter((error) => error !== undefined && error !== null)).toEqual(
      [],
    );
  });

  it("passes for a correct app, and fails if nothing ran", async () => {
    expect((await parse(`${report("tap", right)}\n`)).ok).toBe(true);
    const nothing: VerifyResult = { ...right, checks: [], outcome: "failed", reason: "no check ran" };
    expect((await parse(`${report("tap", nothing)}\n`)).ok).toBe(false);
  });
});

describe("SARIF", () => {
  const validate = new Ajv({ strict: true, formats: { uri: true, "uri-reference": true } }).compile(
    JSON.parse(readFileSync(join(formats, "sarif.schema.json"), "utf8")),
  );

  it.each([
    ["with findings", () => faulty],
    ["without", () => right],
    ["of nothing", (): VerifyResult => ({ ...right, checks: [], outcome: "failed", reason: "no check ran" })],
  ])("%s is valid", (_, result) => {
    const log: Log = sarifReport(result(), evidences);
    expect(validate(JSON.parse(JSON.stringify(log))), JSON.stringify(validate.errors)).toBe(true);
  });

  it("has a rule for each result, and a suppression for each known finding", () => {
    const [run] = sarifReport(faulty, evidences).runs;
    for (const { ruleId, ruleIndex } of run?.results ?? []) expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(run?.results.filter((result) => "suppressions" in result)).toHaveLength(1);
  });
});

it("GitHub's annotations are one line each, with the right level", () => {
  const lines = report("github", faulty).split("\n");
  const commands = lines.filter((line) => line.startsWith("::"));
  expect(lines).toHaveLength(commands.length + 1);
  for (const command of commands) expect(command).toMatch(/^::(error|warning|notice) title=[^:,]+::[^\r\n]+$/);
  expect(commands.filter((command) => command.startsWith("::notice "))).toHaveLength(1);
  expect(commands).toContainEqual(expect.stringContaining("%0Asent: POST"));
});

it("Markdown shows an app's words without their markup", () => {
  const text = report("markdown", faulty);
  expect(text).toContain("## app-sim verify: failed");
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(5);
  expect(text.replaceAll(/```text[\s\S]*?```/g, "")).not.toContain("<b>&");
});
