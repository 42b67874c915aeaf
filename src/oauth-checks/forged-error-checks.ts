import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { withQuery } from "./callback-twins.ts";
import { type Journey, NO_SESSION_SEEN, type OAuthCheck, oauthCheck } from "./check.ts";
import { hasSession, isLogin, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";

/** Opens callbacks with an error that anybody can forge without knowing a state. */
async function openForged(tools: OAuthTools, browser: string, location: string): Promise<void> {
  for (const state of ["app-sim", null]) {
    const url = new URL(location);
    url.search = "";
    url.searchParams.set("error", "access_denied");
    if (state !== null) url.searchParams.set("state", state);
    await tools.open(browser, state === null ? "forged-plain" : "forged", url.href);
  }
}

const journey: Journey = {
  key: "oauth.error.forged",
  run: async (tools) => {
    const first = await tools.begin("A");
    await tools.open("A", "callback", first);
    await tools.use("A");
    await openForged(tools, "A", first);
    await tools.use("A", "use-after");
    const second = await tools.begin("B");
    await openForged(tools, "B", second);
    await tools.open("B", "callback", second);
    await tools.use("B");
    // An app may end the pending login on any wrong callback: one with a code shows whether it does.
    const third = await tools.begin("C");
    await tools.open("C", "wrong", withQuery(new URL(third), { state: "app-sim" }));
    await tools.open("C", "callback", third);
    await tools.use("C");
  },
};

const anybody =
  "Any site can send a browser to the callback with an error and a forged state. Such a callback has nothing to do with a login of that browser.";

/** Checks of callbacks with an error that belong to no login (interface 5.2). */
export const forgedErrorChecks: readonly OAuthCheck[] = [
  oauthCheck(
    {
      id: "oauth.error.session-kept",
      title: "A callback with an error and a forged state does not end a session",
      section: "5.2",
      severity: "should",
      why: anybody,
      fix: "Compare the state before anything else, and leave the session alone if it differs.",
    },
    {
      journey,
      judge: (evidence, check) => {
        if (!isLogin(evidence, "A")) return skipVerdict("no login got that far");
        const isIn = hasSession(evidence, visitOfRole(evidence, "A", "use-after"));
        if (isIn === null) return NO_SESSION_SEEN;
        return isIn ? PASSED : faulty(check, "after such a callback the browser was no longer logged in");
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.error.login-kept",
      title: "A callback with an error and a forged state does not end a pending login",
      section: "5.2",
      severity: "should",
      why: anybody,
      fix: "Delete the state of a login only when a callback with that state arrives.",
    },
    {
      journey,
      judge: (evidence, check) => {
        if (visitOfRole(evidence, "B", "callback") === undefined) return skipVerdict("no login got that far");
        if (isLogin(evidence, "B")) return PASSED;
        return isLogin(evidence, "C")
          ? faulty(check, "after such a callback the right one was refused")
          : skipVerdict("any wrong callback ends a pending login");
      },
    },
  ),
];
