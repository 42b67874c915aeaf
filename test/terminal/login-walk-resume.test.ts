import { expect, test } from "vitest";
import { buildModule } from "../rig/build-module.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { startInTerminal } from "../rig/terminal.ts";

/** A walk whose login never begins, and whose picture stays as it is until the process goes on after a stop. */
const program = (walkModule: string) => `
  import { walkLogin } from ${JSON.stringify(walkModule)};
  const { stdin, stdout } = process;
  let monotonic = 0;
  await walkLogin({
    begin: () => new Promise(() => {}),
    users: [],
    attempts: 3,
    hide: (value) => value,
    open: null,
    clock: { now: () => 0, monotonic: () => monotonic },
    signal: new AbortController().signal,
    exchange: () => [],
    stdin,
    stdout,
    color: false,
    onResume: (listener) => {
      const resumed = () => {
        stdout.write("\\u001b[?1049l\\u001b[?25h\\u001b[20Bwhat a shell wrote");
        listener();
        stdout.write("\\u001b]0;resumed\\u0007");
        monotonic = 7000;
      };
      process.on("SIGCONT", resumed);
      return () => process.off("SIGCONT", resumed);
    },
  });
  process.exit(0);
`;

test("R30: a walk that was stopped and goes on draws itself again, on a screen of its own", async () => {
  using folder = makeTempDir();
  const walkModule = await buildModule("terminal/login-walk.tsx", folder.path);
  await using term = startInTerminal(process.execPath, ["--input-type=module", "-e", program(walkModule)]);
  const before = await term.shows("The manifest is read: 0.0 s");
  term.kill("SIGSTOP");
  term.kill("SIGCONT");
  const after = await term.shows("The manifest is read: 7.0 s");
  expect(after).toEqual(before.map((line) => line.replace("0.0 s", "7.0 s")));
  expect(term.leftChanged()).toEqual(expect.arrayContaining(["the cursor is hidden", "the alternate screen is on"]));
  term.press("q");
  expect(await term.ended).toMatchObject({ code: 0 });
  expect(term.leftChanged()).toEqual([]);
  expect(term.screen().join("\n")).not.toContain("The manifest is read");
});
