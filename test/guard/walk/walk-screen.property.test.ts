import fc from "fast-check";
import { renderToString } from "ink";
import { createElement } from "react";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import type { GuardResult } from "../../../src/guard/guard-result.ts";
import type { LoginView, StageView } from "../../../src/guard/login/login-view.ts";
import type { Moment } from "../../../src/guard/walk/walk-panel.tsx";
import { pageRows, type Size, WalkScreen } from "../../../src/guard/walk/walk-screen.tsx";
import type { WalkState } from "../../../src/guard/walk/walk-state.ts";
import { interaction, result, stageNames, view, walkAt } from "./walk-views.ts";

/** What an app may say: all that moves a cursor, joins what stands beside it, or is wider or narrower than it looks. */
const appText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.lorem({ maxCount: 12 }),
      fc.constantFrom(
        "\u001b[2J",
        "\u001b]0;title\u0007",
        "\r\n",
        "\u202e",
        "\ufe0f",
        "\u20e3",
        "\u200d",
        "\u0301".repeat(40),
      ),
      fc.constantFrom("日本語", "👩‍💻", "🇵🇱", "ก็", "ﷺ", "\u1100\u1161", "❤", "\u0600", "x".repeat(300)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));
const texts = fc.array(appText, { maxLength: 3 });
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });

const anyStage: fc.Arbitrary<StageView> = fc.record(
  {
    stage: fc.constantFrom(...stageNames, "guard" as const),
    module: appText,
    name: appText,
    description: maybe(appText),
    type: fc.constantFrom("direct", "redirect", "frame"),
    status: fc.constantFrom("waiting", "running", "needs-user", "passed", "denied", "failed", "skipped"),
    reason: appText,
    hint: appText,
    failures: texts,
    warnings: texts,
    exchanges: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 2 }),
  },
  { requiredKeys: ["stage", "status", "failures", "warnings", "exchanges"] },
);

const anyResult: fc.Arbitrary<GuardResult> = fc
  .record({
    outcome: fc.constantFrom("granted", "denied", "failed", "needs-user"),
    deniedBy: maybe(appText),
    reason: maybe(appText),
    hint: maybe(appText),
    failure: fc.constantFrom(null, "interrupted"),
    warnings: texts,
  })
  .map((overrides) => result(overrides));

const anyView: fc.Arbitrary<LoginView> = fc
  .record({
    domain: appText,
    stages: fc.array(anyStage, { minLength: 1, maxLength: 20 }),
    at: fc.nat(),
    call: maybe(fc.record({ startedAt: fc.nat(20_000), limitMs: fc.constantFrom(10_000, 60_000) })),
    interaction: maybe(
      fc.record({
        page: appText,
        expiresAt: fc.integer({ min: -1000, max: 100_000_000 }),
        troubles: fc.array(fc.record({ reason: appText, hint: maybe(appText) }), { maxLength: 3 }),
      }),
    ),
    result: maybe(anyResult),
  })
  .map(({ at, interaction: asked, ...login }) =>
    view({
      ...login,
      current: login.result === null ? at % login.stages.length : null,
      interaction: asked === null ? null : interaction(asked),
    }),
  );

const anyState: fc.Arbitrary<WalkState> = fc
  .record({
    login: maybe(anyView),
    refused: maybe(anyResult),
    selected: maybe(fc.nat(40)),
    canOpen: fc.boolean(),
    round: fc.integer({ min: 1, max: 12 }),
    page: maybe(
      fc.oneof(
        fc.record({ type: fc.constantFrom("help" as const, "link" as const), scroll: fc.nat(60) }),
        fc.record({ type: fc.constant("exchange" as const), id: maybe(fc.constantFrom("a", "b")), scroll: fc.nat(60) }),
      ),
    ),
    link: fc.record({
      url: maybe(fc.webUrl({ withQueryParameters: true, size: "large" })),
      isOpened: fc.boolean(),
      trouble: maybe(fc.record({ reason: appText, hint: maybe(appText) })),
    }),
  })
  .map(({ login, selected, ...overrides }) =>
    walkAt(login, {
      ...overrides,
      selected: selected === null || login === null ? null : selected % (login.stages.length + 1),
    }),
  );

const anyMoment: fc.Arbitrary<Moment> = fc.record({
  now: fc.nat(10_000_000),
  monotonic: fc.nat(40_000),
  code: maybe(fc.constant({ code: "123456", secondsLeft: 17 })),
});

const nothing = { failures: [], warnings: [], exchanges: [] };

const anySize = fc.record({ cols: fc.integer({ min: 20, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) });

// Our own colour codes are in these lines; the app's words in them are harmless already.
const anyLines = fc.array(
  appText.map((text) => `\u001b[1m→ POST\u001b[22m ${text.replaceAll("\u001b", "␛")}\u001b[2m in 3 ms\u001b[22m`),
  { maxLength: 30 },
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
const style = /\u001b\[[\d;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
const harmful = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

function rowsOf(state: WalkState, moment: Moment, lines: readonly string[], size: Size): string[] {
  const page = pageRows(state, lines, size.cols);
  const screen = createElement(WalkScreen, { state, moment, page, latest: lines, size });
  return renderToString(screen, { columns: size.cols }).split("\n");
}

describe("the picture of any login", () => {
  test("S15: is as high as the screen, not wider, and without control characters", () => {
    fc.assert(
      fc.property(anyState, anyMoment, anyLines, anySize, (state, moment, lines, size) => {
        const rows = rowsOf(state, moment, lines, size);
        expect(rows).toHaveLength(size.rows);
        for (const row of rows) {
          expect(stringWidth(row)).toBeLessThanOrEqual(size.cols);
          expect(row.replaceAll(style, "")).not.toMatch(harmful);
        }
      }),
      { numRuns: 30 },
    );
  });

  test.each(["\u0b02日本語", "की हिन्दी में लिखा"])("is not wider than the screen with %j", (text) => {
    const stages = [{ stage: "password" as const, status: "waiting" as const, reason: text, ...nothing }];
    for (let cols = 20; cols < 70; cols++) {
      const states = [walkAt(view({ stages })), walkAt(null, { refused: result({ reason: text.repeat(3) }) })];
      const rows = states.flatMap((state) =>
        rowsOf(state, { now: 0, monotonic: 0, code: null }, [], { cols, rows: 9 }),
      );
      for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(cols);
    }
  });

  test("shows the link whole, or the key that shows it", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, size: "large" }), anySize, (url, size) => {
        const state = walkAt(view({ interaction: interaction({ page: "the app's page" }) }), {
          link: { url, isOpened: false, trouble: null },
        });
        const shown = rowsOf(state, { now: 0, monotonic: 0, code: null }, [], size)
          .map((row) => row.trim())
          .join("");
        expect(shown.includes(url) || !shown.includes("://")).toBe(true);
        if (size.rows >= 4) expect(shown.includes(url) || shown.includes("link: press")).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
