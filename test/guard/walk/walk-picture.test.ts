import { describe, expect, test } from "vitest";
import { exchangeRows } from "../../../src/guard/walk/walk-exchange.ts";
import type { Moment } from "../../../src/guard/walk/walk-panel.ts";
import { picture, type Size } from "../../../src/guard/walk/walk-picture.ts";
import type { WalkState } from "../../../src/guard/walk/walk-state.ts";
import { guardStage, interaction, result, stage, view, viewAt, walkAt } from "./walk-views.ts";

const normal: Size = { cols: 80, rows: 23 };
const tiny: Size = { cols: 20, rows: 4 };
const start: Moment = { now: 0, monotonic: 0, code: null };
const url = "http://127.0.0.1:7410/acme/login/GMOWNzUxQmlkAojQnKBoSvCr_08Vf64Uzsotmy3JHts";
const waiting = viewAt(4, { interaction: interaction() });
const link = { url, isOpened: false, trouble: null };

function drawn(state: WalkState, moment: Partial<Moment> = {}, size: Size = normal, exchange: readonly string[] = []) {
  const rows = picture(state, { ...start, ...moment }, exchangeRows(exchange, size.cols), size);
  const lines = rows.map((row) =>
    row.spans
      .map(({ text }) => text)
      .join("")
      .trimEnd(),
  );
  return lines.join("\n");
}

describe("at 80 columns", () => {
  test("the first screen", () => {
    expect(drawn(walkAt(view()))).toMatchInlineSnapshot(`
      "Login as milan.member (member, user 102) from 203.0.113.10                  acme

      ›● Password       your turn
       ○ Second factor  to come
       - Device trust   skipped: not enabled in this organization
       ○ Guard network  to come                                       network · direct
       ○ Guard terms    to come                                       terms · redirect
       ○ Remember me    to come
       ○ Access         to come

      ── Password: your turn ─────────────────────────────────────────── try 1 of 3 ──

        Enter gives the right password, x a wrong one.









      Enter right password   x wrong password   o open in browser   ↑↓ stages   q quit"
    `);
  });

  test("tries at a stage, and what was wrong with them", () => {
    const text = drawn(walkAt(viewAt(0, {}, { failures: ["wrong password"] })));
    expect(text).toMatch(/Password: your turn ─+ try 2 of 3/);
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

  test("a call, with the time it has taken of the time it may take", () => {
    const calling = viewAt(3, { call: { startedAt: 1000, limitMs: 10_000 } }, { status: "running" });
    const text = drawn(walkAt(calling), { monotonic: 4210 });
    expect(text).toMatch(/›● Guard network +the app is being asked +network · direct/);
    expect(text).toContain("█████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░  3.2 s of 10 s");
    expect(text).toContain("The app is asked for the first time.");
  });

  test("the second call", () => {
    const calling = { status: "running" as const, exchanges: ["first"] };
    const text = drawn(walkAt(viewAt(4, { call: { startedAt: 0, limitMs: 10_000 } }, calling)));
    expect(text).toContain("The app is asked again, with the code that the user brought.");
  });

  test("a guard that waits for its user: the link, the time left, what is wrong with the page", () => {
    const troubles = [{ reason: "the page cannot be framed", hint: "leave out X-Frame-Options" }];
    const text = drawn(walkAt({ ...waiting, interaction: interaction({ troubles }) }, { link }), { now: 18_500 });
    expect(text).toMatch(/Guard terms: your turn ─+ 9:42 left/);
    expect(text).toContain(`  Open this link in a browser:\n  ${url}\n`);
    expect(text).toContain("! the page cannot be framed\n    hint: leave out X-Frame-Options");
    expect(text).toContain("o open in browser");
    expect(drawn(walkAt(waiting, { link: { ...link, isOpened: true } }))).toContain(
      `  Your browser was told to open this link; if none came up, open it by hand:\n  ${url}\n`,
    );
  });

  test("a link that cannot be had", () => {
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
    ["granted without a guard", result({ stages: [] }), "✓ Access", "── Access granted, but no auth guard was there"],
  ])("the end: %s", (_, end, access, verdict) => {
    const text = drawn(
      walkAt(viewAt(5, { current: null, result: { ...end, reason: "Go away.", hint: "Use the VPN." } })),
    );
    expect(text).toContain(access);
    expect(text).toContain(verdict);
    expect(text).toMatch(/Go away\.\n\n {2}hint: Use the VPN\./);
    expect(text).toContain("r log in again   Enter finish");
  });

  test("a login that could not begin", () => {
    const refused = result({ outcome: "denied", reason: "nothing listens", hint: "start the app", stages: [] });
    const text = drawn(walkAt(null, { refused }));
    expect(text).toMatch(/── Access denied ─+\n\n {2}nothing listens\n\n {2}hint: start the app/);
  });

  test("a login that begins, and how long that takes", () => {
    expect(drawn(walkAt(null), { monotonic: 2300 })).toContain("The manifest is read: 2.3 s");
  });

  test("another stage than the one that the login is at", () => {
    const stages = [
      guardStage("network", { status: "passed", warnings: ["answered 201"], exchanges: ["a"] }),
      stage("remember-me", { status: "needs-user" }),
    ];
    const text = drawn(walkAt(view({ stages, current: 1 }), { selected: 0 }));
    expect(text).toMatch(/›✓ Guard network +passed +network · direct\n ● Remember me +your turn/);
    expect(text).toMatch(/── Guard network: passed ─+\n\n {2}! warning: answered 201\n/);
    expect(text).toContain("d shows what was sent and answered.");
    expect(text).toContain("Esc back");
  });

  test("all the keys", () => {
    const text = drawn(walkAt(view(), { cover: { type: "help" } }));
    expect(text).toMatch(/── Keys ─+\nEnter {3}right password\nx {7}wrong password\no {7}open in browser\n/);
    expect(text).toContain("Ctrl-C  interrupt");
  });

  test("a second login says so", () => {
    expect(drawn(walkAt(view(), { round: 2 }))).toMatch(/^Login as milan\.member .* login 2 · acme\n/);
  });
});

describe("an exchange", () => {
  const login = view({ stages: [guardStage("network", { exchanges: ["a", "b"] })] });
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`);

  test("is shown from where it is scrolled to, and no further than to its end", () => {
    const at = (scroll: number) =>
      drawn(walkAt(login, { cover: { type: "exchange", id: "a", scroll } }), {}, normal, lines);
    expect(at(0)).toMatch(/── Exchange 1 of 2 ─+ rows 1-20 of 50 ──\nline 1\n(.*\n)*line 20\nEsc back/);
    expect(at(99)).toMatch(/rows 31-50 of 50 ──\nline 31\n(.*\n)*line 50\nEsc back/);
  });

  test("is nothing before the first call", () => {
    const cover = { type: "exchange", id: null, scroll: 0 } as const;
    expect(drawn(walkAt(view(), { cover }))).toContain("Nothing was sent yet.");
  });
});

describe("in little room", () => {
  test.each<[name: string, state: WalkState, moment: Partial<Moment>, rows: string[]]>([
    [
      "password",
      walkAt(view()),
      {},
      ["›● Password  your t…", "Enter gives the", "right password, x a…", "Enter righ…   ? keys"],
    ],
    [
      "second factor",
      walkAt(viewAt(1)),
      { code: { code: "042917", secondsLeft: 15 } },
      ["›● Second factor  y…", "042 917   15 s left", "Enter gives this…", "Enter righ…   ? keys"],
    ],
    [
      "a call",
      walkAt(viewAt(3, { call: { startedAt: 0, limitMs: 10_000 } }, { status: "running" })),
      { monotonic: 4000 },
      ["›● Guard network  t…", "██░░░  4.0 s of 10 s", "The app is asked fo…", "o open in …   ? keys"],
    ],
    [
      "a guard that waits",
      walkAt(waiting, { link }),
      {},
      ["›● Guard terms  you…", "10:00 left, press o", "The app's page…", "o open in …   ? keys"],
    ],
    [
      "denied",
      walkAt(viewAt(3, { current: null, result: result({ outcome: "denied", reason: "Not from here." }) })),
      {},
      [" ○ Remember…  not r…", "›✗ Access     denied", "Not from here.", "r log in a…   ? keys"],
    ],
  ])("%s, at 20×5", (_, state, moment, rows) => {
    expect(drawn(state, moment, tiny).split("\n")).toEqual(rows);
  });

  test("the stages around the present one, and how many others there are", () => {
    const guards = Array.from({ length: 30 }, (_, index) =>
      guardStage(`g${index}`, { status: index < 15 ? "passed" : index === 15 ? "running" : "waiting" }),
    );
    const calling = view({ stages: guards, current: 15, call: { startedAt: 0, limitMs: 10_000 } });
    const text = drawn(walkAt(calling), {}, { cols: 60, rows: 14 });
    expect(text).toMatch(/↑ 1\d more\n(.*\n)*›● Guard g15 (.*\n)*.*↓ 1\d more\n/);
  });

  test("fewer keys, and where the others are", () => {
    expect(drawn(walkAt(view()), {}, { cols: 50, rows: 10 }).split("\n").at(-1)).toBe(
      "Enter right password   x wrong password   ? keys",
    );
  });
});
