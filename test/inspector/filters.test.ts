import { describe, expect, it } from "vitest";
import { isShown, itemId, itemsOf, noFilter, placeOf, searchOf } from "../../src/inspector/page/filters.ts";
import type { GroupView, RowView } from "../../src/inspector/view.ts";

const row = (id: string, changes: Partial<RowView> = {}): RowView => ({
  id,
  at: "2026-01-02T03:04:05.678Z",
  kind: "guard",
  module: "network",
  app: "http://127.0.0.1:3000",
  what: "POST /guards/network",
  result: "200",
  status: 200,
  tone: "plain",
  ms: 3,
  bytes: 16,
  note: null,
  isFault: false,
  group: null,
  attempt: null,
  isExchange: true,
  ...changes,
});

const group = (id: string, changes: Partial<GroupView> = {}): GroupView => ({
  ...{ id, kind: "login", title: "login as member", result: "granted", tone: "good", claims: [], load: null },
  ...changes,
});

describe("the address of the page", () => {
  const filter = { ...noFilter, kind: "guard", module: "a&b", status: "5xx", faults: true, text: "wel come=1" };
  const nowhere = { filter: noFilter, exchange: null, other: null, flow: null, isActing: false };

  it.each([
    [nowhere, ""],
    [{ ...nowhere, exchange: "abc", other: "def" }, "?exchange=abc&with=def"],
    [{ ...nowhere, filter: { ...noFilter, faults: true } }, "?faults"],
    [{ ...nowhere, filter, flow: "login-1", isActing: true }, null],
  ])("%j leads back to the same place", (place, search) => {
    if (search !== null) expect(searchOf(place)).toBe(search);
    expect(placeOf(searchOf(place))).toEqual(place);
  });
});

describe("a filter", () => {
  const late = row("t", { result: "timed out after 10 s while connecting", status: null, isFault: true });
  it.each<[Partial<typeof noFilter>, RowView, boolean]>([
    [{}, late, true],
    [{ kind: "guard" }, late, true],
    [{ kind: "webhook" }, late, false],
    [{ module: "network" }, late, true],
    [{ module: "net" }, late, false],
    [{ app: "http://127.0.0.1:3001" }, late, false],
    [{ status: "2xx" }, row("a"), true],
    [{ status: "5xx" }, row("a"), false],
    [{ status: "5xx" }, late, false],
    [{ outcome: "timed out" }, late, true],
    [{ outcome: "answered" }, late, false],
    [{ outcome: "denied" }, row("l", { result: "denied by network" }), true],
    [{ faults: true }, late, true],
    [{ faults: true }, row("a"), false],
    [{ text: "GUARDS" }, late, true],
    [{ text: "elsewhere" }, late, false],
    [{ text: "in the body" }, row("b"), true],
  ])("%j", (changes, shown, isExpected) => {
    expect(isShown(shown, { ...noFilter, ...changes }, new Set(["b"]))).toBe(isExpected);
  });
});

describe("the lines", () => {
  const groups = new Map([
    ["g", group("g")],
    ["v", group("v", { kind: "verify" })],
    ["one", group("one")],
  ]);
  const rows = [
    row("1", { group: "g" }),
    row("2"),
    row("3", { group: "g", isFault: true }),
    row("4", { group: "v" }),
    row("5", { group: "v" }),
    row("6", { group: "one" }),
    row("7", { group: "unknown" }),
  ];
  const idsOf = (toggled: readonly string[], isRowShown = (_: RowView) => true) =>
    itemsOf(rows, groups, isRowShown, new Set(toggled)).map(itemId);

  it("are together below their group, at the place of its first; the group of a verify is closed", () => {
    expect(idsOf([])).toEqual(["g", "1", "3", "2", "v", "6", "7"]);
  });

  it("of a group that a person closed or opened are hidden or shown", () => {
    expect(idsOf(["g", "v"])).toEqual(["g", "2", "v", "4", "5", "6", "7"]);
  });

  it("have no group if a filter leaves only one", () => {
    expect(idsOf([], ({ isFault }) => isFault)).toEqual(["3"]);
  });

  it("of a group are counted, and so are the failed ones", () => {
    expect(itemsOf(rows, groups, () => true, new Set())[0]).toMatchObject({ type: "group", count: 2, faults: 1 });
  });
});
