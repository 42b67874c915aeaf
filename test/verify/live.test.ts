import { Chalk } from "chalk";
import { describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/checking/verify-result.ts";
import { columnsOf } from "../../src/output/layout.ts";
import { paintWith } from "../../src/output/paint.ts";
import type { CheckEvent } from "../../src/verify/check-event.ts";
import { pictureLines } from "../../src/verify/live/live-lines.ts";
import { afterEvent, startOfLive } from "../../src/verify/live/live-state.ts";
import { startTerminal } from "../rig/terminal.ts";
import { startEditedApp } from "./edited-app.ts";

const paint = paintWith(new Chalk({ level: 0 }), 80);
const title = (id: string) => `The guard refuses ${id}`;
const began = (part: string, id: string): CheckEvent => ({ what: "began", part, id, title: title(id) });
const SLOW = "the app takes about 0.4 s to answer";
const ended = (part: string, id: string, result: CheckResult["result"], pace: string | null = null): CheckEvent => ({
  what: "ended",
  part,
  check: { id, title: title(id), result } as CheckResult,
  pace,
});
const parts = [
  { name: "network", checks: 2 },
  { name: "terms", checks: 4 },
  { name: "webhook", checks: 3 },
];
const state = [
  { what: "planned", parts } as CheckEvent,
  began("network", "a"),
  ended("network", "a", "pass"),
  began("network", "b"),
  ended("network", "b", "fail"),
  began("terms", "c"),
].reduce(afterEvent, startOfLive);

describe("the live picture of a run", () => {
  it("has a line for each part, what runs now, what was found, and the whole", () => {
    expect(pictureLines(state, 3.7, { cols: 79, rows: 22 }, paint)).toEqual([
      "✗ network  ██████████ 2/2, 1 failed",
      "· terms    ░░░░░░░░░░ 0/4  The guard refuses c",
      "· webhook  ░░░░░░░░░░ 0/3",
      "✗ FAILED b network",
      "2 of 9 checks, 3 s",
    ]);
  });

  it("marks a part of which no check could run", () => {
    const planned = { what: "planned", parts: [{ name: "oauth", checks: 1 }] } as CheckEvent;
    const skipped = [planned, ended("oauth", "d", "skip")].reduce(afterEvent, startOfLive);
    expect(pictureLines(skipped, 1, { cols: 79, rows: 22 }, paint)).toEqual([
      "- oauth    ██████████ 1/1, all skipped",
      "1 of 1 checks, 1 s",
    ]);
  });

  it("says that the app is slow while checks are left", () => {
    const last = (events: readonly CheckEvent[]) =>
      pictureLines(events.reduce(afterEvent, state), 3.7, { cols: 79, rows: 22 }, paint).at(-1);
    expect(last([ended("terms", "c", "pass", SLOW)])).toBe(`3 of 9 checks, 3 s; ${SLOW}`);
    const rest = parts.flatMap(({ name, checks }) =>
      Array.from({ length: name === "network" ? 0 : checks }, (_, index) => ended(name, `${index}`, "pass", SLOW)),
    );
    expect(last(rest)).toBe("9 of 9 checks, 3 s");
  });

  it("does not count what an ending run leaves out", () => {
    const check = { id: "c", title: title("c"), result: "skip", reason: "interrupted" } as CheckResult;
    const events: CheckEvent[] = [
      { what: "ending", reason: "interrupted" },
      { what: "ended", part: "terms", check, pace: null },
    ];
    expect(pictureLines(events.reduce(afterEvent, state), 3.7, { cols: 79, rows: 22 }, paint)).toEqual([
      "✗ network  ██████████ 2/2, 1 failed",
      "· terms    ░░░░░░░░░░ 0/4",
      "· webhook  ░░░░░░░░░░ 0/3",
      "✗ FAILED b network",
      "2 of 9 checks, 3 s; ended early: interrupted",
    ]);
  });

  it("aligns the progress of its parts", () => {
    const planned = {
      what: "planned",
      parts: [
        { name: "a", checks: 118 },
        { name: "longer-name", checks: 9 },
      ],
    } as const;
    const running = [planned, began("a", "x"), began("longer-name", "y")].reduce(afterEvent, startOfLive);
    expect(pictureLines(running, 1, { cols: 79, rows: 22 }, paint).slice(0, 2)).toEqual([
      "· a           ░░░░░░░░░░   0/118  The guard refuses x",
      "· longer-name ░░░░░░░░░░   0/9    The guard refuses y",
    ]);
  });

  it.each([
    [20, 3],
    [39, 2],
    [199, 4],
    [40, 1],
  ])("fits %i columns and %i rows", (cols, rows) => {
    const lines = pictureLines(state, 1, { cols, rows }, paint);
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(lines.filter((line) => columnsOf(line) > cols)).toEqual([]);
  });
});

it("is drawn on a terminal above the report, and not in CI", async () => {
  await using edited = await startEditedApp([]);
  const [app] = edited.sim.config.apps;
  const env = {
    APP_SIM_APP: app?.url,
    APP_SIM_CLIENT_ID: app?.clientId,
    APP_SIM_CLIENT_SECRET: app?.clientSecret,
    APP_SIM_APP_SECRET: app?.appSecret,
    APP_SIM_PORT: "0",
    CI: "false",
  };
  await using terminal = startTerminal(["verify", "--only", "guard.body", "--jobs", "1"], {
    env,
    cols: 100,
    rows: 40,
  });
  await terminal.shows(/^\S network +\S{10} +\d+\/\d+/m);
  const screen = await terminal.shows(/Passed/);
  await terminal.ended;
  expect(terminal.leftChanged()).toEqual([]);
  expect(screen.join("\n")).toMatch(/✓ network +█{10} (\d+)\/\1\n[\s\S]*of \d+ checks, \d+ s\n\n/);
  await using plain = startTerminal(["verify", "--only", "guard.body"], { env: { ...env, CI: "true" } });
  await plain.ended;
  expect(plain.raw()).not.toContain("█");
});
