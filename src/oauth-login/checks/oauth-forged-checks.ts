import {
  type Found,
  fail,
  inconclusive,
  landingText,
  type OAuthLoginCheck,
  type OAuthLoginFacts,
  pass,
  type SecondLogin,
  sentParameter,
  skip,
  tokenRequests,
  warn,
} from "./oauth-login-facts.ts";

/** What a second login in another browser shows: only the app's own callback is good (interface 5.2; hardening C2, C3). */
export const forgedChecks: readonly OAuthLoginCheck[] = [
  { id: "oauth.forged.fresh", section: "5.2", step: "forged", path: "state, code_challenge", find: findFresh },
  { id: "oauth.forged", section: "5.2", step: "forged", path: "state", find: findForged },
];

/** Hardening C2. */
function findFresh({ authorization, second }: OAuthLoginFacts): Found {
  if (authorization === null || second?.authorization == null) return null;
  const later = second.authorization;
  const same = (["state", "code_challenge"] as const).filter((name) => {
    const value = sentParameter(authorization, name);
    return value !== null && value === sentParameter(later, name);
  });
  if (same.length === 0) return pass("each login has its own state and code_challenge");
  return fail(
    `two logins in two browsers sent the same ${same.join(" and ")}`,
    "make a new random state, and a new code_verifier, each time a login begins",
  );
}

/** Hardening C3; the first login, the same except for the state, is the control. */
function findForged({ second }: OAuthLoginFacts): Found {
  if (second === null) return null;
  const { callback } = second;
  if (callback === null) return whyNotForged(second);
  const { landing, requests } = callback;
  if (tokenRequests(requests).some(({ record }) => record.step !== "refresh")) {
    return fail(
      "the callback came with another state than the app sent, but the app called the token endpoint",
      "compare the callback's state with the one kept for this browser, before anything else",
    );
  }
  if (landing.kind === "trouble") {
    // Without a token call nobody is logged in, wherever the app sends the user.
    return { result: landing.failure === "other" ? "warn" : "fail", message: landing.reason, hint: landing.hint };
  }
  if (landing.kind === "page" && landing.status >= 500) {
    return warn(
      `the callback came with another state than the app sent: the app broke, it ${landingText(landing)}`,
      "answer with 400 and a page that says so: this is not a fault of the app",
    );
  }
  return pass(`a callback with another state was refused: the app ${landingText(landing)}`);
}

function whyNotForged({ start: { landing }, authorization }: SecondLogin): Found {
  const where = "a second login, in another browser,";
  if (landing.kind === "trouble") {
    return fail(`${where} did not begin: ${landing.reason}`, landing.hint);
  }
  if (authorization === null) {
    return inconclusive(`${where} did not begin: the app ${landingText(landing)}`);
  }
  if (sentParameter(authorization, "state") === null) {
    return skip("the app sends no state that could be changed");
  }
  return inconclusive(`${where} got no code from the platform`);
}
