import { expect, test } from "vitest";
import { twoTabsCheck } from "../../src/guard-checks/pages/return/two-tabs-check.ts";
import {
  frameSwitchedCheck,
  judgeSwitched,
  judgeTwoTabs,
  type RedeemedWalk,
} from "../../src/guard-checks/pages/shared-logins.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

const callback = (state: string) => new URL(`http://127.0.0.1:7410/acme/guard/callback?state=${state}&code=c`);
const onePost = exchangeRecord("call_1");
const walked = {
  callback: null,
  state: "own",
  exchanges: [onePost],
  buttons: ["Confirm"],
  endButtons: ["Confirm"],
  isDeadEnd: false,
};
const letIn: RedeemedWalk = { walk: { ...walked, outcome: { code: "c" } }, isLetIn: true };
const another: RedeemedWalk = { ...letIn, walk: { ...letIn.walk, state: "other" } };
const refused: RedeemedWalk = { ...letIn, isLetIn: false };
const stayed: RedeemedWalk = { walk: { ...walked, outcome: null }, isLetIn: false };
const inVain: RedeemedWalk = { ...stayed, walk: { ...stayed.walk, isDeadEnd: true } };
const toLogOut: RedeemedWalk = { ...inVain, walk: { ...inVain.walk, endButtons: ["Confirm", "Log out"] } };
const tooMany = { status: 429, headers: [], body: onePost.request.body };
const limiting = exchangeRecord("call_2", { response: tooMany });
const told: RedeemedWalk = { ...inVain, walk: { ...inVain.walk, endButtons: [] } };
const limited: RedeemedWalk = { ...inVain, walk: { ...inVain.walk, exchanges: [limiting] } };
const unopened: RedeemedWalk = { ...stayed, walk: { ...stayed.walk, exchanges: [] } };
const withState = (state: string): RedeemedWalk => ({ ...letIn, walk: { ...letIn.walk, callback: callback(state) } });

test.each<[what: string, afters: readonly RedeemedWalk[], alone: readonly RedeemedWalk[], result: string]>([
  ["is let in", [letIn], [letIn], "pass"],
  ["comes back with their own state", [withState("own")], [letIn], "pass"],
  ["is not let past the page, because the other has to log out first", [stayed], [letIn], "pass"],
  ["is not let past the page, and only the same button is left, twice", [inVain, inVain], [letIn, letIn], "fail"],
  ["is not let past the page, and only the same button is left, once", [inVain, letIn], [letIn, letIn], "pass"],
  ["is not let past the page, but can log the other out", [toLogOut, toLogOut], [letIn, letIn], "pass"],
  ["is told to close the browser first", [told, told], [letIn, letIn], "pass"],
  ["is limited for a while", [limited, limited], [letIn, letIn], "pass"],
  ["cannot even open the page", [unopened], [letIn], "skip"],
  ["comes back with another state, twice", [withState("other"), withState("other")], [letIn, letIn], "fail"],
  ["comes back with a state of nobody's, twice", [withState("?"), withState("?")], [letIn, letIn], "pass"],
  ["is refused with the code that was issued, twice", [refused, refused], [letIn, letIn], "fail"],
  ["is refused only once", [refused, letIn], [letIn, letIn], "pass"],
  ["is refused, also in a browser of their own", [refused, refused], [refused, refused], "skip"],
  ["is refused, and then also in a browser of their own", [refused, refused], [letIn, refused], "skip"],
])("the user after another one in the same browser %s", (_, afters, alone, result) => {
  const tries = afters.map((after) => ({ first: another, after }));
  expect(judgeSwitched(frameSwitchedCheck, tries, alone).result).toBe(result);
});

test("a browser in which the first user does not pass the page shows nothing", () => {
  expect(judgeSwitched(frameSwitchedCheck, [{ first: stayed, after: letIn }], [letIn]).result).toBe("skip");
});

const both = { older: letIn, newer: another };
const mixed = { older: refused, newer: another };
const asOlder = { ...another, walk: { ...another.walk, callback: callback("own") } };

test.each<[what: string, tries: Parameters<typeof judgeTwoTabs>[1], alone: readonly RedeemedWalk[], result: string]>([
  ["both let in", [both], [], "pass"],
  ["the older one refused, because the newer one replaced it", [{ ...both, older: stayed }], [], "pass"],
  ["the older one with the state of the newer one", Array(2).fill({ ...both, older: withState("other") }), [], "fail"],
  [
    "the older one with the state of the newer one, which then fails",
    Array(2).fill({ older: withState("other"), newer: { ...another, walk: { ...another.walk, outcome: null } } }),
    [],
    "fail",
  ],
  ["the newer one with the state of the older one", Array(2).fill({ ...both, newer: asOlder }), [], "fail"],
  ["the older one with a state of nobody's", Array(2).fill({ ...both, older: withState("?") }), [], "pass"],
  ["the older one with a code that is not its own", [mixed, mixed], [letIn, letIn], "fail"],
  ["the older one with a code that is not its own, once", [mixed, both], [letIn, letIn], "pass"],
  ["a code that is refused alone, too", [mixed, mixed], [refused, letIn], "skip"],
  ["the newer one not passed", [{ ...both, newer: stayed }], [], "skip"],
])("two logins in two tabs: %s", (_, tries, alone, result) => {
  expect(judgeTwoTabs(twoTabsCheck, tries, alone).result).toBe(result);
});
