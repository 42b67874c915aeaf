import { describe, expect, test } from "vitest";
import {
  beginWalk,
  type Cover,
  shownExchange,
  step,
  type WalkAction,
  type WalkEffect,
  type WalkState,
} from "../../../src/guard/walk/walk-state.ts";
import { guardStage, interaction, result, stage, view, viewAt, walkAt } from "./walk-views.ts";

const extent = { seen: 10, all: 25 };
const act = (state: WalkState, action: WalkAction) => step(state, { type: "acted", action, extent });
const exchangeCover = (id: string | null, scroll = 0): Cover => ({ type: "exchange", id, scroll });
const withExchanges = viewAt(4, {
  stages: [
    stage("password", { status: "passed" }),
    guardStage("network", { status: "passed", exchanges: ["a", "b"] }),
    guardStage("terms", { status: "running", exchanges: ["c"] }),
  ],
  current: 2,
});

describe("what somebody does", () => {
  const effects: [name: string, state: WalkState, action: WalkAction, effects: WalkEffect[]][] = [
    ["the right thing", walkAt(view()), "do-right", [{ type: "enter", isRight: true }]],
    ["the wrong thing", walkAt(view()), "do-wrong", [{ type: "enter", isRight: false }]],
    ["opening the link", walkAt(view()), "open", [{ type: "link" }]],
    ["quitting", walkAt(view()), "quit", [{ type: "leave", isInterrupted: false }]],
    ["Ctrl-C", walkAt(view()), "interrupt", [{ type: "leave", isInterrupted: true }]],
    ["a retry after a guard", walkAt(viewAt(4, { result: result() })), "retry", [{ type: "begin", again: true }]],
    ["a retry after the password", walkAt(viewAt(0)), "retry", [{ type: "begin", again: false }]],
    ["a retry after the second factor", walkAt(viewAt(1)), "retry", [{ type: "begin", again: false }]],
    ["a retry of a login that never began", walkAt(null), "retry", [{ type: "begin", again: false }]],
    ["help", walkAt(view()), "help", []],
    ["details", walkAt(view()), "details", []],
  ];
  test.each(effects)("%s", (_, state, action, expected) => {
    expect(act(state, action).effects).toEqual(expected);
  });

  test("nothing is shown any more of the login before, once another is asked for", () => {
    const before = walkAt(withExchanges, {
      selected: 1,
      cover: exchangeCover("a"),
      link: { url: "http://x", isOpened: true, trouble: null },
    });
    const { state } = step(before, { type: "login-asked", at: 7 });
    expect(state).toEqual({ ...beginWalk({ attempts: 3, canOpen: true }), round: 2, askedAt: 7 });
  });
});

describe("the link", () => {
  const waiting = viewAt(4, { interaction: interaction() });

  test("is found when a guard first waits for its user, and once for that time", () => {
    const came = step(walkAt(viewAt(4)), { type: "login-changed", view: waiting });
    expect(came.effects).toEqual([{ type: "link" }]);
    const troubled = viewAt(4, { interaction: interaction({ troubles: [{ reason: "late", hint: null }] }) });
    expect(step(came.state, { type: "login-changed", view: troubled }).effects).toEqual([]);
  });

  test("is not opened a second time: the open page goes on to the next guard", () => {
    const link = { url: "http://x", isOpened: true, trouble: null };
    expect(step(walkAt(viewAt(4), { link }), { type: "login-changed", view: waiting }).effects).toEqual([]);
  });

  test("stays opened, and a trouble goes away with the next success", () => {
    const failed = step(walkAt(waiting), { type: "link-failed", trouble: { reason: "port taken", hint: "another" } });
    expect(failed.state.link).toEqual({
      url: null,
      isOpened: false,
      trouble: { reason: "port taken", hint: "another" },
    });
    const found = step(failed.state, { type: "link-found", url: "http://x", isOpened: true });
    expect(found.state.link).toEqual({ url: "http://x", isOpened: true, trouble: null });
    const again = step(found.state, { type: "link-found", url: "http://x", isOpened: false });
    expect(again.state.link.isOpened).toBe(true);
  });
});

describe("the stage that is looked at", () => {
  const moves: [from: number | null, action: WalkAction, to: number | null][] = [
    [null, "up", 3],
    [null, "down", 5],
    [3, "down", null],
    [0, "up", 0],
    [6, "down", 6],
    [null, "top", 0],
    [null, "bottom", 6],
    [1, "page-down", 6],
    [2, "close", null],
    [null, "close", null],
  ];
  test.each(moves)("%s, %s: %s", (selected, action, expected) => {
    expect(act(walkAt(viewAt(4), { selected }), action).state.selected).toBe(expected);
  });

  test("is Access at the end", () => {
    expect(act(walkAt(viewAt(4, { current: null, result: result() })), "up").state.selected).toBe(5);
  });
});

describe("the exchange that is shown", () => {
  const shown: [name: string, state: Partial<WalkState>, exchange: string | null][] = [
    ["none without a cover", {}, null],
    ["the latest", { cover: exchangeCover(null) }, "c"],
    ["a chosen one", { cover: exchangeCover("a") }, "a"],
    ["none under the help", { cover: { type: "help" } }, null],
  ];
  test.each(shown)("%s", (_, overrides, expected) => {
    expect(shownExchange(walkAt(withExchanges, overrides))).toBe(expected);
  });

  test("is the last of the stage that is looked at", () => {
    expect(act(walkAt(withExchanges, { selected: 1 }), "details").state.cover).toEqual(exchangeCover("b"));
    expect(act(walkAt(withExchanges, { selected: 0 }), "details").state.cover).toEqual(exchangeCover(null));
  });

  const turns: [from: string | null, action: WalkAction, to: Cover][] = [
    [null, "earlier", exchangeCover("b")],
    [null, "later", exchangeCover(null, 4)],
    ["b", "earlier", exchangeCover("a")],
    ["b", "later", exchangeCover("c")],
    ["a", "earlier", exchangeCover("a", 4)],
  ];
  test.each(turns)("%s, %s", (id, action, expected) => {
    expect(act(walkAt(withExchanges, { cover: exchangeCover(id, 4) }), action).state.cover).toEqual(expected);
  });

  const scrolls: [from: number, action: WalkAction, to: number][] = [
    [0, "up", 0],
    [0, "down", 1],
    [15, "down", 15],
    [99, "up", 14],
    [0, "page-down", 9],
    [9, "page-down", 15],
    [15, "page-up", 6],
    [3, "top", 0],
    [3, "bottom", 15],
  ];
  test.each(scrolls)("scrolled from %s, %s: %s", (scroll, action, expected) => {
    const { state } = act(walkAt(withExchanges, { cover: exchangeCover("a", scroll) }), action);
    expect(state.cover).toEqual(exchangeCover("a", expected));
  });

  test("stays where it is when all of it is seen", () => {
    const state = walkAt(withExchanges, { cover: exchangeCover("a") });
    const action = step(state, { type: "acted", action: "bottom", extent: { seen: 10, all: 3 } });
    expect(action.state.cover).toEqual(exchangeCover("a"));
  });

  test("is closed before the stage that is looked at", () => {
    const { state } = act(walkAt(withExchanges, { selected: 1, cover: exchangeCover("b") }), "close");
    expect(state).toMatchObject({ cover: null, selected: 1 });
  });
});
