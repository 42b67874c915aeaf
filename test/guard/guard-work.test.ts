import { expect, it } from "vitest";
import { misspeltGuardHint, nothingDone, workAt } from "../../src/guard/visit/guard-work.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { guardStages } from "../rig/simulation.ts";
import { CODE, html, type PageCall, redirect, startPageApp } from "./page-app.ts";

/** A page with both buttons, and what its guard wants. */
const page = (action: string) => (call: PageCall) =>
  html(
    call.call,
    `<form method="post" action="${action}?${call.query}"><input name="pin"><button name="press" value="Confirm">Confirm</button><button name="press" value="Accept">Accept</button></form>`,
  );
const judge = (button: string, pin: string) => (call: PageCall) => {
  const isRight = call.form.get("press") === button && call.form.get("pin") === pin;
  const state = call.query.get("state") ?? "";
  redirect(call.call, call.callback(isRight ? { state, code: CODE } : { state, error: `${call.form}` }));
};

const serves = manifestOf({
  guards: [
    guardEntry("terms", { type: "redirect", url: "/terms" }),
    guardEntry("presence", { type: "redirect", url: "/presence" }),
  ],
});

it("3.1: buttons and fields are given for each guard if their pages are alike", async () => {
  const pages = {
    "GET /terms": page("/terms/send"),
    "POST /terms/send": judge("Accept", "1"),
    "GET /presence": page("/presence/send"),
    "POST /presence/send": judge("Confirm", "2"),
  };
  await using run = await startPageApp(pages, { serves });
  const right = { fill: { "terms:pin": "1", "presence:pin": "2" }, press: ["terms=Accept", "presence=Confirm"] };
  const granted = await run.sim.guard({ page: right });
  expect([granted.outcome, granted.reason]).toEqual(["granted", null]);
  const named = await run.sim.guard({ page: { ...right, press: { terms: "Accept", presence: ["Confirm"] } } });
  expect(named.outcome).toBe("granted");
  const swapped = await run.sim.guard({ page: { ...right, press: ["terms=Confirm", "presence=Accept"] } });
  expect(swapped).toMatchObject({ outcome: "denied", deniedBy: "terms", reason: "pin=1&press=Confirm" });
  const some = await run.sim.guard({
    page: { fill: { pin: "2", "terms:pin": "1" }, press: ["terms=Accept", "Confirm"] },
  });
  expect(guardStages(some).map(({ result }) => result)).toEqual(["passed", "passed"]);
});

it("text before = or : is part of the name if it is not a guard of the login", () => {
  const work = { fill: { "form:pin": "1", "terms:pin": "2" }, press: ["a=b", "terms=c=d", "presence=e"] };
  const at = (key: string) => {
    const { fill, press } = workAt({ ...work, ...nothingDone() }, key, new Set(["terms", "presence"]));
    return { fill, press };
  };
  expect(at("terms")).toEqual({ fill: { "form:pin": "1", pin: "2" }, press: ["c=d", "a=b"] });
  expect(at("presence")).toEqual({ fill: { "form:pin": "1" }, press: ["e", "a=b"] });
});

it("names for only one guard: the hint shows how to write them", () => {
  const keys = [
    { key: "terms", hasPage: true },
    { key: "pin", hasPage: true },
    { key: "office", hasPage: false },
  ];
  const form = "for this guard only, write --press terms=BUTTON and --fill terms:FIELD=VALUE";
  expect(misspeltGuardHint(["terms:accept"], keys)).toBe(form);
  expect(misspeltGuardHint(["term=accept"], keys)).toBe('this login has no guard "term"; did you mean terms=accept?');
  expect(misspeltGuardHint(["accept", "network=b"], keys)).toBe('this login has no guard "network"');
  expect(misspeltGuardHint(["ofice=accept"], keys)).toBe('this login has no guard "ofice"');
  expect(misspeltGuardHint(["office=accept"], keys)).toBe('guard "office" has no page');
  expect(misspeltGuardHint(["accept"], keys)).toBeNull();
});
