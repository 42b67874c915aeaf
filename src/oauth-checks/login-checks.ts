import type { Verdict } from "../checking/check.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import { oauthLoginChecks } from "../oauth-login/checks/judge-login.ts";
import type { Found, OAuthLoginFacts, SecondLogin } from "../oauth-login/checks/login-facts.ts";
import { cookiesToTry } from "../oauth-login/checks/session-checks.ts";
import { areAllStrict } from "../oauth-login/checks/strict-cookies.ts";
import { type Journey, type OAuthCheck, type OAuthCheckText, oauthCheck } from "./check.ts";
import { LOGIN, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";
import type { OAuthVisit } from "./visits.ts";

/** A login in browser `A`, as in `app-sim oauth`. */
export const loginJourney: Journey = {
  key: LOGIN,
  run: async (tools) => {
    // Even if the login cannot continue, the app's requests show something.
    await tools.open("A", "callback", await tools.begin("A"));
    await tryCookies(tools);
    await withholdStrict(tools);
  },
};

const WITHOUT_COOKIES = "without-cookies";
const WITH_COOKIES = "with-cookies";

/** Opens the page on which a login ended: first without cookies that it may need, then with them. */
async function tryCookies(tools: OAuthTools): Promise<void> {
  const trial = cookiesToTry(tools.visitsOf("A").find(({ what }) => what === "callback") ?? null);
  if (trial === null) return;
  const { page, names } = trial;
  await tools.fork("A", "K", (name, value) => (names.includes(name) ? null : value));
  await tools.open("K", WITHOUT_COOKIES, page);
  await tools.open("A", WITH_COOKIES, page);
}

const WITHOUT_STRICT = "without-strict-cookies";

/** Opens the callback of another login as a browser does that withholds SameSite=Strict cookies. */
async function withholdStrict(tools: OAuthTools): Promise<void> {
  const start = tools.visitsOf("A").find(({ what }) => what === "start");
  if (start === undefined || !areAllStrict(start)) return;
  const callback = await tools.begin("S");
  await tools.fork("S", "T", () => null);
  await tools.open("T", WITHOUT_STRICT, callback);
}

function cookieTrial(visits: readonly OAuthVisit[], callback: OAuthVisit | null): OAuthLoginFacts["trial"] {
  const trial = cookiesToTry(callback);
  const without = visitOfRole({ visits }, "K", WITHOUT_COOKIES);
  const control = visitOfRole({ visits }, "A", WITH_COOKIES);
  if (trial === null || without === undefined || control === undefined) return null;
  return { names: trial.names, without, control };
}

/** Browser `F` gets a state that the app did not send, as in `app-sim oauth`. */
const forgedLogin: Journey = {
  key: "oauth.forged",
  run: async (tools) => {
    const location = new URL(await tools.begin("F"));
    const state = location.searchParams.get("state");
    if (!state) return;
    location.searchParams.set("state", tools.context.ids.secret().repeat(8).slice(0, Math.max(state.length, 8)));
    await tools.open("F", "callback", location.href);
  },
};

const declined: Journey = {
  key: "oauth.declined",
  run: async (tools) => {
    await tools.open("A", "callback", await tools.begin("A", { decision: "deny" }));
  },
};

/** The facts from which `app-sim oauth` judges a login, read from the journal. */
function loginFacts(evidence: OAuthEvidence, decision: "approve" | "deny"): OAuthLoginFacts | null {
  const { app, choices, platform, all } = evidence;
  const source = decision === "approve" ? all.filter(({ journey }) => journey === LOGIN) : evidence.visits;
  const start = visitOfRole({ visits: source }, "A", "start");
  if (start === undefined) return null;
  const callback = visitOfRole({ visits: source }, "A", "callback") ?? null;
  return {
    app,
    choices,
    platform,
    decision,
    start,
    authorization: start.authorization,
    callback,
    use: visitOfRole({ visits: source }, "A", "use") ?? null,
    useSetting: "verify.oauth.use",
    trial: cookieTrial(source, callback),
    withoutStrict: visitOfRole({ visits: source }, "T", WITHOUT_STRICT) ?? null,
    second: decision === "approve" ? secondLogin(evidence) : null,
    turns: [],
    notTurned: null,
    ownClock: null,
    // Other answers of the app have separate checks.
    answers: [],
    issued: evidence.issued,
  };
}

function secondLogin({ visits }: OAuthEvidence): SecondLogin | null {
  const start = visitOfRole({ visits }, "F", "start");
  if (start === undefined) return null;
  const callback = visitOfRole({ visits }, "F", "callback") ?? null;
  // Callbacks of other browsers have separate checks.
  return { start, authorization: start.authorization, callback, foreign: null };
}

/** The texts for a check of `app-sim oauth`; the check itself is defined there. */
interface LoginCheckText extends Omit<OAuthCheckText, "section"> {
  readonly journey?: Journey;
}

const sendAsShown = "Send the parameters exactly as in section 5.2: OAuth libraries do.";

const texts: readonly LoginCheckText[] = [
  {
    id: "oauth.start",
    title: "The login link leads to the platform's authorization endpoint",
    why: "The login starts there. A link that leads elsewhere logs nobody in.",
    fix: "Redirect to {auth_url}/oauth/authorize with the parameters of section 5.2.",
  },
  {
    id: "oauth.request.redirect-uri",
    title: "The redirect_uri is registered, character by character",
    why: "The platform compares it as text. It does not redirect to an unregistered address.",
    fix: "Send exactly the registered address: scheme, host, port, path and trailing slash.",
  },
  {
    id: "oauth.request",
    title: "The platform accepts the authorization request",
    why: "A request without one of the required parameters ends on an error page. The user cannot do anything about it.",
    fix: sendAsShown,
  },
  {
    id: "oauth.request.state",
    title: "The authorization request has a state that cannot be guessed",
    why: "The state protects against logins that somebody else started. A guessable state protects against nothing.",
    fix: "Send a state made from at least 16 random bytes, bound to the browser.",
  },
  {
    id: "oauth.request.pkce",
    title: "The authorization request has a code_challenge with S256",
    why: "With PKCE a leaked code is useless to others. The interface strongly recommends it.",
    fix: "Send code_challenge and code_challenge_method=S256, and code_verifier in the exchange.",
    severity: "should",
  },
  {
    id: "oauth.request.secret",
    title: "The client secret is not in the URL of the authorization request",
    why: "URLs end up in the browser's history and in logs. Anybody with the secret can act as the app.",
    fix: "Leave client_secret out: it is only for the token endpoint.",
  },
  {
    id: "oauth.cookie",
    title: "The login sets a cookie that is sent with the callback",
    why: "Without it the app cannot know which browser started a login. With SameSite=Strict browsers do not send it.",
    fix: "Set a cookie with HttpOnly and SameSite=Lax before the user is sent to the platform.",
  },
  {
    id: "oauth.exchange.encoding",
    title: "The token request is JSON, or a form",
    why: "The platform reads nothing else. The interface shows JSON.",
    fix: "Send Content-Type application/json and a JSON body.",
  },
  {
    id: "oauth.exchange.client",
    title: "The token request authenticates the app",
    why: "Without client_secret or, with PKCE, code_verifier, anybody who has a code could exchange it.",
    fix: "Send client_id and client_secret in the body.",
  },
  {
    id: "oauth.exchange.verifier",
    title: "The token request has the code_verifier of its login",
    why: "A challenge without its verifier makes the exchange fail. A verifier without a challenge proves nothing.",
    fix: "Keep the verifier with the state, and send it with the code.",
  },
  {
    id: "oauth.exchange.once",
    title: "A code is exchanged only once",
    why: "The platform treats a second exchange as theft and revokes the tokens of the first.",
    fix: "Exchange the code in one place, and never retry with the same code.",
  },
  {
    id: "oauth.exchange",
    title: "The app exchanges the code for tokens, and the platform accepts it",
    why: "The code alone is useless. Without tokens the app cannot do anything for the user.",
    fix: "POST grant_type=authorization_code with client_id, client_secret, redirect_uri, code and code_verifier.",
  },
  {
    id: "oauth.callback",
    title: "After the login the user gets a page that is neither empty nor an error",
    why: "The user comes back from the platform and expects to be logged in.",
    fix: "Redirect to a page of the app once the tokens are stored.",
  },
  {
    id: "oauth.session.kept",
    title: "Browsers keep the cookies that the callback sets, and send them with its redirects",
    why: "A browser that comes from another site sends no SameSite=Strict cookie until the user clicks something, and never stores SameSite=None without Secure. The user is then asked to log in again.",
    fix: "Set the session cookie with HttpOnly and SameSite=Lax, and with Secure if the app uses https.",
    severity: "should",
  },
  {
    id: "oauth.session.in-address",
    title: "The value of the session cookie is not in any URL",
    why: "URLs end up in histories and logs, and are sent to other sites. Anybody with the value is logged in.",
    fix: "Redirect to the bare page: the browser sends the cookie by itself.",
    severity: "should",
  },
  {
    id: "oauth.denied.no-exchange",
    title: "A user who declines causes no token request",
    why: "There is no code, so there is nothing to exchange.",
    fix: "Check the callback's query for `error` before anything else.",
    journey: declined,
  },
  {
    id: "oauth.denied.answer",
    title: "A user who declines gets a page that says so",
    why: "Declining is not an error. Users who are sent straight back are trapped.",
    fix: "Show a page with a link to the login.",
    journey: declined,
  },
  {
    id: "oauth.forged.fresh",
    title: "Each login has its own state and code_challenge",
    why: "A value that is the same for all logins is known to everybody who has logged in.",
    fix: "Make a new random state and verifier for each login.",
    journey: forgedLogin,
  },
  {
    id: "oauth.forged",
    title: "A callback with a state that the app did not send logs nobody in",
    why: "With such a link a stranger can log users in as somebody else.",
    fix: "First compare the state with the one kept for this browser.",
    journey: forgedLogin,
  },
  {
    id: "oauth.api.bearer",
    title: "Calls to the API have the access token in the Authorization header",
    why: "URLs are logged; this header usually is not. The API reads the token nowhere else.",
    fix: "Send Authorization: Bearer <access_token>.",
  },
  {
    id: "oauth.api",
    title: "The API accepts the app's calls",
    why: "The app logs users in to call the API with their tokens.",
    fix: "Request the scopes that the calls need, and send the token unchanged.",
  },
];

/** Statuses of an app that accepts no more requests for now. */
const BUSY: readonly number[] = [429, 503];

/** The checks of `app-sim oauth`, by the same functions (interface 5.2 to 5.4; hardening C1 to C6, C12). */
export const oauthLoginVerifyChecks: readonly OAuthCheck[] = texts.map(({ journey = loginJourney, ...text }) => {
  const found = oauthLoginChecks.find(({ id }) => id === text.id);
  if (found === undefined) throw new TypeError(`no check ${text.id}`);
  const decision = journey === declined ? "deny" : "approve";
  return oauthCheck(
    { ...text, section: found.section },
    {
      journey,
      needsLogin: journey !== loginJourney,
      judge: (evidence) => {
        const facts = loginFacts(evidence, decision);
        if (facts === null) return skipVerdict("no login started");
        const { landing } = facts.start;
        if (text.id === "oauth.start" && landing.kind === "page" && BUSY.includes(landing.status)) {
          return { result: "inconclusive", reason: `the app answered ${landing.status} to the login link` };
        }
        const callback = visitOfRole(evidence, "A", "callback");
        if (text.id === "oauth.exchange" && callback !== undefined && leavesItToScript(callback)) {
          return skipVerdict(
            "the callback is a page with scripts, which only a browser runs: it is unknown what they do with the code",
          );
        }
        return verdictOfFound(found.find(facts));
      },
    },
  );
});

/** Whether a script of the page may exchange the code. */
function leavesItToScript({ landing, requests }: OAuthVisit): boolean {
  return requests.length === 0 && landing.kind === "page" && landing.status < 400 && /<script\b/i.test(landing.body);
}

function verdictOfFound(found: Found): Verdict {
  if (found === null) return skipVerdict("the login did not get that far, or another check says why");
  if (found.result === "pass") return PASSED;
  return { result: found.result, reason: found.hint === null ? found.message : `${found.message} (${found.hint})` };
}
