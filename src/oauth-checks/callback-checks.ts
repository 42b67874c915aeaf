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
import { exchangesIn, gotTokens, isLoggedIn, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";

const strangersBrowser = "a callback in a browser that did not begin the login";

function stateIsSent(evidence: OAuthEvidence): boolean {
  const begun = evidence.visits.find(({ authorization }) => authorization !== null);
  return sentParameter(begun?.authorization ?? null, "state") !== null;
}

const NO_STATE = skipVerdict("the app sends no state");

/** A check of a callback in browser `B`, which must not log it in. */
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
      title: "The callback refuses a login that another browser began",
      section: "5.2",
      why: FORGED_LOGIN,
      mend: "Bind the state to the browser with a cookie, and refuse a callback that does not bring it.",
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
      title: "The callback refuses the state of a login in another browser, where this one began its own",
      section: "5.2",
      why: FORGED_LOGIN,
      mend: "Compare the state with the one of this browser, not with all that the app has sent.",
    },
    {
      what: "a callback with the state and the code of another browser",
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
      title: "The callback refuses a code where no login was begun",
      section: "5.2",
      why: "Where no login was begun there is no state to compare with, and two missing values are equal. With such a link a stranger logs users in as somebody else.",
      mend: "Refuse a callback without a login under way, whatever state it has or lacks.",
    },
    {
      what: "a callback without state, in a browser that began no login,",
      run: async (tools) => {
        await tools.open("B", "callback", withQuery(new URL(await tools.begin("A")), { state: null }));
        await tools.use("B");
      },
    },
  ),
  refusalCheck(
    {
      id: "oauth.callback.state-used",
      title: "The callback refuses a state that was used before, even with a new code",
      section: "5.2",
      why: "A state that stays good can be used again by whoever finds it, in a log or a browser's history. Each state belongs to one login.",
      mend: "Forget the state, in the store or the cookie, as soon as its callback has come.",
    },
    {
      what: "a second callback with a state that was used, and a new code,",
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
      why: "A page that is reloaded, or opened again from the history, brings the code a second time. The platform then takes it for stolen, and revokes the user's tokens.",
      mend: "Forget the state as soon as its callback has come, before the code is exchanged.",
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
      why: "Whoever calls the callback can write any code into it. What the token endpoint answers decides, and a refusal has no user in it.",
      mend: "Begin a session only after the token endpoint answered 200 with an access token.",
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
    title: "A code of somebody else's login logs nobody in",
    section: "5.2",
    why: "Codes leak, through logs and histories. With PKCE a code is worth nothing in another login: the verifier there is another one.",
    mend: "Make a new code_verifier for each login, keep it with the state, and begin no session where the exchange is refused.",
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
        return skipVerdict(
          "without PKCE nothing keeps a code from being used in another login (see oauth.request.pkce)",
        );
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
    title: "Who begins a login twice in one browser can end the second one",
    section: "5.2",
    why: "People click a login link twice, or open it in two tabs. The login that they began last has to work.",
    mend: "Let a new login replace the one under way, or keep several by their states.",
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
      const isIn = use === undefined ? null : isLoggedIn(evidence, use);
      if (callback.landing.kind === "page" && callback.landing.status < 400 && isIn !== false) return PASSED;
      return {
        result: check.severity === "must" ? "fail" : "warn",
        reason: "the login that was begun last was refused",
      };
    },
  },
);

const twoTabs = oauthCheck(
  {
    id: "oauth.login.two-tabs",
    title: "Of two logins in one browser none is ended with what belongs to the other",
    section: "5.2",
    why: "People begin a login in two tabs. An app that keeps the state of each, but one code_verifier or redirect_uri for both, asks for tokens that the platform must refuse.",
    mend: "Keep under the state all that belongs to a login; or refuse the callback of the older one.",
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
      if (callbacks.length === 0) return skipVerdict("the app begins no second login");
      const mixed = callbacks.find((visit) => exchangesIn(visit).length > 0 && !gotTokens(visit));
      if (mixed === undefined) return PASSED;
      const fault = faulty(check, `the platform refused what the app sent to end the ${mixed.what} of two logins`);
      if (stateIsSent(evidence)) return fault;
      return {
        ...fault,
        reason: `${fault.reason}: without a state the app cannot tell them apart`,
        hint: "Send an unguessable state with each login, and keep under it all that belongs to that login.",
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
