import { Writable } from "node:stream";
import { render, renderToString } from "ink";
import { createElement } from "react";
import { describe, expect, test } from "vitest";
import type { Moment } from "../../../src/guard/walk/walk-panel.tsx";
import { pageRows, type Size, WalkScreen } from "../../../src/guard/walk/walk-screen.tsx";
import type { WalkState } from "../../../src/guard/walk/walk-state.ts";
import { AbilitiesContext } from "../../../src/guard/walk/walk-text.tsx";
import { guardStage, interaction, result, stage, view, viewAt, walkAt } from "./walk-views.ts";

const normal: Size = { cols: 80, rows: 23 };
const tiny: Size = { cols: 20, rows: 4 };
const start: Moment = { now: 0, monotonic: 0, code: null };
const url = "http://127.0.0.1:7410/acme/login/GMOWNzUxQmlkAojQnKBoSvCr_08Vf64Uzsotmy3JHts";
const waiting = viewAt(4, { interaction: interaction() });
const link = { url, isOpened: false, trouble: null };

interface Shown {
  readonly moment?: Partial<Moment>;
  readonly size?: Size;
  /** Lines of the open exchange, and of the latest in short. */
  readonly exchange?: readonly string[];
  readonly latest?: readonly string[];
}

function screen(state: WalkState, { moment = {}, size = normal, exchange = [], latest = [] }: Shown = {}) {
  const page = pageRows(state, exchange, size.cols);
  return createElement(WalkScreen, { state, moment: { ...start, ...moment }, page, latest, size });
}

function drawn(state: WalkState, moment: Partial<Moment> = {}, size: Size = normal, more: Shown = {}) {
  return renderToString(screen(state, { moment, size, ...more }), { columns: size.cols });
}

describe("at 80 columns", () => {
  test("the first screen", () => {
    expect(drawn(walkAt(view()))).toMatchInlineSnapshot(`
      "Login as milan.member (member, user 102) from 203.0.113.10                  acme

      ›● Password       needs you
       ○ Second factor  not yet
       - Device trust   skipped: not enabled in this organization
       ○ Guard network  not yet                                       network · direct
       ○ Guard terms    not yet                                       terms · redirect
       ○ Remember me    not yet
       ○ Access         not yet

      ── Password: needs you ─────────────────────────────────────────── try 1 of 3 ──

        Enter sends the right password, x a wrong one.









      Enter right password  x wrong password  o open in browser         q quit  ? keys"
    `);
  });

  test("tries at a stage, and what was wrong with them", () => {
    const text = drawn(walkAt(viewAt(0, {}, { failures: ["wrong password"] })));
    expect(text).toMatch(/Password: needs you ─+ try 2 of 3/);
    expect(text).toContain("✗ try 1 of 3: wrong password");
  });

  test("the authenticator's code, in two groups, with the time that it has left", () => {
    const text = drawn(walkAt(viewAt(1)), { code: { code: "042917", secondsLeft: 15 } });
    expect(text).toContain("Authenticator  042 917   ████████████████████░░░░░░░░░░░░░░░░░░░░  15 s left");
  });

  test.each([20, 49, 50, 59, 60, 61, 70])("the code and its time are whole in %d columns", (cols) => {
    for (const rows of [4, 14]) {
      const text = drawn(walkAt(viewAt(1)), { code: { code: "042917", secondsLeft: 30 } }, { cols, rows });
      expect(text).toMatch(/042 917 .*30 s left$/m);
    }
  });

  test("a call, with its time so far and its limit", () => {
    const calling = viewAt(3, { call: { startedAt: 1000, limitMs: 10_000 } }, { status: "running" });
    const text = drawn(walkAt(calling), { monotonic: 4210 });
    expect(text).toMatch(/›● Guard network +calling the app +network · direct/);
    expect(text).toContain("█████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░  3.2 s of 10 s");
    expect(text).toContain("The first call.");
  });

  test("the second call", () => {
    const calling = { status: "running" as const, exchanges: ["first"] };
    const text = drawn(walkAt(viewAt(4, { call: { startedAt: 0, limitMs: 10_000 } }, calling)));
    expect(text).toContain("The final call, with the user's code.");
  });

  test("a guard that waits for its user: the link, the time left, what is wrong with the page", () => {
    const troubles = [{ reason: "the page cannot be framed", hint: "leave out X-Frame-Options" }];
    const text = drawn(walkAt({ ...waiting, interaction: interaction({ troubles }) }, { link }), { now: 18_500 });
    expect(text).toMatch(/Guard terms: needs you ─+ 9:42 left/);
    expect(text).toContain(`  Open this link in a browser:\n  ${url}\n`);
    expect(text).toContain("! the page cannot be framed\n    hint: leave out X-Frame-Options");
    expect(text).toContain("o open in browser");
    expect(drawn(walkAt(waiting, { link: { ...link, isOpened: true } }))).toContain(
      `  Your browser should have opened this link. If not, open it yourself:\n  ${url}\n`,
    );
  });

  test("a link that cannot be served", () => {
    const trouble = { reason: "port 7410 is taken", hint: "--port 0 takes a free one" };
    const text = drawn(walkAt(waiting, { link: { url: null, isOpened: false, trouble } }));
    expect(text).toContain("! port 7410 is taken\n    hint: --port 0 takes a free one");
  });

  test.each([
    ["granted", result(), "✓ Access", "── Access granted ─"],
    ["denied", result({ outcome: "denied", deniedBy: "network" }), "✗ Access", "── Access denied by network ─"],
    ["denied by no guard", result({ outcome: "denied" }), "✗ Access", "── Access denied ─"],
    ["left", result({ outcome: "needs-user" }), "! Access", "── Not granted: a user is needed ─"],
    [
      "interrupted",
      result({ outcome: "needs-user", failure: "interrupted" }),
      "! Access",
      "── Interrupted: access was",
    ],
    ["granted without a guard", result({ stages: [] }), "✓ Access", "── Access granted, but there was no auth guard"],
  ])("the end: %s", (_, end, access, verdict) => {
    const text = drawn(
      walkAt(viewAt(5, { current: null, result: { ...end, reason: "Go away.", hint: "Use the VPN." } })),
    );
    expect(text).toContain(access);
    expect(text).toContain(verdict);
    expect(text).toMatch(/Go away\.\n\n {2}hint: Use the VPN\./);
    expect(text).toContain("r log in again  Enter finish");
  });

  test("a login that could not begin", () => {
    const refused = result({ outcome: "denied", reason: "nothing listens", hint: "start the app", stages: [] });
    const text = drawn(walkAt(null, { refused }));
    expect(text).toMatch(/── Access denied ─+\n\n {2}nothing listens\n\n {2}hint: start the app/);
  });

  test("a login that is starting, and how long that takes", () => {
    expect(drawn(walkAt(null), { monotonic: 2300 })).toContain("Reading the manifest: 2.3 s");
  });

  test("a stage other than the current one", () => {
    const stages = [
      guardStage("network", { status: "passed", warnings: ["answered 201"], exchanges: ["a"] }),
      stage("remember-me", { status: "needs-user" }),
    ];
    const text = drawn(walkAt(view({ stages, current: 1 }), { selected: 0 }));
    expect(text).toMatch(/›✓ Guard network +passed +network · direct\n ● Remember me +needs you/);
    expect(text).toMatch(/── Guard network: passed ─+\n\n {2}! warning: answered 201\n/);
    expect(text).toContain("Esc back");
  });

  test("all the keys", () => {
    const text = drawn(walkAt(view(), { page: { type: "help", scroll: 0 } }));
    expect(text).toMatch(
      /── Keys ─+\nEnter {3}right password\nx {7}wrong password\no {7}open the login in your browser\n/,
    );
    expect(text).toContain("Ctrl-C  interrupt");
  });

  test("a second login says so", () => {
    expect(drawn(walkAt(view(), { round: 2 }))).toMatch(/^Login as milan\.member .* login 2 · acme\n/);
  });
});

describe("an exchange", () => {
  const login = view({ stages: [guardStage("network", { exchanges: ["a", "b"] })] });
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`);

  test("is shown from its scroll position, and not beyond its end", () => {
    const at = (scroll: number) =>
      drawn(walkAt(login, { page: { type: "exchange", id: "a", scroll } }), {}, normal, { exchange: lines });
    expect(at(0)).toMatch(/── Exchange 1 of 2 ─+ rows 1-20 of 50 ──\nline 1\n(.*\n)*line 20\nEsc back/);
    expect(at(99)).toMatch(/rows 31-50 of 50 ──\nline 31\n(.*\n)*line 50\nEsc back/);
  });

  test("is empty before the first call", () => {
    const page = { type: "exchange", id: null, scroll: 0 } as const;
    expect(drawn(walkAt(view(), { page }))).toContain("Nothing was sent yet.");
  });
});

describe("in little room", () => {
  test.each<[name: string, state: WalkState, moment: Partial<Moment>, rows: string[]]>([
    [
      "password",
      walkAt(view()),
      {},
      ["›● Password  needs …", "Enter sends the", "right password, x a", "Enter right…  ? keys"],
    ],
    [
      "second factor",
      walkAt(viewAt(1)),
      { code: { code: "042917", secondsLeft: 15 } },
      ["›● Second factor  n…", "042 917   15 s left", "Enter sends this", "Enter right…  ? keys"],
    ],
    [
      "a call",
      walkAt(viewAt(3, { call: { startedAt: 0, limitMs: 10_000 } }, { status: "running" })),
      { monotonic: 4000 },
      ["›● Guard network  c…", "██░░░  4.0 s of 10 s", "The first call.", "o open in b…  ? keys"],
    ],
    [
      "a guard that waits",
      walkAt(waiting, { link }),
      {},
      ["›● Guard terms  nee…", "10:00 left", "link: press o or l", "o open in b…  ? keys"],
    ],
    [
      "denied",
      walkAt(viewAt(3, { current: null, result: result({ outcome: "denied", reason: "Not from here." }) })),
      {},
      ["›✗ Access  denied", "Not from here.", "", "r log in ag…  ? keys"],
    ],
  ])("%s, at 20×5", (_, state, moment, rows) => {
    expect(drawn(state, moment, tiny).split("\n")).toEqual(rows);
  });

  test("the stages around the current one, and the number of others", () => {
    const guards = Array.from({ length: 30 }, (_, index) =>
      guardStage(`g${index}`, { status: index < 15 ? "passed" : index === 15 ? "running" : "waiting" }),
    );
    const calling = view({ stages: guards, current: 15, call: { startedAt: 0, limitMs: 10_000 } });
    const text = drawn(walkAt(calling), {}, { cols: 60, rows: 14 });
    expect(text).toMatch(/↑ 1\d more\n(.*\n)*›● Guard g15 (.*\n)*.*↓ 1\d more\n/);
  });

  test("fewer keys, and where the others are", () => {
    expect(drawn(walkAt(view()), {}, { cols: 50, rows: 10 }).split("\n").at(-1)).toBe(
      "Enter right password  x wrong password      ? keys",
    );
  });
});

describe("the link", () => {
  const state = walkAt(waiting, { link });

  test.each([
    [60, 20],
    [40, 11],
    [30, 23],
  ])("is whole in %d columns and %d rows", (cols, rows) => {
    const text = drawn(state, {}, { cols, rows });
    expect(text.replaceAll(/\n */g, "")).toContain(url);
  });

  test("has a separate page, which can be scrolled, if there is no room for it", () => {
    expect(drawn(state, {}, tiny)).toContain("link: press o or l");
    const pages = [0, 1].map((scroll) => drawn({ ...state, page: { type: "link", scroll } }, {}, tiny).split("\n"));
    expect(
      pages[0]
        ?.slice(0, 3)
        .concat(pages[1]?.[2] ?? "")
        .join(""),
    ).toBe(url);
  });

  test("is clickable in each row, if the terminal is known to support that", () => {
    const size = { cols: 40, rows: 23 };
    const abilities = { color: false, links: true };
    const element = createElement(AbilitiesContext, { value: abilities }, screen(state, { size }));
    const text = renderToString(element, { columns: size.cols });
    expect(text.split(`\u001b]8;;${url}\u0007`)).toHaveLength(3);
  });
});

test("in 40 columns the title is whole, and so are the reasons of skipped stages", () => {
  const rows = drawn(walkAt(view()), {}, { cols: 40, rows: 24 }).split("\n");
  expect(rows[0]).toMatch(/^\S+ from [\d.]+$/);
  const skipped = rows.filter((row) => row.includes("skipped"));
  expect(skipped.length).toBeGreaterThan(0);
  for (const row of skipped) expect(row).not.toContain("…");
});

test("the latest exchange fills the rest of the screen, if there is enough room", () => {
  const latest = ["→ POST /network", "← 200"];
  expect(drawn(walkAt(view()), {}, normal, { latest })).toMatch(
    /x a wrong one\.\n\n── Latest exchange ─+ d shows all ──\n {2}→ POST \/network\n {2}← 200\n/,
  );
  expect(drawn(walkAt(view()), {}, { cols: 80, rows: 12 }, { latest })).not.toContain("Latest exchange");
});

test("a long request leaves out its last rows, and says so, so that its answer is seen", () => {
  const latest = ["→ POST /network", ...Array.from({ length: 30 }, (_, at) => `row ${at}`), "← 200"];
  const screens = [14, 16, 20, 24].map((rows) => drawn(walkAt(view()), {}, { cols: 80, rows }, { latest }));
  const shown = screens.filter((text) => text.includes("Latest exchange"));
  expect(shown.length).toBeGreaterThan(1);
  for (const text of shown) expect(text).toMatch(/→ POST \/network[\s\S]*…\n {2}← 200\n/);
});

test("S15: a screen reader gets the words without the decoration", async () => {
  let told = "";
  const stdout = new Writable({
    write(text, _, done) {
      told += text;
      done();
    },
  });
  const app = render(screen(walkAt(viewAt(1)), { moment: { code: { code: "042917", secondsLeft: 15 } } }), {
    stdout: Object.assign(stdout, { columns: 80 }) as unknown as NodeJS.WriteStream,
    isScreenReaderEnabled: true,
    patchConsole: false,
  });
  app.unmount();
  await app.waitUntilExit();
  expect(told).toContain("Second factor: needs you");
  expect(told).toContain("15 s left");
  expect(told).not.toMatch(/[─█░]/);
});
