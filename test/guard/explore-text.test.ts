import { Chalk } from "chalk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExploredRow, type ExploreResult, exploreResultSchema } from "../../src/guard/explore/explore-result.ts";
import { exploreText } from "../../src/guard/guard-text.ts";
import { loginTable } from "../../src/guard/rules/login-table.ts";
import { paintWith } from "../../src/output/paint.ts";
import { rawControls } from "../rig/output.ts";

const paint = (width: number) => paintWith(new Chalk({ level: 0 }), width);

type Evidence = ExploredRow["evidence"][number];

function evidence(module: string, changes: Partial<Evidence> = {}): Evidence {
  const who = { user: "member", ipAddress: "203.0.113.10" } as const;
  return { module, app: "http://app.example", ...who, page: null, reason: null, exchanges: ["abc"], ...changes };
}

function rows(changes: Readonly<Record<number, Partial<ExploredRow>>> = {}): ExploredRow[] {
  return loginTable.map((row) => ({
    ...row,
    status: "seen",
    why: null,
    evidence: [evidence(row.type ?? "redirect")],
    ...changes[row.row],
  }));
}

function exploration(changes: Partial<ExploreResult> = {}): ExploreResult {
  return exploreResultSchema.parse({
    command: "explore",
    outcome: "complete",
    reason: null,
    hint: null,
    failure: null,
    rows: rows(),
    beside: [],
    tried: { users: ["member", "outsider"], ipAddresses: ["203.0.113.10", "198.51.100.7", "2001:db8::7"] },
    logins: 31,
    warnings: [],
    choices: [],
    ...changes,
  });
}

describe("an exploration as text", () => {
  it("is the table of the document, in 80 columns", () => {
    const result = exploration({
      rows: rows({
        2: {
          evidence: [evidence("network", { ipAddress: "198.51.100.7" }), evidence("account", { user: "outsider" })],
        },
        4: { status: "not-seen", why: "redirect: it let nobody in at once, in 30 tries", evidence: [] },
        7: { evidence: [evidence("frame", { ipAddress: "2001:db8:feed::7" })] },
        10: { why: "frame: the page of a frame guard takes a browser: give --browser" },
      }),
      outcome: "incomplete",
      reason: "row 4 of the table can be taken, and was not",
    });
    expect(exploreText(result, paint(80)).join("\n")).toMatchInlineSnapshot(`
      "The table of interface 3.1
        ✓  1  direct    success true              direct member 203.0.113.10
        ✓  2  direct    success false             network member 198.51.100.7
                                                  account outsider 203.0.113.10
        ✓  3  redirect  success false             redirect member 203.0.113.10
        !  4  redirect  success true              not seen: redirect: it let nobody in
                                                  at once, in 30 tries
        ✓  5  redirect  callback with code        redirect member 203.0.113.10
        ✓  6  redirect  callback with error       redirect member 203.0.113.10
        ✓  7  frame     success false             frame member 2001:db8:feed::7
        ✓  8  frame     AP.verifyAuth({ code })   frame member 203.0.113.10
        ✓  9  frame     AP.verifyAuth({ error })  frame member 203.0.113.10
        ✓ 10  either    final: success true       redirect member 203.0.113.10
                                                  but not through frame: the page of a
                                                  frame guard takes a browser: give
                                                  --browser
        ✓ 11  either    final: success false      redirect member 203.0.113.10
      10 of 11 rows seen, in 31 logins
      Tried: member, outsider from 203.0.113.10, 198.51.100.7, 2001:db8::7

      Not complete: row 4 of the table can be taken, and was not"
    `);
  });

  it("counts the rows by the document's own number", () => {
    const none: Partial<ExploredRow> = {
      status: "not-possible",
      why: "the manifest declares no frame guard",
      evidence: [],
    };
    const lines = exploreText(exploration({ rows: rows({ 7: none, 8: none, 9: none }) }), paint(80));
    expect(lines).toContain(`8 of ${loginTable.length} rows seen, 3 not possible, in 31 logins`);
  });

  it("says where to look for what went wrong", () => {
    const why = "terms: it let somebody in for a code that it never issued";
    const broken = evidence("terms", { page: "made-up-code", exchanges: ["first123", "final456"] });
    const result = exploration({ rows: rows({ 11: { status: "failed", why, evidence: [broken] } }) });
    const lines = exploreText(result, paint(200));
    expect(lines.find((line) => line.includes("✗ 11"))).toContain("terms member 203.0.113.10, exchange final456");
    expect(lines.filter((line) => line.includes("exchange "))).toHaveLength(1);
  });

  it("says who was tried only where something was not seen, and somebody was tried", () => {
    const missing: Partial<ExploredRow> = { status: "not-seen", why: "network: no", evidence: [] };
    const said = (changes: Partial<ExploreResult>) =>
      exploreText(exploration(changes), paint(80)).some((line) => line.startsWith("Tried:"));
    expect(said({ rows: rows({ 2: missing }) })).toBe(true);
    expect(said({})).toBe(false);
    expect(said({ rows: rows({ 2: missing }), tried: { users: [], ipAddresses: [] } })).toBe(false);
  });

  it("gives a reason once, and then says where it stands", () => {
    const failed: Partial<ExploredRow> = {
      status: "failed",
      why: "office: nothing listens at http://app.example",
      evidence: [evidence("office")],
    };
    const lines = exploreText(exploration({ rows: rows({ 1: failed, 2: failed, 5: failed }) }), paint(200));
    expect(lines.filter((line) => line.includes("nothing listens"))).toHaveLength(1);
    expect(lines.filter((line) => line.endsWith("as row 1"))).toHaveLength(2);
    expect(lines.filter((line) => line.includes("exchange abc"))).toHaveLength(1);
  });

  it("names the app only where there are several", () => {
    const other = { 1: { evidence: [evidence("office", { app: "http://other.example" })] } };
    expect(exploreText(exploration(), paint(200)).join("\n")).not.toContain("app.example");
    expect(exploreText(exploration({ rows: rows(other) }), paint(200)).join("\n")).toContain(
      "office member 203.0.113.10 of http://other.example",
    );
  });

  it.each<[Partial<ExploreResult>, string[]]>([
    [{}, ["Complete: every row that these guards can take was seen"]],
    [{ outcome: "incomplete", reason: "row 2" }, ["Not complete: row 2"]],
    [
      { outcome: "failed", reason: "down", hint: "start it", failure: "unreachable" },
      ["Failed: down", "hint: start it"],
    ],
    [{ outcome: "failed", reason: "x", failure: "interrupted" }, ["Interrupted: not everything was explored"]],
  ])("ends with what it comes to: %j", (changes, end) => {
    expect(exploreText(exploration(changes), paint(80)).slice(-end.length)).toEqual(end);
  });

  it("says on which choices it relied", () => {
    const lines = exploreText(exploration({ choices: ["login.attempts"] }), paint(80));
    expect(lines.at(-1)).toContain("login.attempts");
  });
});

describe("the width", () => {
  const words = fc.array(fc.stringMatching(/^[a-z.:-]{1,120}$/), { minLength: 1, maxLength: 20 });
  const text = words.map((list) => list.join(" "));

  it("is kept by the tables, whatever an app's words are", () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 64, max: 120 }), (module, why, width) => {
        const result = exploration({
          rows: rows({ 1: { evidence: [evidence(module)] }, 2: { status: "not-seen", why, evidence: [] } }),
        });
        const lines = exploreText(result, paint(width));
        expect(lines.filter((line) => line.length > width)).toEqual([]);
      }),
    );
  });

  it.each([10, 40, Number.POSITIVE_INFINITY])("may be anything: %d", (width) => {
    const lines = exploreText(exploration(), paint(width));
    expect(lines.filter((line) => /^ {2}✓ +\d+ /.test(line))).toHaveLength(11);
  });
});

it("S15: whatever an app says is harmless in it", () => {
  const evil = "a\u001b[31mb\u202ec\u2028d\re\u009bf\ng";
  const lines = exploreText(
    exploration({
      rows: rows({
        1: { evidence: [evidence(evil, { app: evil })] },
        2: { status: "not-seen", why: evil, evidence: [] },
      }),
      outcome: "failed",
      reason: evil,
      hint: evil,
    }),
    paint(200),
  );
  expect(lines.flatMap((line) => rawControls(line))).toEqual([]);
  expect(lines.some((line) => line.includes("\n"))).toBe(false);
  expect(lines.filter((line) => line.includes("a␛[31mb"))).toHaveLength(4);
});
