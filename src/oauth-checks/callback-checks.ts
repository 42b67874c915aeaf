import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { sentParameter } from "../oauth-login/checks/login-facts.ts";
import { callbackTwinChecks, FORGED_LOGIN, otherCase, withQuery } from "./callback-twins.ts";
import {
  judgeRefusal,
  NO_SESSION_SEEN,
  type OAuthCheck,
  type OAuthCheckText,
  oauthCheck,
  type RefusedVisit,
} from "./check.ts";
import { exchangesIn, gotTokens, hasSession, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";

const strangersBrowser = "a callback in a browser that did not start the login";

function stateIsSent(evidence: OAuthEvidence): boolean {
  const begun = evidence.visits.find(({ authorization }) => authorization !== null);
  return sentParameter(begun?.authorization ?? null, "state") !== null;
}

const NO_STATE = skipVerdict("the app sends no state");

/** A check of a callback that must not log browser `B` in. */
function refusalCheck(
  text: OAuthCheckText,
  {
    run,
    browser = "B",
    what,
    visit = "callback",
    asking = "fault",
  }: {
    run(tools: OAuthTools): Promise<void>;
    browser?: string;
    what: string;
    visit?: string;
    asking?: RefusedVisit["asking"];
  },
): OAuthCheck {
  return oauthCheck(text, {
    journey: { key: text.id, run },
    judge: (evidence, check) =>
      stateIsSent(evidence) || asking === "right"
        ? judgeRefusal(evidence, check, { browser, what, visit, asking })
        : NO_STATE,
  });
}

const bindings: readonly OAuthCheck[] = [
  refusalCheck(
    {
      id: "oauth.callback.other-browser",
      title: "The callback refuses a login that another browser started",
      section: "5.2",
      why: FORGED_LOGIN,
      fix: "Bind the state to the browser with a cookie, and refuse a callback without it.",
    },
    {
      what: strangersBrowser,
      run: async (tools) => {
        await tools.open("B", "callback", await tools.begin("A"));
        await tools.use("B");
      },
    },
  ),
  refusalCheck(
    {
      id: "oauth.callback.other-login",
      title: "The callback refuses the state of another browser's login, if this one started its own",
      section: "5.2",
      why: FORGED_LOGIN,
      fix: "Compare the state with that of this browser, not with all states that the app has sent.",
    },
    {
      what: "a callback with another browser's state and code",
      run: async (tools) => {
        await tools.begin("B", { user: tools.subject.other });
        await tools.open("B", "callback", await tools.begin("A"));
        await tools.use("B");
      },
    },
  ),
  refusalCheck(
    {
      id: "oauth.callback.nothing-begun",
      title: "The callback refuses a code if no login was started",
      section: "5.2",
      why: "If no login was started there is no state to compare with, and two missing values are equal. With such a link a stranger can log users in as somebody else.",
      fix: "Refuse a callback without a pending login, with or without a state.",
    },
    {
      what: "a callback without state, in a browser that started no login,",
      run: async (tools) => {
        await tools.open("B", "callback", withQuery(new URL(await tools.begin("A")), { state: null }));
        await tools.use("B");
      },
    },
  ),
  refusalCheck(
    {
      id: "oauth.callback.state-used",
      title: "The callback refuses a used state, even with a new code",
      section: "5.2",
      why: "Anybody who finds a state that stays valid, in a log or a browser's history, can use it again. Each state belongs to one login.",
      fix: "Delete the state, from the store or the cookie, as soon as its callback arrives.",
    },
    {
      what: "a second callback with a used state and a new code",
      visit: "again",
      browser: "A",
      run: async (tools) => {
        const location = await tools.begin("A");
        const authorization = tools.lastAuthorization();
        await tools.open("A", "callback", location);
        if (authorization !== null) await tools.open("A", "again", await tools.authorizeAgain("A", authorization));
      },
    },
  ),
  refusalCheck(
    {
      id: "oauth.callback.replayed",
      title: "A callback that is opened again does not exchange its code again",
      section: "RFC 6749, 4.1.2",
      why: "A page that is reloaded, or opened again from the history, sends the code a second time. The platform then treats it as stolen, and revokes the user's tokens.",
      fix: "Delete the state as soon as its callback arrives, before exchanging the code.",
    },
    {
      what: "a callback that is opened a second time",
      visit: "again",
      browser: "A",
      run: async (tools) => {
        const location = await tools.begin("A");
        await tools.open("A", "callback", location);
        await tools.open("A", "again", location);
      },
    },
  ),
  refusalCheck(
    {
      id: "oauth.callback.code-unknown",
      title: "A code that the platform refuses logs nobody in",
      section: "5.2",
      why: "Anybody can call the callback with any code. Only the token endpoint's answer counts, and a refusal names no user.",
      fix: "Start a session only after the token endpoint has answered 200 with an access token.",
    },
    {
      what: "a callback with a code that the platform never issued",
      browser: "A",
      asking: "right",
      run: async (tools) => {
        const location = new URL(await tools.begin("A"));
        await tools.open(
          "A",
          "callback",
          withQuery(location, { code: otherCase(location.searchParams.get("code") ?? "") }),
        );
        await tools.use("A");
      },
    },
  ),
];

const injection = oauthCheck(
  {
    id: "oauth.callback.code-injected",
    title: "A code from somebody else's login logs nobody in",
    section: "5.2",
    why: "Codes leak, through logs and histories. With PKCE a code is useless in another login, which has another verifier.",
    fix: "Make a new code_verifier for each login, keep it with the state, and start no session if the exchange is refused.",
  },
  {
    journey: {
      key: "oauth.callback.code-injected",
      run: async (tools) => {
        const stolen = new URL(await tools.begin("B", { user: tools.subject.other }));
        const location = new URL(await tools.begin("A"));
        await tools.open("A", "callback", withQuery(location, { code: stolen.searchParams.get("code") }));
        await tools.use("A");
      },
    },
    judge: (evidence, check) => {
      const started = visitOfRole(evidence, "A", "start")?.authorization ?? null;
      if (sentParameter(started, "code_challenge") === null) {
        return skipVerdict("without PKCE nothing prevents using a code in another login (see oauth.request.pkce)");
      }
      return judgeRefusal(evidence, check, {
        browser: "A",
        what: "the code of another browser's login, with the right state,",
        asking: "right",
      });
    },
  },
);

const beganTwice = oauthCheck(
  {
    id: "oauth.login.begun-twice",
    title: "A user who starts a login twice in one browser can complete the second one",
    section: "5.2",
    why: "People click a login link twice, or open it in two tabs. The login that they started last must work.",
    fix: "Let a new login replace the pending one, or keep several by their states.",
  },
  {
    journey: {
      key: "oauth.login.begun-twice",
      run: async (tools) => {
        await tools.begin("A", { what: "first" });
        await tools.login("A");
      },
    },
    judge: (evidence, check) => {
      const use = visitOfRole(evidence, "A", "use");
      const callback = visitOfRole(evidence, "A", "callback");
      if (callback === undefined) return NO_SESSION_SEEN;
      const isIn = use === undefined ? null : hasSession(evidence, use);
      if (callback.landing.kind === "page" && callback.landing.status < 400 && isIn !== false) return PASSED;
      return {
        result: check.severity === "must" ? "fail" : "warn",
        reason: "the login that was started last was refused",
      };
    },
  },
);

const twoTabs = oauthCheck(
  {
    id: "oauth.login.two-tabs",
    title: "Two logins in one browser do not mix their data",
    section: "5.2",
    why: "People start a login in two tabs. An app that keeps each state, but only one code_verifier or redirect_uri for both, sends token requests that the platform must refuse.",
    fix: "Store all data of a login under its state; or refuse the callback of the older one.",
  },
  {
    journey: {
      key: "oauth.login.two-tabs",
      run: async (tools) => {
        for (const browser of ["A", "B"]) {
          const older = await tools.begin(browser, { what: "first" });
          const newer = await tools.begin(browser);
          const callbacks = [
            ["older", older],
            ["newer", newer],
          ] as const;
          for (const [what, address] of browser === "A" ? callbacks : callbacks.toReversed()) {
            await tools.open(browser, what, address);
          }
        }
      },
    },
    judge: (evidence, check) => {
      const callbacks = evidence.visits.filter(({ what }) => what === "older" || what === "newer");
      if (callbacks.length === 0) return skipVerdict("the app starts no second login");
      const mixed = callbacks.find((visit) => exchangesIn(visit).length > 0 && !gotTokens(visit));
      if (mixed === undefined) return PASSED;
      const fault = faulty(check, `the platform refused the token request of the ${mixed.what} of two logins`);
      if (stateIsSent(evidence)) return fault;
      return {
        ...fault,
        reason: `${fault.reason}: without a state the app cannot tell them apart`,
        hint: "Send an unguessable state with each login, and store all data of that login under it.",
      };
    },
  },
);

/** What the app's callback must refuse (interface 5.2; hardening C3, C4). */
export const oauthCallbackChecks: readonly OAuthCheck[] = [
  ...callbackTwinChecks,
  ...bindings,
  injection,
  beganTwice,
  twoTabs,
];
