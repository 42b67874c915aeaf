import { describe, expect, test } from "vitest";
import {
  beginWalk,
  hasPassedPlainStages,
  latestExchange,
  needsLink,
  nextState,
  openExchange,
  type WalkAction,
  type WalkPage,
  type WalkState,
} from "../../../src/guard/walk/walk-state.ts";
import { guardStage, interaction, result, stage, viewAt, walkAt } from "./walk-views.ts";

const extent = { seen: 10, all: 25 };
const act = (state: WalkState, action: WalkAction) => nextState(state, { type: "acted", action, extent });
const exchangePage = (id: string | null, scroll = 0): WalkPage => ({ type: "exchange", id, scroll });
const withExchanges = viewAt(4, {
  stages: [
    stage("password", { status: "passed" }),
    guardStage("network", { status: "passed", exchanges: ["a", "b"] }),
    guardStage("terms", { status: "running", exchanges: ["c"] }),
  ],
  current: 2,
});

describe("another login", () => {
  test.each([
    ["after a guard", walkAt(viewAt(4, { result: result() })), true],
    ["after the password", walkAt(viewAt(0)), false],
    ["after the second factor", walkAt(viewAt(1)), false],
    ["after one that never began", walkAt(null), false],
  ])("%s: whether its first stages need no keys", (_, state, expected) => {
    expect(hasPassedPlainStages(state)).toBe(expected);
  });

  test("the previous login is no longer shown once another is requested", () => {
    const before = walkAt(withExchanges, {
      selected: 1,
      page: exchangePage("a"),
      link: { url: "http://x", isOpened: true, trouble: null },
    });
    const state = nextState(before, { type: "login-asked", at: 7 });
    expect(state).toEqual({ ...beginWalk({ attempts: 3, canOpen: true }), round: 2, askedAt: 7 });
  });
});

describe("the link", () => {
  const waiting = viewAt(4, { interaction: interaction() });

  test("is opened when a guard first waits for its user, and only once", () => {
    const before = walkAt(viewAt(4));
    const after = nextState(before, { type: "login-changed", view: waiting });
    expect(needsLink(before, after)).toBe(true);
    const troubled = viewAt(4, { interaction: interaction({ troubles: [{ reason: "late", hint: null }] }) });
    expect(needsLink(after, nextState(after, { type: "login-changed", view: troubled }))).toBe(false);
  });

  test("is not opened a second time: the open page goes on to the next guard", () => {
    const before = walkAt(viewAt(4), { link: { url: "http://x", isOpened: true, trouble: null } });
    expect(needsLink(before, nextState(before, { type: "login-changed", view: waiting }))).toBe(false);
  });

  test("stays open, and a problem disappears with the next success", () => {
    const failed = nextState(walkAt(waiting), {
      type: "link-failed",
      trouble: { reason: "port taken", hint: "another" },
    });
    expect(failed.link).toEqual({
      url: null,
      isOpened: false,
      trouble: { reason: "port taken", hint: "another" },
    });
    const found = nextState(failed, { type: "link-found", url: "http://x", isOpened: true });
    expect(found.link).toEqual({ url: "http://x", isOpened: true, trouble: null });
    const again = nextState(found, { type: "link-found", url: "http://x", isOpened: false });
    expect(again.link.isOpened).toBe(true);
  });
});

describe("the selected stage", () => {
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
    expect(act(walkAt(viewAt(4), { selected }), action).selected).toBe(expected);
  });

  test("is Access at the end", () => {
    expect(act(walkAt(viewAt(4, { current: null, result: result() })), "up").selected).toBe(5);
  });
});

describe("the shown exchange", () => {
  const shown: [name: string, state: Partial<WalkState>, exchange: string | null][] = [
    ["none without a page", {}, null],
    ["the latest", { page: exchangePage(null) }, "c"],
    ["a chosen one", { page: exchangePage("a") }, "a"],
    ["none under the help", { page: { type: "help", scroll: 0 } }, null],
  ];
  test.each(shown)("%s", (_, overrides, expected) => {
    expect(openExchange(walkAt(withExchanges, overrides))).toBe(expected);
  });

  test("is the last of the selected stage", () => {
    expect(act(walkAt(withExchanges, { selected: 1 }), "details").page).toEqual(exchangePage("b"));
    expect(act(walkAt(withExchanges, { selected: 0 }), "details").page).toEqual(exchangePage(null));
  });

  test("next to the stages is the latest of the login, or of the selected stage", () => {
    expect([null, 1, 0].map((selected) => latestExchange(walkAt(withExchanges, { selected })))).toEqual([
      "c",
      "b",
      null,
    ]);
  });

  const turns: [from: string | null, action: WalkAction, to: WalkPage][] = [
    [null, "earlier", exchangePage("b")],
    [null, "later", exchangePage(null, 4)],
    ["b", "earlier", exchangePage("a")],
    ["b", "later", exchangePage("c")],
    ["a", "earlier", exchangePage("a", 4)],
  ];
  test.each(turns)("%s, %s", (id, action, expected) => {
    expect(act(walkAt(withExchanges, { page: exchangePage(id, 4) }), action).page).toEqual(expected);
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
    const state = act(walkAt(withExchanges, { page: exchangePage("a", scroll) }), action);
    expect(state.page).toEqual(exchangePage("a", expected));
  });

  test("does not scroll when all of it is visible", () => {
    const state = walkAt(withExchanges, { page: exchangePage("a") });
    const action = nextState(state, { type: "acted", action: "bottom", extent: { seen: 10, all: 3 } });
    expect(action.page).toEqual(exchangePage("a"));
  });

  test.each(["help", "link", "details"] as const)("the key of a page closes it again: %s", (action) => {
    const opened = act(walkAt(withExchanges), action);
    expect(opened.page).not.toBeNull();
    expect(act(opened, action).page).toBeNull();
  });

  test("is closed before the selected stage", () => {
    const state = act(walkAt(withExchanges, { selected: 1, page: exchangePage("b") }), "close");
    expect(state).toMatchObject({ page: null, selected: 1 });
  });
});
