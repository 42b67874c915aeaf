import { expect, test } from "vitest";
import { keys } from "../../rig/terminal.ts";
import { direct } from "./walk-guards.ts";
import { expectRestored, reachPassword, startWalk } from "./walk-rig.ts";

test("R30: a stopped walk that continues draws itself again, on its own screen", async () => {
  await using walk = await startWalk([direct]);
  const { term } = walk;
  await reachPassword(walk);
  const before = term.screen();
  term.scribble("\u001b[?1049l\u001b[?25h\u001b[20Bwhat a shell wrote");
  await term.shows("what a shell wrote");
  term.resume();
  const after = await term.shows("Password: needs you");
  expect(after).toEqual(before);
  expect(term.isRaw()).toBe(true);
  expect(term.leftChanged()).toEqual(expect.arrayContaining(["the cursor is hidden", "the alternate screen is on"]));
  term.press("x");
  await term.shows("try 2 of 3");
  term.press(keys.ctrlC);
  expect(await term.ended).toMatchObject({ code: 130 });
  await expectRestored(walk);
});
