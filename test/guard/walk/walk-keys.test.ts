import type { Key } from "ink";
import { describe, expect, test } from "vitest";
import { actionOf, bindings, keyNames } from "../../../src/guard/walk/walk-keys.ts";
import type { WalkState } from "../../../src/guard/walk/walk-state.ts";
import { guardStage, interaction, result, view, viewAt, walkAt } from "./walk-views.ts";

const exchanged = { stages: [guardStage("network", { exchanges: ["a", "b"] })] };
const states: Record<string, WalkState> = {
  beginning: walkAt(null),
  "not begun": walkAt(null, { refused: result({ outcome: "denied" }) }),
  password: walkAt(view()),
  calling: walkAt(viewAt(3, { call: { startedAt: 0, limitMs: 10_000 } }, { status: "running" })),
  waiting: walkAt(viewAt(4, { interaction: interaction() })),
  "remember me": walkAt(viewAt(5)),
  ended: walkAt(viewAt(5, { current: null, result: result() })),
  "another stage": walkAt(view(), { selected: 3 }),
  "one guard": walkAt(viewAt(5, { current: null, result: result() }), { wish: { only: "terms" } }),
  typing: walkAt(viewAt(4, { interaction: interaction() }), { prompt: { what: "code", text: "1", trouble: null } }),
  help: walkAt(view(), { page: { type: "help", scroll: 0 } }),
  exchange: walkAt(view({ ...exchanged, current: 0 }), { page: { type: "exchange", id: null, scroll: 0 } }),
};

describe("what a key does", () => {
  test.each([
    ["beginning", "enter", null],
    ["not begun", "r", "retry"],
    ["not begun", "enter", "quit"],
    ["password", "enter", "do-right"],
    ["password", "r", null],
    ["password", "x", "do-wrong"],
    ["password", "o", "open"],
    ["password", "l", "link"],
    ["password", "d", null],
    ["password", "up", "up"],
    ["calling", "enter", null],
    ["calling", "x", null],
    ["calling", "o", "open"],
    ["waiting", "o", "open"],
    ["waiting", "l", "link"],
    ["waiting", "r", "open"],
    ["waiting", "enter", "open"],
    ["waiting", "x", null],
    ["waiting", "c", "ask-code"],
    ["waiting", "e", "ask-error"],
    ["waiting", "i", "ask-address"],
    ["waiting", "g", "only-guard"],
    ["password", "g", null],
    ["password", "c", null],
    ["password", "u", "next-user"],
    ["ended", "g", "only-guard"],
    ["one guard", "a", "all-guards"],
    ["one guard", "g", "only-guard"],
    ["typing", "q", null],
    ["typing", "ctrl-c", "interrupt"],
    ["remember me", "x", "do-wrong"],
    ["ended", "r", "retry"],
    ["ended", "enter", "quit"],
    ["ended", "x", null],
    ["ended", "l", null],
    ["another stage", "enter", "close"],
    ["another stage", "x", null],
    ["another stage", "escape", "close"],
    ["help", "?", "help"],
    ["help", "down", "down"],
    ["help", "enter", "close"],
    ["exchange", "d", "details"],
    ["exchange", "x", null],
    ["exchange", "left", "earlier"],
    ["exchange", "n", "later"],
    ["exchange", " ", "page-down"],
  ])("%s: %s is %s", (name, key, action) => {
    expect(actionOf(states[name] ?? walkAt(null), key)).toBe(action);
  });

  test.each(Object.entries(states))("%s: what a key does has room in the page of keys, 40 columns wide", (_, state) => {
    for (const { help } of bindings(state)) expect(help.length).toBeLessThanOrEqual(32);
  });

  const atKeys = Object.entries(states).filter(([, { prompt }]) => prompt === null);
  test.each(atKeys)("%s: q quits, Ctrl-C interrupts, and no key has two meanings", (_, state) => {
    expect(actionOf(state, "q")).toBe("quit");
    expect(actionOf(state, "ctrl-c")).toBe("interrupt");
    const keys = bindings(state).flatMap((binding) => binding.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("without a browser, o shows the link", () => {
    const waiting = walkAt(viewAt(4, { interaction: interaction() }), { canOpen: false });
    expect(["o", "l", "enter"].map((key) => actionOf(waiting, key))).toEqual(["link", "link", null]);
  });
});

describe("the name of a key", () => {
  const key = (pressed: Partial<Key> = {}) => pressed as Key;
  test.each<[input: string, key: Key, names: string[]]>([
    ["x", key(), ["x"]],
    ["X", key({ shift: true }), ["x"]],
    ["", key({ return: true }), ["enter"]],
    ["", key({ escape: true }), ["escape"]],
    ["", key({ pageDown: true }), ["page-down"]],
    ["c", key({ ctrl: true }), ["ctrl-c"]],
    ["x\r?", key(), ["x", "enter", "?"]],
    ["x\u0003", key(), ["x", "ctrl-c"]],
  ])("%j", (input, pressed, names) => {
    expect(keyNames(input, pressed)).toEqual(names);
  });
});
