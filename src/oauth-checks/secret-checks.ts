import { derivedFrom } from "../checking/derived-values.ts";
import { repeatedPart, writtenTogether } from "../checking/randomness.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { appSecrets, type NamedSecret } from "../config/secrets.ts";
import { answerParts, isHttpOnly } from "../journal/answer-parts.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { holdsTrace } from "../journal/leaks-in-answer.ts";
import { redirectTarget } from "../journal/redirect-target.ts";
import { findSecrets, secretsIn } from "../journal/secrets-in.ts";
import { sentParameter, tokenRequests } from "../oauth-login/checks/login-facts.ts";
import { mediaType } from "../protocol/media-type.ts";
import { type Journey, type OAuthCheck, oauthCheck } from "./check.ts";
import { answeredHeaders, exchangesIn, type OAuthEvidence, sentToToken } from "./evidence.ts";
import { judgeRandom } from "./judge-random.ts";
import { mishaps } from "./mishaps.ts";

/** The secrets of the run that only the app and the platform may see. */
function secretsOf({ app, issued }: OAuthEvidence, names: readonly string[]): NamedSecret[] {
  return [...appSecrets(app), ...issued].filter(({ name }) => names.includes(name));
}

/** Where one of these answers shows one of these secrets, and which; URLs and cookies have separate checks. */
function shownIn(
  evidence: OAuthEvidence,
  names: readonly string[],
  answers: readonly Exchange[] = answersOf(evidence),
): string | null {
  const find = findSecrets(secretsOf(evidence, names));
  const parts = answers.flatMap(answerParts).filter(({ kind }) => kind === "body" || kind === "header");
  const [first] = parts.flatMap(({ place, text }) => find(text).map((name) => `the app's ${place} holds the ${name}`));
  return first ?? null;
}

/** All answers to the browsers of the run. */
function answersOf({ all }: OAuthEvidence): Exchange[] {
  return all.flatMap(({ own }) => own);
}

/** Several started logins, to compare values that must differ. */
const beginnings: Journey = {
  key: "oauth.beginnings",
  run: async (tools) => {
    for (let index = 0; index < 6; index += 1) await tools.begin(`A${index}`);
    for (const browser of ["A0", "A1", "A2", "A3"])
      await tools.open(browser, "callback", await tools.begin(browser, { what: "start-again" }));
  },
};

const hidden = ["client secret", "app secret", "refresh_token"];

/** What must stay secret, and what must be random (hardening C1, C12). */
export const oauthSecretChecks: readonly OAuthCheck[] = [
  oauthCheck(
    {
      id: "oauth.request.state-random",
      title: "The states of several logins are unrelated",
      section: "5.2",
      severity: "should",
      why: "A counter or a time can be guessed from the previous state. The state must be an unguessable random string.",
      fix: "Make the state from at least 16 bytes of a cryptographic random generator.",
    },
    {
      journey: beginnings,
      judge: (evidence, check) =>
        judgeRandom("state", evidence, check, ({ authorization }) => sentParameter(authorization, "state") ?? []),
    },
  ),
  oauthCheck(
    {
      id: "oauth.exchange.verifier-random",
      title: "The code verifiers of several logins are unrelated",
      section: "RFC 7636, 7.1",
      severity: "should",
      why: "PKCE depends on a verifier that nobody else knows. One that can be guessed from the previous one does not protect the code.",
      fix: "Make the verifier from 32 bytes of a cryptographic random generator.",
    },
    {
      journey: beginnings,
      judge: (evidence, check) =>
        judgeRandom("code_verifier", evidence, check, (visit) =>
          exchangesIn(visit).flatMap((request) => sentToToken(request, "code_verifier") ?? []),
        ),
    },
  ),
  oauthCheck(
    {
      id: "oauth.request.verifier",
      title: "The authorization request does not reveal the code verifier",
      section: "5.2",
      severity: "should",
      why: "The request must not reveal the verifier. Otherwise PKCE does not protect the code from anybody who sees the request.",
      fix: "Send the hash of the verifier (S256), and make state and verifier from separate random bytes.",
    },
    {
      journey: beginnings,
      judge: (evidence, check) => {
        const verifiers = secretsOf(evidence, ["code_verifier"]);
        if (verifiers.length === 0) return skipVerdict("the app sends no code_verifier");
        const addresses = evidence.visits.flatMap(({ authorization }) => authorization?.url ?? []);
        const isPlain = evidence.visits.some(
          ({ authorization }) => sentParameter(authorization, "code_challenge_method") === "plain",
        );
        if (isPlain) return skipVerdict("the challenge is plain (see oauth.request.pkce)");
        const find = findSecrets(verifiers);
        const found = addresses.some((address) => find(address).length > 0);
        if (found) return faulty(check, "the code verifier is in the URL of the authorization request");
        const states = evidence.visits.flatMap(({ authorization }) => sentParameter(authorization, "state") ?? []);
        const isKnown = derivedFrom(
          states.flatMap((state) => [state, ...writtenTogether(state, evidence.app.clientId)]),
        );
        const isDerived = verifiers.some(({ value }) => isKnown(repeatedPart(value)));
        return isDerived ? faulty(check, "the code verifier follows from the state") : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.secrets",
      title: "Neither pages of the app nor their headers hold secrets or tokens, whatever goes wrong",
      section: "2.7",
      why: "The browser, and every script in a page, can read whatever a page holds. Errors of HTTP clients contain the whole request, including the client secret.",
      fix: "Keep secrets and tokens on the app's server, and write the platform's errors to the log, not to the page.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: (evidence, check) => {
        const errors = answersOf(evidence).filter(({ response }) => (response?.status ?? 0) >= 400);
        const found = shownIn(evidence, hidden) ?? shownIn(evidence, ["access_token"], errors);
        if (found !== null) return faulty(check, found);
        // Some apps pass their access token to a page's script on purpose, but not to an error page.
        const shown = shownIn(evidence, ["access_token", "code_verifier"]);
        return shown === null ? PASSED : { result: "warn", reason: shown };
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.secrets.address",
      title: "No URL that the app redirects to holds secrets or tokens",
      section: "RFC 6750, 2.3",
      why: "URLs end up in histories and logs, and are sent to other sites as Referer. A token there soon leaks.",
      fix: "Keep the tokens on the server, and the session in a cookie.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: (evidence, check) => {
        const find = findSecrets(secretsOf(evidence, [...hidden, "access_token"]));
        const targets = answersOf(evidence).flatMap((exchange) => redirectTarget(exchange)?.url ?? []);
        const found = targets.flatMap(({ href }) => find(href));
        return found.length === 0
          ? PASSED
          : faulty(check, `the app redirects to a URL with the ${[...new Set(found)].join(", ")}`);
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.exchange.address",
      title: "The URL of a token request holds no secrets or tokens",
      section: "RFC 6749, 2.3.1",
      why: "Servers and proxies log URLs. A secret in a log is no longer secret, even though the exchange works.",
      fix: "Send everything in the body of the token request, and nothing in its URL.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: (evidence, check) => {
        const requests = evidence.all.flatMap((visit) => tokenRequests(visit.requests));
        if (requests.length === 0) return skipVerdict("the app exchanged no code");
        const find = findSecrets(secretsOf(evidence, [...hidden, "access_token", "code_verifier"]));
        const found = requests.flatMap(({ exchange }) => find(exchange.request.url));
        return found.length === 0
          ? PASSED
          : faulty(check, `the URL of a token request holds the ${[...new Set(found)].join(", ")}`);
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.secrets.cookie",
      title: "No cookie that scripts can read holds secrets or tokens",
      section: "2.7",
      why: "Any script in a page of the app can read such a cookie, and so can anybody with the browser's developer tools. The client secret does not belong in any cookie.",
      fix: "Keep tokens on the server, or in an encrypted HttpOnly cookie.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: (evidence, check) => {
        const lines = answersOf(evidence).flatMap((exchange) => answeredHeaders(exchange, "set-cookie"));
        const found = lines.flatMap((line) => {
          const names = isHttpOnly(line) ? hidden.slice(0, 2) : [...hidden, "access_token"];
          return secretsIn(line, secretsOf(evidence, names));
        });
        return found.length === 0 ? PASSED : faulty(check, `a cookie holds the ${[...new Set(found)].join(", ")}`);
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.secrets.trace",
      title: "No error page shows a stack trace",
      section: "7",
      severity: "should",
      why: "A stack trace shows strangers the app's libraries and their versions. It is useless to users.",
      fix: "Write the stack trace to the log, and show a page that says what the user can do.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: (evidence, check) => {
        const broken = answersOf(evidence).filter(({ response }) => (response?.status ?? 0) >= 400);
        if (broken.length === 0) return skipVerdict("no error page was shown: run the other checks of oauth, too");
        return broken.some(holdsTrace) ? faulty(check, "an error page has a stack trace") : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.callback.referrer",
      title: "The callback's page does not reveal its URL to other sites",
      section: "RFC 6749, 10.5",
      severity: "should",
      why: "The URL of the callback holds the code. A page with a lax Referrer-Policy sends it to every site from which it loads something.",
      fix: "Redirect from the callback to another page, or send Referrer-Policy: no-referrer with it.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: ({ all }, check) => {
        const callbacks = all.filter(({ url }) => url.includes("code=") || url.includes("error="));
        const answers = callbacks.flatMap(({ own }) => own.slice(0, 1));
        const lax = answers.some(({ response }) => {
          const headers = response?.headers ?? [];
          const policy = headerValue(headers, "referrer-policy")?.toLowerCase() ?? "";
          const isPage = mediaType(headerValue(headers, "content-type")) === "text/html";
          return isPage && /(^|,)\s*(unsafe-url|no-referrer-when-downgrade)\s*$/.test(policy);
        });
        return lax
          ? faulty(check, "the callback answers with a page and a Referrer-Policy that reveals its full URL")
          : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.exchange.own-code",
      title: "Each token request belongs to a callback, with the code that came with it",
      section: "5.2",
      why: "A code arrives only with the callback. A token request without one, or with another code, is a mistake or an attack.",
      fix: "Send the code from the callback's query, decoded once.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: ({ all }, check) => {
        // The interface does not show how to handle a list instead of a code.
        const usual = all.filter(({ what }) => !what.endsWith("[]"));
        const given = usual.flatMap(({ own }) =>
          own.flatMap(({ request }) => new URL(request.url).searchParams.getAll("code")),
        );
        const sent = usual.flatMap((visit) =>
          exchangesIn(visit).flatMap((request) => sentToToken(request, "code") ?? []),
        );
        return sent.every((code) => given.includes(code))
          ? PASSED
          : faulty(check, "the app tried to exchange a code that came with no callback");
      },
    },
  ),
];
