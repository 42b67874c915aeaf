import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { jsonAnswer, type WireAnswer } from "../protocol/wire-answer.ts";
import { brokenAnswer, type OAuthCheck, type OAuthCheckText, oauthCheck, usesApi, worstOf } from "./check.ts";
import { exchangesIn, isLoggedIn, isLogin, strangeCallText, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";

type Change = (answer: WireAnswer) => WireAnswer;

/** Changes members of a token answer; undefined removes one. */
export function withTokenMembers(changes: Readonly<Record<string, unknown>>): Change {
  return (answer) => {
    if (answer.status !== 200) return answer;
    return { ...answer, body: JSON.stringify({ ...(JSON.parse(answer.body) as object), ...changes }) };
  };
}

const html =
  (status: number): Change =>
  () => ({
    status,
    headers: { "content-type": "text/html" },
    body: "<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>",
  });
const json =
  (status: number, value: unknown): Change =>
  () =>
    jsonAnswer(status, value as object);
const body =
  (text: string): Change =>
  (answer) => ({ ...answer, body: text });

const never =
  "A session without a token belongs to nobody, or to an arbitrary user. Its pages then fail in places where the reason is no longer visible.";
const checked =
  "Check the status, then that access_token is a non-empty string, and only then start a session; otherwise show an error page.";

/**
 * A login in a separate browser with each of these answers of the token endpoint; afterwards its session is used.
 * @param times how often the endpoint answers this way; default more often than a login asks
 */
async function logInWithAnswers(tools: OAuthTools, answers: readonly Change[], times?: number): Promise<void> {
  for (const [index, change] of answers.entries()) {
    const location = await tools.begin(`A${index}`);
    tools.change("token", change, times);
    await tools.open(`A${index}`, "callback", location);
    tools.unchanged();
    await tools.use(`A${index}`);
  }
}

/** A check that the app starts no session after any of these answers. */
function refusedAnswers(text: OAuthCheckText, answers: Readonly<Record<string, Change>>): OAuthCheck {
  const named = Object.entries(answers);
  return oauthCheck(text, {
    journey: { key: text.id, run: (tools) => logInWithAnswers(tools, Object.values(answers)) },
    judge: (evidence, check) => {
      const verdicts = named.map(([what], index) => {
        const callback = visitOfRole(evidence, `A${index}`, "callback");
        if (exchangesIn(callback).length === 0) return skipVerdict("the app did not call the token endpoint");
        const use = visitOfRole(evidence, `A${index}`, "use");
        const isIn = isLoggedIn(evidence, use) === true;
        if (isIn || (callback !== undefined && usesApi(evidence, callback))) {
          const happened = strangeCallText(evidence, [callback, use]) ?? "the browser is logged in";
          return faulty(check, `the token endpoint answered ${what}, and ${happened}`);
        }
        const { landing } = callback ?? {};
        const broken = landing?.kind === "trouble" && callback !== undefined ? brokenAnswer(callback) : null;
        return broken === null ? PASSED : faulty(check, `the token endpoint answered ${what}: ${broken}`);
      });
      return worstOf(verdicts);
    },
  });
}

/** A check that the app logs its user in after each of these answers. */
function acceptedAnswers(text: OAuthCheckText, answers: Readonly<Record<string, Change>>): OAuthCheck {
  const named = Object.entries(answers);
  return oauthCheck(text, {
    journey: { key: text.id, run: (tools) => logInWithAnswers(tools, Object.values(answers), 1) },
    judge: (evidence, check) =>
      worstOf(
        named.map(([what], index) => {
          if (visitOfRole(evidence, `A${index}`, "callback") === undefined)
            return skipVerdict("the login did not start");
          return isLogin(evidence, `A${index}`)
            ? PASSED
            : faulty(check, `the token endpoint answered ${what}, and the login failed`);
        }),
      ),
  });
}

/** Checks of how the app handles answers of the token endpoint (interface 2.7; hardening C7). */
export const oauthTokenChecks: readonly OAuthCheck[] = [
  refusedAnswers(
    {
      id: "oauth.token.refused",
      title: "Nobody is logged in if the token endpoint refuses or fails",
      section: "2.7",
      why: never,
      fix: checked,
    },
    {
      "400 with invalid_grant": json(400, { error: "invalid_grant", error_description: "app-sim was asked for this" }),
      "401 with invalid_client": json(401, { error: "invalid_client" }),
      "500 with server_error": json(500, { error: "server_error" }),
      "503 with no body": () => ({ status: 503, headers: {}, body: "" }),
      "200 with an error": json(200, { error: "invalid_grant", error_description: "app-sim was asked for this" }),
    },
  ),
  refusedAnswers(
    {
      id: "oauth.token.unreadable",
      title: "Nobody is logged in by an answer of the token endpoint that is not a token response",
      section: "2.7",
      why: "Proxies between app and platform answer with their own pages. An app that does not check the answer starts an empty session.",
      fix: checked,
    },
    {
      "a page with 502": html(502),
      "a page with 200": html(200),
      "200 with an empty body": body(""),
      "half a JSON text": (answer) => ({ ...answer, body: answer.body.slice(0, 40) }),
      // Not null: oauth, the library below Passport, goes down at it, and no platform answers it.
      "200 with a list": body("[]"),
    },
  ),
  refusedAnswers(
    {
      id: "oauth.token.incomplete",
      title: "Nobody is logged in by a token response without an access token",
      section: "2.7",
      why: never,
      fix: checked,
    },
    {
      "without access_token": withTokenMembers({ access_token: undefined }),
      "with null as access_token": withTokenMembers({ access_token: null }),
    },
  ),
  refusedAnswers(
    {
      id: "oauth.token.empty",
      title: "Nobody is logged in by a token response whose access token is empty",
      section: "RFC 6749, A.12",
      // Some client libraries check only that it is a string.
      severity: "should",
      why: never,
      fix: checked,
    },
    { "with an empty access_token": withTokenMembers({ access_token: "" }) },
  ),
  refusedAnswers(
    {
      id: "oauth.token.other-type",
      title: "A token of a type other than bearer is not used",
      section: "RFC 6749, 7.1",
      severity: "should",
      why: "The type says how to use a token. A client must not use a token whose type it does not understand.",
      fix: "Compare token_type with bearer, case-insensitively, before storing the token.",
    },
    { "with token_type mac": withTokenMembers({ token_type: "mac" }) },
  ),
  acceptedAnswers(
    {
      id: "oauth.token.type-case",
      title: "The token type is case-insensitive",
      section: "RFC 6749, 5.1",
      severity: "should",
      why: "Bearer, bearer and BEARER are the same type. Servers use all of these spellings.",
      fix: "Compare token_type in lower case.",
    },
    {
      "with token_type Bearer": withTokenMembers({ token_type: "Bearer" }),
      "with token_type BEARER": withTokenMembers({ token_type: "BEARER" }),
    },
  ),
  acceptedAnswers(
    {
      id: "oauth.token.more-members",
      title: "A token response with unknown members is accepted",
      section: "RFC 6749, 5.1",
      why: "The platform may add members before the app knows them. A client ignores unknown names.",
      fix: "Read the members that the app needs, and ignore the others.",
    },
    {
      // No member of another standard, such as id_token: a client library may know and check it.
      "with more members": withTokenMembers({ app_sim: { is: ["new"] }, app_sim_none: null, user_id: 2 ** 31 }),
      "on many lines": (answer) =>
        answer.status === 200 ? { ...answer, body: `\n${JSON.stringify(JSON.parse(answer.body), null, 4)}\n` } : answer,
      "with charset in its type": (answer) => ({
        ...answer,
        headers: { ...answer.headers, "content-type": "application/json; charset=UTF-8" },
      }),
    },
  ),
  acceptedAnswers(
    {
      id: "oauth.token.other-lifetime",
      title: "A token response with another lifetime, or without one, is accepted",
      section: "2.7",
      severity: "should",
      why: "7200 seconds is only the default. RFC 6749 merely recommends expires_in; if it is missing, the API says when a token has expired.",
      fix: "Accept any number as expires_in, or none, and refresh when the API answers 401.",
    },
    {
      "without expires_in": withTokenMembers({ expires_in: undefined }),
      "with expires_in 86400": withTokenMembers({ expires_in: 86_400 }),
    },
  ),
];
