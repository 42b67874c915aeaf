import { changedCharacters, derivedFrom, followsFrom, plainGeneratorOf, timesOf } from "../checking/randomness.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { appSecrets, type NamedSecret } from "../config/secrets.ts";
import { answerParts, isHttpOnly } from "../journal/answer-parts.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { redirectTarget } from "../journal/redirect-target.ts";
import { findSecrets, secretsIn } from "../journal/secrets-in.ts";
import { tellsTrace } from "../journal/told-in-answer.ts";
import { sentParameter, tokenRequests } from "../oauth-login/checks/login-facts.ts";
import { mediaType } from "../protocol/media-type.ts";
import { jsonAnswer } from "../protocol/wire-answer.ts";
import { type Journey, type OAuthCheck, oauthCheck } from "./check.ts";
import { answeredHeaders, exchangesIn, type OAuthEvidence, sentToToken } from "./evidence.ts";

/** What of the run nobody but the app and the platform may see. */
function secretsOf({ app, issued }: OAuthEvidence, names: readonly string[]): NamedSecret[] {
  return [...appSecrets(app), ...issued].filter(({ name }) => names.includes(name));
}

/** Where an answer shows one of these secrets, and which; addresses and cookies have checks of their own. */
function shownIn(evidence: OAuthEvidence, names: readonly string[]): string | null {
  const find = findSecrets(secretsOf(evidence, names));
  const parts = answersOf(evidence)
    .flatMap(answerParts)
    .filter(({ kind }) => kind === "body" || kind === "header");
  const [first] = parts.flatMap(({ place, text }) => find(text).map((name) => `the app's ${place} holds the ${name}`));
  return first ?? null;
}

/** Everything that the browsers of the run were answered. */
function answersOf({ all }: OAuthEvidence): Exchange[] {
  return all.flatMap(({ own }) => own);
}

/** Several logins begun, for what must differ from one to the next. */
const beginnings: Journey = {
  key: "oauth.beginnings",
  run: async (tools) => {
    for (let index = 0; index < 6; index += 1) await tools.begin(`A${index}`);
    for (const browser of ["A0", "A1", "A2", "A3"])
      await tools.open(browser, "callback", await tools.begin(browser, { what: "start-again" }));
  },
};

/** Fewer places in which values differ can be tried one after the other. */
const FEWEST_CHANGES = 6;

const isNumber = (text: string) => /^\d+$/.test(text);
const isLess = (one: string | undefined, other: string) => BigInt(one ?? 0) < BigInt(other);

function judgeRandom(
  name: string,
  { visits }: OAuthEvidence,
  check: OAuthCheck,
  valuesOf: (visit: OAuthEvidence["visits"][number]) => readonly string[] | string,
) {
  const values = visits.flatMap(valuesOf);
  if (values.length < 3) return skipVerdict(`the app sends no ${name}`);
  if (new Set(values).size < values.length) return faulty(check, `several logins have the same ${name}`);
  const isRising = values.every((value, index) => isNumber(value) && (index === 0 || isLess(values[index - 1], value)));
  if (isRising) return faulty(check, `from login to login ${name} is a greater number: a time or a counter`);
  const generator = plainGeneratorOf(values);
  if (generator !== null) return faulty(check, `${name} looks like ${generator}`);
  const times = derivedFrom(
    timesOf(
      visits.flatMap(({ own }) => own),
      null,
    ),
  );
  if (values.some((value) => followsFrom(value, times)))
    return faulty(check, `${name} is the time at which it was made, or a hash of it`);
  const changes = changedCharacters(values);
  if (changes >= FEWEST_CHANGES) return PASSED;
  return faulty(check, `from login to login ${name} differs in ${changes} characters only`);
}

/** Logins that go wrong: errors are where apps say too much. */
const mishaps: Journey = {
  key: "oauth.secrets",
  run: async (tools) => {
    for (const status of [400, 500]) {
      const location = await tools.begin("A");
      tools.change("token", () =>
        jsonAnswer(status, { error: "server_error", error_description: "app-sim was asked" }),
      );
      await tools.open("A", `failed-${status}`, location);
      tools.unchanged();
    }
    const forged = new URL(await tools.begin("A"));
    forged.searchParams.set("state", "app-sim");
    await tools.open("A", "forged", forged.href);
    const bare = new URL(await tools.begin("A"));
    await tools.open("A", "callback", bare.origin + bare.pathname);
    await tools.login("B");
    tools.change("api", () => jsonAnswer(500, { error: { message: "app-sim was asked for this" } }));
    await tools.use("B", "failed");
    tools.unchanged();
  },
};
const hidden = ["client secret", "app secret", "refresh_token"];

/** What must stay secret, and what must be random (hardening C1, C12). */
export const oauthSecretChecks: readonly OAuthCheck[] = [
  oauthCheck(
    {
      id: "oauth.request.state-random",
      title: "The states of several logins have nothing to do with each other",
      section: "5.2",
      severity: "should",
      why: "A counter or a time is guessed from the state before it. The state has to be an unguessable random string.",
      mend: "Make the state of at least 16 random bytes, by a generator that is made for secrets.",
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
      title: "The code verifiers of several logins have nothing to do with each other",
      section: "RFC 7636, 7.1",
      severity: "should",
      why: "PKCE rests on a verifier that nobody else knows. One that can be guessed from the one before protects no code.",
      mend: "Make the verifier of 32 random bytes, by a generator that is made for secrets.",
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
      title: "The authorization request does not tell the code verifier",
      section: "5.2",
      severity: "should",
      why: "Whoever sees the request must not learn the verifier from it. Otherwise PKCE protects the code from nobody who could steal it.",
      mend: "Send the hash of the verifier (S256), and make state and verifier of random bytes of their own.",
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
        if (found) return faulty(check, "the code verifier is in the address of the authorization request");
        const states = evidence.visits.flatMap(({ authorization }) => sentParameter(authorization, "state") ?? []);
        const known = derivedFrom(states);
        const isDerived = verifiers.some(({ value }) => followsFrom(value, known));
        return isDerived ? faulty(check, "the code verifier follows from the state") : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.secrets",
      title: "No page of the app holds secrets or tokens, nor does a header that comes with it, whatever went wrong",
      section: "2.7",
      why: "A page is in the browser's hands, and in those of every script in it. Errors of HTTP clients hold the whole request, with the client secret.",
      mend: "Keep secrets and tokens on the app's server, and write errors of the platform into the log, not into the page.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: (evidence, check) => {
        const found = shownIn(evidence, hidden);
        if (found !== null) return faulty(check, found);
        // Some apps hand their access token to a script of the page on purpose.
        const shown = shownIn(evidence, ["access_token", "code_verifier"]);
        return shown === null ? PASSED : { result: "warn", reason: shown };
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.secrets.address",
      title: "No address that the app redirects to holds secrets or tokens",
      section: "RFC 6750, 2.3",
      why: "Addresses are kept in histories and logs, and sent on to other sites as referrers. A token there is soon in other hands.",
      mend: "Keep the tokens on the server, and the session in a cookie.",
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
          : faulty(check, `the app redirects to an address with the ${[...new Set(found)].join(", ")}`);
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.exchange.address",
      title: "The address of a token request holds no secrets or tokens",
      section: "RFC 6749, 2.3.1",
      why: "Servers and proxies write addresses into their logs. A secret that stands there, too, is no secret any more, even though the exchange works.",
      mend: "Send everything in the body of the token request, and nothing in its address.",
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
          : faulty(check, `the address of a token request holds the ${[...new Set(found)].join(", ")}`);
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.secrets.cookie",
      title: "No cookie that scripts can read holds secrets or tokens",
      section: "2.7",
      why: "Any script in a page of the app reads such a cookie, and so does whoever opens the browser's tools. The client secret has no business in any cookie.",
      mend: "Keep tokens on the server, or in a cookie that is encrypted and HttpOnly.",
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
      title: "No error page shows where in the app's code it happened",
      section: "7",
      severity: "should",
      why: "A stack trace tells strangers which libraries of which versions the app is made of. To users it says nothing.",
      mend: "Write the trace into the log, and show a page that says what the user can do.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: (evidence, check) => {
        const broken = answersOf(evidence).filter(({ response }) => (response?.status ?? 0) >= 400);
        return broken.some(tellsTrace) ? faulty(check, "an error page holds a stack trace") : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.callback.referrer",
      title: "The callback's page does not tell other sites its address",
      section: "RFC 6749, 10.5",
      severity: "should",
      why: "The address of the callback holds the code. A page with a lax Referrer-Policy sends it to every site that it loads something from.",
      mend: "Redirect from the callback to another page, or send Referrer-Policy: no-referrer with it.",
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
          ? faulty(check, "the callback answers with a page and a Referrer-Policy that gives its whole address away")
          : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.exchange.own-code",
      title: "Each token request belongs to a callback, with the code that came with it",
      section: "5.2",
      why: "A code comes with the callback and nowhere else. A token request without one, or with another code, is a mistake or an attack.",
      mend: "Send the code of the callback's query, decoded once.",
    },
    {
      journey: mishaps,
      needsLogin: false,
      judge: ({ all }, check) => {
        // What becomes of a list in place of a code is not shown.
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
