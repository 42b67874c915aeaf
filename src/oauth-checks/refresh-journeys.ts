import { tokenRequests } from "../oauth-login/checks/login-facts.ts";
import type { Journey } from "./check.ts";
import { receivedToken, refreshesIn } from "./evidence.ts";
import { openAfterFault, returnAfterFault } from "./kept-session.ts";
import { withOvertaking } from "./overtaking.ts";
import type { OAuthTools } from "./tools.ts";
import type { OAuthVisit } from "./visits.ts";

/** Lifetime in seconds of the token of a refresh journey, and milliseconds after which it has certainly expired. */
const SHORT_SECONDS = 1;
const OVER_MS = 1200;

/** One browser's access tokens, oldest first, and its last refresh token. */
function tokensOf(visits: readonly OAuthVisit[]): { access: string[]; refresh: string | null } {
  const answers = visits.flatMap(({ requests }) => tokenRequests(requests));
  const received = (name: "access_token" | "refresh_token") =>
    answers.flatMap((answer) => receivedToken(answer, name) ?? []);
  return { access: received("access_token"), refresh: received("refresh_token").at(-1) ?? null };
}

/** Makes the app believe that its tokens are short-lived, starting with the next one. */
function shortenTokens(tools: OAuthTools): void {
  tools.change(
    "token",
    (answer) =>
      answer.status === 200
        ? { ...answer, body: JSON.stringify({ ...(JSON.parse(answer.body) as object), expires_in: SHORT_SECONDS }) }
        : answer,
    20,
  );
}

/**
 * An app refreshes when the API refuses its token, or when the token has expired by its own clock: browser `A` does not
 * wait for that clock; `W`, if there was no refresh in `A`, does.
 * @param use what the browser opens; `expire` is called before each token that should expire
 */
async function withShortTokens(
  tools: OAuthTools,
  use: (browser: string, expire: () => Promise<void>) => Promise<void>,
): Promise<void> {
  for (const browser of ["A", "W"]) {
    shortenTokens(tools);
    await tools.login(browser);
    await use(browser, async () => {
      if (browser === "W") await tools.context.clock.pause(OVER_MS, tools.context.signal);
      for (const token of tokensOf(tools.visitsOf(browser)).access) await tools.revoke(token);
    });
    tools.unchanged();
    if (hasRefreshed(tools, browser)) return;
  }
}

function hasRefreshed(tools: OAuthTools, browser: string): boolean {
  return tools.visitsOf(browser).some((visit) => refreshesIn(visit).length > 0);
}

export const refreshJourney: Journey = {
  key: "oauth.refresh",
  run: (tools) =>
    withShortTokens(tools, async (browser, expire) => {
      // The third time shows whether the refresh token of a refresh, and not only that of the login, was replaced.
      for (const what of ["expired", "expired-again", "expired-third"]) {
        await expire();
        await tools.use(browser, what);
      }
      // Some apps keep new tokens only once the API has answered.
      await expire();
      tools.change("api", (answer) => (answer.status === 401 ? answer : { status: 503, headers: {}, body: "" }), 8);
      await tools.use(browser, "refreshed-in-vain");
      tools.unchanged();
      await expire();
      await tools.use(browser, "after-fault");
    }),
};

/** A token expires, and several pages of a session are opened at the same time. */
export const pagesAtOnceJourney: Journey = {
  key: "oauth.refresh.at-once",
  run: (tools) =>
    withShortTokens(tools, async (browser, expire) => {
      await expire();
      await tools.fork(browser, `${browser}-stale`);
      await tools.use(browser, "alone");
      await tools.use(`${browser}-stale`, "stale");
      await expire();
      tools.unchanged();
      await Promise.all(["pages", "pages", "pages"].map((what) => tools.use(browser, what)));
      await tools.use(browser, "after");
    }),
};

/** The token of one of two users expires. */
export const ownRefreshJourney: Journey = {
  key: "oauth.refresh.own",
  run: (tools) =>
    withShortTokens(tools, async (browser, expire) => {
      await tools.login(`${browser}-other`, { user: tools.subject.other });
      await expire();
      tools.unchanged();
      await tools.use(browser, "expired");
      await tools.use(`${browser}-other`, "after");
    }),
};

/** More refreshes than an app tries for one page. */
const REFRESHES = 8;

/** Opens the page while the token endpoint answers with an error. */
async function failRefresh(tools: OAuthTools, browser: string): Promise<void> {
  await tools.withFault(`refresh=503x${REFRESHES}`, async () => void (await tools.use(browser, "failed")));
}

/** The token expires while the token endpoint has a fault: first it answers with an error, then with half an answer. */
export const failingRefreshJourney: Journey = {
  key: "oauth.refresh.failing",
  run: (tools) =>
    withShortTokens(tools, async (browser, expire) => {
      await expire();
      await failRefresh(tools, browser);
      await openAfterFault(tools, browser);
      if (!hasRefreshed(tools, browser)) return;
      await expire();
      // The fault's answer cannot be changed.
      tools.unchanged();
      await tools.withFault(`refresh=garbagex${REFRESHES}`, async () => void (await tools.use(browser, "garbled")));
      await tools.use(browser, "after-garbled");
    }),
};

/** The token expires while the token endpoint answers with an error, and later the page is opened again. */
export const failedRefreshJourney: Journey = {
  key: "oauth.refresh.recovers",
  run: (tools) =>
    withShortTokens(tools, async (browser, expire) => {
      await expire();
      await failRefresh(tools, browser);
      if (hasRefreshed(tools, browser)) await returnAfterFault(tools, browser);
    }),
};

/** The tokens of two users expire at the same time; in the first round one refresh overtakes the other. */
export const usersAtOnceJourney: Journey = {
  key: "oauth.refresh.users-at-once",
  run: (tools) =>
    withShortTokens(tools, async (browser, expire) => {
      const browsers = [browser, `${browser}-other`] as const;
      await tools.login(browsers[1], { user: tools.subject.other });
      const useBoth = (what: string) => Promise.all(browsers.map((each) => tools.use(each, what)));
      // Sequentially: for simultaneous requests it is unknown whose they are.
      const useInTurn = async (what: string) => {
        for (const each of browsers) await tools.use(each, what);
      };
      const expireBoth = async () => {
        await expire();
        for (const token of tokensOf(tools.visitsOf(browsers[1])).access) await tools.revoke(token);
      };
      // The tokens of the first round are short-lived, too: an app that goes by its own clock needs that for the
      // second.
      await expireBoth();
      await withOvertaking(tools, "refresh", () => useBoth("expired"));
      await useInTurn("between");
      await expireBoth();
      tools.unchanged();
      await useBoth("expired-again");
      await useInTurn("after");
    }),
};

export const endedGrantJourney: Journey = {
  key: "oauth.refresh.ended",
  run: async (tools) => {
    const { other } = tools.subject;
    await tools.login("A");
    const { refresh } = tokensOf(tools.visitsOf("A"));
    if (refresh === null) return;
    if (other !== null) {
      await tools.login("B", { user: other });
      await tools.use("B", "before");
    }
    await tools.revoke(refresh);
    await tools.use("A", "ended");
    await tools.use("A", "ended-again");
    if (other !== null) await tools.use("B", "after");
    await tools.login("A", { what: "start-again" });
  },
};

/** The platform ends an access token long before its time. */
export const earlyRefusalJourney: Journey = {
  key: "oauth.api.early",
  run: async (tools) => {
    await tools.login("A");
    for (const token of tokensOf(tools.visitsOf("A")).access) await tools.revoke(token);
    await tools.use("A", "refused");
  },
};

/** A little longer than what the API asks for. */
const RETRY_AFTER_MS = 1_100;

/** Statuses of an API that says nothing about the token, each with the role of the visit that gets it. */
export const FAILING_API: readonly (readonly [what: string, status: number])[] = [
  ["failed", 500],
  ["unavailable", 503],
  ["limited", 429],
];

export const failingApiJourney: Journey = {
  key: "oauth.api.failing",
  run: async (tools) => {
    await tools.login("A");
    for (const [what, status] of FAILING_API) {
      const headers = { "content-type": "text/html", "retry-after": "1" };
      tools.change("api", () => ({ status, headers, body: "<h1>Not now</h1>" }), 8);
      await tools.use("A", what);
      tools.unchanged();
      // An app that calls no earlier than it may is right.
      await tools.context.clock.pause(RETRY_AFTER_MS, tools.context.signal);
    }
    tools.change("api", (answer) => ({ ...answer, body: answer.body.slice(0, 20) }), 8);
    await tools.use("A", "garbled");
    tools.unchanged();
    await openAfterFault(tools, "A");
  },
};
