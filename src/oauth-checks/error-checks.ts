import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { headerValue } from "../journal/exchange.ts";
import { unpackedText } from "../journal/readable-body.ts";
import { apiRequests } from "../oauth-login/checks/login-facts.ts";
import { mediaType } from "../protocol/media-type.ts";
import { jsonAnswer } from "../protocol/wire-answer.ts";
import {
  brokenAnswer,
  type Journey,
  judgeRefusal,
  NO_SESSION_SEEN,
  type OAuthCheck,
  oauthCheck,
  STRANGE_TOKEN,
  worstOf,
} from "./check.ts";
import { exchangesIn, isLogin, type OAuthEvidence, usesStrangeToken, visitOfRole } from "./evidence.ts";

/** Markup that shows whether an app escapes text in a page. */
const MARK = "app_sim_markup";
/** With another tag first: some code escapes only the first one. */
const MARKUP = `"'><i></i><script>${MARK}</script>`;

/** The address of a callback with an error instead of a code. */
function withError(location: string, error: string, description: string | null): string {
  const url = new URL(location);
  url.searchParams.delete("code");
  url.searchParams.set("error", error);
  if (description !== null) url.searchParams.set("error_description", description);
  return url.href;
}

const otherErrors = ["server_error", "temporarily_unavailable", "invalid_scope", "app_sim_unknown"] as const;
/** The interface does not show these errors: an app may blame the platform. */
const BLAME_THE_PLATFORM = [502, 503, 504];

/** The user declines, and then logs in after all; another one is logged in already, and declines a second login. */
const denial: Journey = {
  key: "oauth.denied",
  run: async (tools) => {
    await tools.open("A", "denied", await tools.begin("A", { decision: "deny" }));
    await tools.use("A", "use-denied");
    await tools.login("A", { what: "start-again" });
    await tools.login("B");
    await tools.open("B", "denied", await tools.begin("B", { decision: "deny", what: "start-again" }));
    await tools.use("B", "use-denied");
  },
};

/** Judges the session of a user who declines another login: it may end or continue, but declining issues no new token. */
function judgeSessionKept(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  const visits = ["denied", "use-denied"].map((what) => visitOfRole(evidence, "B", what));
  return usesStrangeToken(evidence, visits)
    ? faulty(check, `after a logged-in user declines another login, ${STRANGE_TOKEN}`)
    : PASSED;
}

const errors: Journey = {
  key: "oauth.error",
  run: async (tools) => {
    for (const [index, error] of otherErrors.entries()) {
      const description = index % 2 === 0 ? "the platform has a fault requested from app-sim" : null;
      await tools.open(`A${index}`, "callback", withError(await tools.begin(`A${index}`), error, description));
      await tools.use(`A${index}`);
    }
  },
};

/** Callbacks with markup in one parameter each. */
const markup: Journey = {
  key: "oauth.callback.escaped",
  run: async (tools) => {
    const location = () => tools.begin("A");
    await tools.open("A", "description", withError(await location(), "access_denied", MARKUP));
    await tools.open("A", "error", withError(await location(), MARKUP, null));
    const state = new URL(await location());
    state.searchParams.set("state", MARKUP);
    await tools.open("A", "state", state.href);
    const code = new URL(await location());
    code.searchParams.set("code", MARKUP);
    await tools.open("A", "code", code.href);
    // Some apps show the description only of errors that they do not expect.
    await tools.open("A", "other-description", withError(await location(), "server_error", MARKUP));
    const uri = new URL(withError(await location(), "access_denied", null));
    uri.searchParams.set("error_uri", `javascript:${MARK}`);
    await tools.open("A", "error-uri", uri.href);
    // The author of a forged link knows no state.
    const madeUp = new URL(withError(uri.href, MARKUP, MARKUP));
    madeUp.searchParams.set("state", "app-sim");
    await tools.open("A", "made-up", madeUp.href);
  },
};

/** A platform with markup in its answers: in the errors of both endpoints, and in any text written by users. */
const platformMarkup: Journey = {
  key: "oauth.api.escaped",
  run: async (tools) => {
    const location = await tools.begin("B");
    tools.change("token", () => jsonAnswer(400, { error: "invalid_grant", error_description: MARKUP }));
    await tools.open("B", "refused", location);
    tools.unchanged();
    await tools.login("A");
    tools.change("api", (answer) => ({ ...answer, body: withMarkup(answer.body) }), API_CALLS);
    await tools.use("A", "marked");
    tools.unchanged();
    tools.change("api", () => jsonAnswer(403, { error: { code: 403, message: MARKUP } }), API_CALLS);
    await tools.use("A", "forbidden");
    tools.unchanged();
  },
};

/** Where in the platform's answers of these visits the markup was. */
const markedAnswers = [
  ["B", "refused", "in an error of the token endpoint"],
  ["A", "marked", "as a name"],
  ["A", "forbidden", "in an error of the API"],
] as const;

/** More calls than an app makes for one page. */
const API_CALLS = 20;

/** The JSON with markup at the end of each name. */
function withMarkup(body: string): string {
  return body.replaceAll(
    /("name"\s*:\s*"(?:[^"\\]|\\.)*)"/g,
    (_, name: string) => `${name}${JSON.stringify(MARKUP).slice(1)}`,
  );
}

/** Whether a page holds the markup as it was sent: then a browser runs it. */
function isUnescaped(evidence: OAuthEvidence, what: string, browser = "A"): boolean {
  const answers = visitOfRole(evidence, browser, what)?.own ?? [];
  return answers.some(({ response }) => {
    if (response === null) return false;
    const type = mediaType(headerValue(response.headers, "content-type"));
    // Without a type browsers guess, and guess HTML by its first tag.
    if (type !== "" && type !== "text/html" && type !== "application/xhtml+xml") return false;
    const body = unpackedText(response);
    return body.includes(`<script>${MARK}`) || new RegExp(`(?:href|src)\\s*=\\s*["']?javascript:${MARK}`).test(body);
  });
}

/** What the app makes of errors at its callback (interface 5.2, 7; hardening C6). */
export const oauthErrorChecks: readonly OAuthCheck[] = [
  oauthCheck(
    {
      id: "oauth.denied.session",
      title: "A user who declines is not logged in",
      section: "7",
      why: "A user who declines gives the app nothing, so there is nobody to log in. A session without tokens fails on its first use.",
      fix: "Check the callback's query for `error`, and show a page without starting a session.",
    },
    {
      journey: denial,
      judge: (evidence, check) =>
        worstOf([
          judgeRefusal(evidence, check, { browser: "A", what: "a declined login", visit: "denied", use: "use-denied" }),
          judgeSessionKept(evidence, check),
        ]),
    },
  ),
  oauthCheck(
    {
      id: "oauth.denied.again",
      title: "A user who declined can log in after all",
      section: "5.2",
      why: "People press the wrong button. Leftovers of the declined login must not block the next one.",
      fix: "Make a new state for each login, and delete the old one when the callback with the error arrives.",
    },
    {
      journey: denial,
      judge: (evidence, check) => {
        if (visitOfRole(evidence, "A", "callback") === undefined) {
          return faulty(check, "after the user declined, the login link no longer leads to the platform");
        }
        return isLogin(evidence, "A") ? PASSED : faulty(check, "a login after a declined one does not succeed");
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.error",
      title: "Other errors at the callback log nobody in, and break nothing",
      section: "RFC 6749, 4.1.2.1",
      why: "access_denied is not the only error that a platform may send. None of them comes with a code, so there is no token to request.",
      fix: "Treat every callback with `error` alike: show a page, and do not call the token endpoint.",
    },
    {
      journey: errors,
      judge: (evidence, check) =>
        worstOf(
          otherErrors.map((error, index) =>
            judgeRefusal(evidence, check, {
              browser: `A${index}`,
              what: `a callback with error=${error}`,
              mayFailWith: BLAME_THE_PLATFORM,
            }),
          ),
        ),
    },
  ),
  oauthCheck(
    {
      id: "oauth.callback.escaped",
      title: "The app's pages escape text from the callback's query",
      section: "7",
      why: "Anybody can make a link to the callback, with any text in it. A page that shows it as HTML runs the attacker's script.",
      fix: "Escape `error`, `error_description`, `state` and `code` wherever they are shown; template engines do by default.",
    },
    {
      journey: markup,
      judge: (evidence, check) => {
        const shown = ["description", "other-description", "error", "state", "code", "error-uri", "made-up"].filter(
          (what) => isUnescaped(evidence, what),
        );
        if (evidence.visits.length === 0) return skipVerdict("the login did not get that far");
        return shown.length === 0
          ? PASSED
          : faulty(check, `a page has a script from the callback's query (${shown.join(", ")})`);
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.api.escaped",
      title: "The app's pages escape text from the platform's answers",
      section: "5.4",
      why: "Names of projects and people are free text, and errors repeat them. A page that shows them as HTML runs the script of anybody who puts one into a project name.",
      fix: "Escape every text of the platform, including errors; template engines do by default.",
    },
    {
      journey: platformMarkup,
      judge: (evidence, check) => {
        const shown = markedAnswers.find(([browser, what]) => isUnescaped(evidence, what, browser));
        if (shown !== undefined) return faulty(check, `a page has a script that came ${shown[2]}`);
        const marked = visitOfRole(evidence, "A", "marked");
        return marked === undefined || apiRequests(marked.requests).length === 0 ? NO_SESSION_SEEN : PASSED;
      },
    },
  ),
  oauthCheck(
    {
      id: "oauth.callback.odd",
      title: "Callbacks with malformed parameters break nothing",
      section: "5.2",
      why: "Links get truncated, copied and tampered with. A server error for each hides the real ones, and shows attackers where to look.",
      fix: "Answer 400 to a callback without exactly one string for `code` and one for `state`; many frameworks parse `state[]=` as a list.",
      severity: "should",
    },
    {
      journey: {
        key: "oauth.callback.odd",
        run: async (tools) => {
          const first = new URL(await tools.begin("A"));
          await tools.open("A", "empty", first.origin + first.pathname);
          const twice = new URL(await tools.begin("A"));
          twice.searchParams.append("state", "other");
          twice.searchParams.append("code", "other");
          await tools.open("A", "twice", twice.href);
          const long = new URL(await tools.begin("A"));
          long.searchParams.set("state", "x".repeat(4000));
          await tools.open("A", "long", long.href);
          const wide = new URL(await tools.begin("A"));
          wide.searchParams.set("state", "ж".repeat(wide.searchParams.get("state")?.length ?? 43));
          await tools.open("A", "wide", wide.href);
          for (const name of ["state", "code", "error"]) {
            const listed = new URL(await tools.begin("A"));
            listed.searchParams.append(`${name}[]`, listed.searchParams.get(name) ?? "access_denied");
            listed.searchParams.delete(name);
            await tools.open("A", `${name}[]`, listed.href);
          }
        },
      },
      judge: (evidence, check) =>
        worstOf(
          evidence.visits
            .filter(({ what }) => what !== "start")
            .map((visit) => {
              const broken = exchangesIn(visit).length > 0 ? null : brokenAnswer(visit);
              return broken === null
                ? PASSED
                : faulty(check, `after ${oddities[visit.what] ?? "such a callback"}: ${broken}`);
            }),
        ),
    },
  ),
];

const oddities: Readonly<Record<string, string>> = {
  empty: "a callback without a query",
  twice: "a callback with two states and two codes",
  long: "a callback with a state of 4,000 characters",
  wide: "a callback with a state of non-ASCII letters",
  "state[]": "a callback with a list of states (state[]=)",
  "code[]": "a callback with a list of codes (code[]=)",
  "error[]": "a callback with a list of errors (error[]=)",
};
