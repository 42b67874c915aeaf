import { expect, test } from "vitest";
import {
  frameSwitchedCheck,
  judgeSwitched,
  type RedeemedWalk,
} from "../../src/guard-checks/pages/switched-in-browser.ts";

const callback = (state: string) => new URL(`http://127.0.0.1:7410/acme/guard/callback?state=${state}&code=c`);
const letIn: RedeemedWalk = { walk: { outcome: { code: "c" }, callback: null, state: "own" }, isLetIn: true };
const refused: RedeemedWalk = { ...letIn, isLetIn: false };
const stayed: RedeemedWalk = { walk: { outcome: null, callback: null, state: "own" }, isLetIn: false };
const withState = (state: string): RedeemedWalk => ({ ...letIn, walk: { ...letIn.walk, callback: callback(state) } });

test.each<[what: string, after: RedeemedWalk, alone: readonly RedeemedWalk[], result: string]>([
  ["is let in", letIn, [letIn, letIn], "pass"],
  ["comes back with the own state", withState("own"), [letIn, letIn], "pass"],
  ["is not let past the page, because the other has to log out first", stayed, [letIn, letIn], "pass"],
  ["comes back with another state", withState("other"), [letIn, letIn], "fail"],
  ["is refused with the code that was issued", refused, [letIn, letIn], "fail"],
  ["is refused, also in a browser of their own", refused, [refused, refused], "skip"],
  ["is refused, and then also in a browser of their own", refused, [letIn, refused], "skip"],
])("the user after another one in the same browser %s", (_, after, alone, result) => {
  expect(judgeSwitched(frameSwitchedCheck, after, alone).result).toBe(result);
});
