import { renderToString } from "ink";
import { describe, expect, test } from "vitest";
import { toRows, words } from "../../../src/guard/walk/walk-text.tsx";
import { hasHyperlinks } from "../../../src/output/hyperlink.ts";

describe("toRows", () => {
  test("keeps app-sim's colours, even if a line continues in the next row", () => {
    expect(toRows(["\u001b[1m← 200\u001b[22m fine"], 80)).toEqual(["\u001b[1m← 200\u001b[22m fine"]);
    expect(toRows(["a\u001b[31mbcd\u001b[39m"], 3)).toEqual(["a\u001b[31mbc\u001b[39m", "\u001b[31md\u001b[39m"]);
  });

  test("S15: makes everything else harmless", () => {
    expect(toRows(["a\u001b[2Jb\u001b]0;x\u0007\u202e\r"], 80)).toEqual(["a␛[2Jb␛]0;x␇<U+202E>␍"]);
  });

  test("breaks words that are too long, and keeps empty lines and indents", () => {
    expect(toRows(["", "  a", "http://127.0.0.1/x"], 10)).toEqual(["", "  a", "http://127", ".0.0.1/x"]);
  });

  test("indents continued lines like their first, if that leaves room", () => {
    expect(toRows([`  ${"t".repeat(12)}`, "    a bc def"], 8)).toEqual(["  tttttt", "  tttttt", "    a bc", "    def"]);
    expect(toRows([`  \u001b[31m${"t".repeat(8)}\u001b[39m`], 8)).toEqual([
      "  \u001b[31mtttttt\u001b[39m",
      "  \u001b[31mtt\u001b[39m",
    ]);
    expect(toRows([`     ${"t".repeat(8)}`], 8)).toEqual(["tttttttt"]);
  });
});

test("no row of a text begins with the space at which it was broken", () => {
  const said = "https://127.0.0.1:3000/manifest.json: no TLS connection to the app, with its reason";
  for (let columns = 38; columns <= 60; columns += 1) {
    const rows = renderToString(words(said), { columns }).split("\n");
    expect(rows.filter((row) => row.startsWith(" "))).toEqual([]);
    expect(rows.join(" ").replaceAll(/ +/g, " ")).toBe(said);
  }
  expect(renderToString(words(" from here"), { columns: 40 })).toBe(" from here");
});

test.each([
  [{}, false],
  [{ TERM: "xterm-256color" }, false],
  [{ TERM_PROGRAM: "iTerm.app" }, true],
  [{ TERM_PROGRAM: "Apple_Terminal" }, false],
  [{ TERM_PROGRAM: "WezTerm", TMUX: "/tmp/tmux" }, false],
  [{ TERM: "xterm-kitty" }, true],
  [{ WT_SESSION: "an-id" }, true],
  [{ VTE_VERSION: "4800" }, false],
  [{ VTE_VERSION: "7200" }, true],
])("clickable text with %j: %s", (env, expected) => {
  expect(hasHyperlinks(env)).toBe(expected);
});
