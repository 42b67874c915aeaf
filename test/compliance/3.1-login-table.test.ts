import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { advance, type LoginEvent, type LoginState } from "../../src/guard/rules/login.ts";
import { type LoginRow, loginTable, rowOf } from "../../src/guard/rules/login-table.ts";
import type { GuardType } from "../../src/platform/manifest.ts";
import {
  approves,
  everythingEnabled,
  fails,
  guard,
  passed,
  plan,
  refuses,
  returns,
  walk,
} from "../guard/login-steps.ts";

/** The table as the interface has it, its last column left out. */
const written = `
| Login check pending (\`direct\`) | Service posts the verification request | App answers success true | Module passed |
| Login check pending (\`direct\`) | Same | App answers success false | Access denied |
| Login check pending (\`redirect\`) | Initial request without code | App answers success false | Awaiting user interaction |
| Login check pending (\`redirect\`) | Initial request | App answers success true | Module passed |
| Awaiting user interaction (\`redirect\`) | App redirects the user to the callback with \`state\` and \`code\` | | Awaiting final verification |
| Awaiting user interaction (\`redirect\`) | App redirects the user to the callback with \`state\` and \`error\` | | Access denied |
| Login check pending (\`frame\`) | Initial request without code | App answers success false | Awaiting user interaction |
| Awaiting user interaction (\`frame\`) | The iframe page calls \`AP.verifyAuth({ code })\` | | Awaiting final verification |
| Awaiting user interaction (\`frame\`) | The iframe page calls \`AP.verifyAuth({ error })\` | | Access denied |
| Awaiting final verification | App answers success true | | Module passed |
| Awaiting final verification | App answers success false | | Access denied |
`;

/** Not part of the repository: it is there where app-sim is developed. */
const document = new URL("../../../shared/interface.md", import.meta.url);

/** The rows of the first table after this heading, without the heads of its columns. */
function tableAfter(heading: string, text: string): string[] {
  const [, section = ""] = text.split(`\n${heading}\n`);
  const lines = section.split("\n");
  const first = lines.findIndex((line) => line.startsWith("|"));
  const length = lines.slice(first).findIndex((line) => !line.startsWith("|"));
  return lines.slice(first + 2, first + length);
}

function cellsOf(line: string): string[] {
  const cells = line.split("|").map((cell) => cell.trim());
  return cells.slice(1, 5);
}

/** What `loginTable` has to say where the document says this. */
function rowFor(line: string, index: number): LoginRow {
  const [stateAndType = "", trigger = "", condition = "", next = ""] = cellsOf(line);
  const [, state = "", type = null] = /^(.+?)(?: \(`(\w+)`\))?$/.exec(stateAndType) ?? [];
  return {
    row: index + 1,
    type: type as GuardType | null,
    state: nameOf(state),
    trigger: triggerOf(condition || trigger),
    next: nameOf(next),
  } as LoginRow;
}

function nameOf(state: string): string {
  return state.toLowerCase().replace("login check ", "").replace(" interaction", "");
}

function triggerOf(text: string): string {
  const [, outcome] = /^App answers (success \w+)$/.exec(text) ?? [];
  const [, call] = /^The iframe page calls `(.+)`$/.exec(text) ?? [];
  const [, parameter] = /^App redirects the user to the callback with `state` and `(\w+)`$/.exec(text) ?? [];
  return outcome ?? call ?? `callback with ${parameter}`;
}

const writtenRows = written.trim().split("\n");

describe("the table of interface 3.1", () => {
  it("has the rows of the document, in its order", () => {
    expect(loginTable).toEqual(writtenRows.map(rowFor));
    expect(loginTable).toHaveLength(11);
  });

  it.runIf(existsSync(document))("is written down here as the document has it", () => {
    const rows = tableAfter("### 3.1 Login check by auth-guard modules", readFileSync(document, "utf8"));
    expect(rows.map(cellsOf)).toEqual(writtenRows.map(cellsOf));
  });
});

const before = [passed("password"), passed("mfa"), passed("device-trust")];
const first = { true: approves(0), false: refuses(0, "no") };
const pending: LoginEvent[] = [];
const awaitingUser = [refuses(0)];
const awaitingFinal = [refuses(0), returns(0, "c0de")];

/** The way to each row and the event that takes it, for each type of guard that can. */
const ways: readonly [row: number, type: GuardType, way: LoginEvent[], event: LoginEvent][] = [
  [1, "direct", pending, first.true],
  [2, "direct", pending, first.false],
  [3, "redirect", pending, first.false],
  [4, "redirect", pending, first.true],
  [5, "redirect", awaitingUser, returns(0, "c0de")],
  [6, "redirect", awaitingUser, fails(0, "declined")],
  [7, "frame", pending, first.false],
  [8, "frame", awaitingUser, returns(0, "c0de")],
  [9, "frame", awaitingUser, fails(0, "declined")],
  [10, "redirect", awaitingFinal, first.true],
  [10, "frame", awaitingFinal, first.true],
  [11, "redirect", awaitingFinal, first.false],
  [11, "frame", awaitingFinal, first.false],
];

/** Where the machine is after a row with this next state: what follows is another guard. */
const places: Record<LoginRow["next"], Partial<LoginState>> = {
  "module passed": { at: "verifying", guard: 1 },
  "access denied": { at: "denied", guard: 0 },
  "awaiting user": { at: "awaiting-user", guard: 0 },
  "awaiting final verification": { at: "verifying-final", guard: 0 },
};

function stateAfter(type: GuardType, way: readonly LoginEvent[]): LoginState {
  return walk(plan([guard(type), guard("direct")], everythingEnabled), ...before, ...way).state;
}

describe("the machine", () => {
  it("reaches every row of the table", () => {
    expect([...new Set(ways.map(([row]) => row))]).toEqual(loginTable.map(({ row }) => row));
  });

  it.each(ways)("follows row %d with a %s guard, and goes where it says", (row, type, way, event) => {
    const state = stateAfter(type, way);
    expect(rowOf(state, event)).toBe(row);
    const { next } = loginTable[row - 1] ?? {};
    expect(advance(state, event).state).toMatchObject(places[next ?? "access denied"]);
  });
});
