import type { Choices } from "../../config/choices.ts";
import type { App } from "../../config/schema.ts";
import { parameterOf } from "../../oauth/rules/oauth-parameters.ts";
import type { Authorization, Found, OAuthLoginCheck, OAuthLoginFacts } from "./oauth-login-facts.ts";

/** Where the login begins and what the app asks of the platform (interface 5.2; hardening C1). */
export const requestChecks: readonly OAuthLoginCheck[] = [
  { id: "oauth.start", section: "5.2", step: "start", path: "start", find: findStart },
  {
    id: "oauth.request.redirect-uri",
    section: "5.2",
    step: "authorize",
    path: "redirect_uri",
    find: ({ authorization, app }) => authorization && findRedirectUri(authorization, app.redirectUris),
  },
  {
    id: "oauth.request",
    section: "5.2",
    step: "authorize",
    path: "request",
    find: ({ authorization, app, choices }) => authorization && findRequest(authorization, app, choices),
  },
  {
    id: "oauth.request.state",
    section: "5.2",
    step: "authorize",
    path: "state",
    find: ({ authorization }) => authorization && findState(authorization),
  },
  {
    id: "oauth.request.pkce",
    section: "5.2",
    step: "authorize",
    path: "code_challenge_method",
    find: ({ authorization }) => authorization && findPkce(authorization),
  },
  {
    id: "oauth.request.secret",
    section: "5.2",
    step: "authorize",
    path: "client_secret",
    find: ({ authorization, app }) => authorization && findSecret(authorization, app.clientSecret),
  },
  { id: "oauth.cookie", section: "5.2", step: "authorize", path: "Set-Cookie", find: findCookie },
];

function findStart({ start: { landing }, platform, authorization }: OAuthLoginFacts): Found {
  if (authorization !== null) return { result: "pass", message: "the app sends the user to the platform" };
  const endpoint = `${platform}/oauth/authorize`;
  switch (landing.kind) {
    case "trouble":
      return { result: "fail", message: landing.reason, hint: landing.hint };
    case "platform": {
      const { origin, pathname } = new URL(landing.url);
      return {
        result: "fail",
        message: `the app sends the user to ${origin}${pathname}, but the authorization endpoint is ${endpoint}`,
        hint: "the path is {auth_url}/oauth/authorize (interface 4.1)",
      };
    }
    case "page": {
      const { status, text, links } = landing;
      const says = text === "" ? "" : `; the page says: ${text}`;
      return {
        result: "fail",
        message: `the app answered ${status}, not with a redirect to ${endpoint}${says}`,
        hint: status < 300 ? linksHint(links) : status >= 500 ? "look into the app's own log" : START_HINT,
      };
    }
  }
}

const START_HINT = "--start is the address that the app's login button leads to";

function linksHint(links: readonly string[]): string {
  const likely = links
    .map((link) => new URL(link).pathname)
    .filter((path) => /log-?in|sign-?in|auth|connect/i.test(path));
  const named = [...new Set(likely)].slice(0, 3);
  return named.length === 0
    ? `${START_HINT}; where a script makes it, open it in a browser while \`app-sim serve\` runs`
    : `${START_HINT}; this page links to ${named.join(", ")}`;
}

function findRedirectUri({ parameters }: Authorization, registered: readonly string[]): Found {
  const redirectUri = parameters && parameterOf(parameters, "redirect_uri");
  if (redirectUri === null) {
    return { result: "fail", message: "redirect_uri is missing", hint: "send one of those registered with the app" };
  }
  if (registered.includes(redirectUri))
    return { result: "pass", message: "redirect_uri is registered, letter by letter" };
  const others = registered.length === 0 ? "none" : registered.join(" ");
  return {
    result: "fail",
    message: `redirect_uri ${redirectUri} is not registered`,
    hint: `register exactly this text: --redirect-uri=${redirectUri} or, in the configuration, redirectUris of the app (so far: ${others})`,
  };
}

function findRequest(authorization: Authorization, app: App, choices: Choices): Found {
  const { verdict } = authorization;
  if (verdict.kind === "decided") return { result: "pass", message: "the platform takes the request" };
  // That is what another check says already.
  if (findRedirectUri(authorization, app.redirectUris)?.result === "fail") return null;
  if (verdict.kind === "refused") return { result: "fail", message: verdict.reason, hint: verdict.hint };
  const hint = verdict.error === "invalid_scope" ? scopeHint(app, choices["api.projects.scope"]) : null;
  return { result: "fail", message: `${verdict.error}: ${verdict.reason}`, hint };
}

function scopeHint({ scopes }: App, forProjects: string): string {
  const shape = "scope holds names with one space between them";
  return scopes.length === 0
    ? `${shape}, such as ${forProjects}; no scopes are registered for this app (scopes of the app in the configuration), so any name will do`
    : `${shape}, each registered for this app: ${scopes.join(" ")}; to let it ask for more, add them to scopes of the app in the configuration`;
}

function findState({ parameters }: Authorization): Found {
  const state = parameters && parameterOf(parameters, "state");
  if (state === null) {
    const isBound = parameters !== null && parameterOf(parameters, "code_challenge") !== null;
    return {
      // PKCE keeps a code that another browser got from being exchanged here.
      result: isBound ? "warn" : "fail",
      message: "no state was sent: the app cannot tell its own callback from a forged one",
      hint: "send an unguessable state, bound to the browser, and compare it at the callback",
    };
  }
  const why = guessable(state);
  if (why === null) return { result: "pass", message: `state has ${state.length} characters` };
  return { result: "warn", message: `state can be guessed: ${why}`, hint: "make it of at least 16 random bytes" };
}

/**
 * Why a state can be guessed; null: nothing speaks for that. What 8 or more random bytes make, in any usual
 * spelling, is never called guessable.
 */
export function guessable(state: string): string | null {
  if (state.length < 8) return `it has only ${state.length} characters`;
  if (/^\d{1,13}$/.test(state)) return "it is a number, such as a time or a counter";
  const different = new Set(state).size;
  return different < 4 ? `it is made of ${different} different characters` : null;
}

function findPkce({ parameters }: Authorization): Found {
  if (parameters === null || parameterOf(parameters, "code_challenge") === null) {
    return {
      result: "warn",
      message: "no code_challenge was sent: whoever gets hold of the code can use it",
      hint: "send code_challenge and code_challenge_method=S256 (PKCE), which are strongly recommended",
    };
  }
  const method = parameterOf(parameters, "code_challenge_method");
  if (method === "S256") return { result: "pass", message: "PKCE with S256" };
  return {
    result: "warn",
    message: `PKCE with ${method ?? "no method"}: whoever sees the request knows the verifier`,
    hint: "send the SHA-256 hash of the verifier, with code_challenge_method=S256",
  };
}

function findSecret({ parameters, url }: Authorization, secret: string): Found {
  const isSent = parameters !== null && [...parameters.values()].flat().includes(secret);
  if (!isSent && !url.includes(secret) && parameters?.has("client_secret") !== true) {
    return { result: "pass", message: "no secret is in the address" };
  }
  return {
    result: "fail",
    message: "the client secret is in the address that the user's browser is sent to",
    hint: "leave client_secret out: it is for the token endpoint alone",
  };
}

function findCookie({ authorization, cookies }: OAuthLoginFacts): Found {
  if (authorization === null) return null;
  const strict = cookies.filter(({ isStrict }) => isStrict);
  if (cookies.length === 0) {
    return {
      result: "warn",
      message: "no cookie was set before the user was sent to the platform",
      hint: "without one the app cannot know at its callback which browser began the login",
    };
  }
  if (strict.length === 0) return { result: "pass", message: "no cookie of the login is SameSite=Strict" };
  return {
    result: "warn",
    message: `the cookie ${strict.map(({ name }) => name).join(", ")} is SameSite=Strict`,
    hint: "a browser that comes back from another site does not send it with the callback: use Lax",
  };
}
