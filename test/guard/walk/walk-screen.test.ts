import { Writable } from "node:stream";
import { render, renderToString } from "ink";
import { createElement } from "react";
import { expect, test } from "vitest";
import { WalkScreen } from "../../../src/guard/walk/walk-screen.tsx";
import { blank, type Row, row } from "../../../src/guard/walk/walk-text.ts";

const rows: readonly Row[] = [
  { ...row("── Password ──"), spoken: "Password\u001b[2J" },
  blank,
  row("✓ Device trust  passed"),
  row(""),
];

test("every row takes one row, also where nothing is in it", () => {
  const drawn = renderToString(createElement(WalkScreen, { rows, hasColor: false }));
  expect(drawn).toBe("── Password ──\n\n✓ Device trust  passed\n");
});

test("S15: a screen reader is told the words without the ornaments, and they are harmless too", async () => {
  let told = "";
  const stdout = new Writable({
    write(text, _, done) {
      told += text;
      done();
    },
  });
  const app = render(createElement(WalkScreen, { rows, hasColor: false }), {
    stdout: Object.assign(stdout, { columns: 80 }) as unknown as NodeJS.WriteStream,
    isScreenReaderEnabled: true,
    patchConsole: false,
  });
  app.unmount();
  await app.waitUntilExit();
  expect(told).toContain("Password␛[2J\n✓ Device trust  passed");
  expect(told).not.toContain("──");
  expect(told).not.toContain("\u001b[2J");
});
