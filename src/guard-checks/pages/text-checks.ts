import { hasElement } from "../../browser/read-html.ts";
import type { CheckFacts, TrialCheck } from "../../checking/check.ts";
import { withClaims } from "../../checking/request-parts.ts";
import { faulty, PASSED } from "../../checking/verdict.ts";
import { type Exchange, headerValue } from "../../journal/exchange.ts";
import { unpackedBytes } from "../../journal/readable-body.ts";
import { mediaType } from "../../protocol/media-type.ts";
import type { OpenPageTools } from "./tools.ts";

/** An element that no page of an app has of itself. */
const CANARY = "app-sim-canary";

const escaped = "Escape every text in a page for its context: template engines do by default.";
const injected =
  "The author of a link writes the page's URL. Unescaped markup runs with the app's origin, and can read the user's token.";

/** A check that puts markup into one place of the request. */
function escaping(
  facts: Pick<CheckFacts, "id" | "title"> & Partial<Pick<CheckFacts, "choices">>,
  ...opens: readonly ((tools: OpenPageTools, markup: string) => ReturnType<OpenPageTools["open"]>)[]
): TrialCheck<OpenPageTools> {
  const check: TrialCheck<OpenPageTools> = {
    area: "page",
    section: "4.2",
    severity: "must",
    why: injected,
    fix: escaped,
    ...facts,
    run: async (tools) => {
      for (const [index, markup] of markups.entries()) {
        for (const open of opens) await tools.send(`markup-${index + 1}`, await open(tools, markup));
      }
    },
    judge: (evidence) => {
      const answers = evidence.steps.map(({ exchange }) => evidence.landing(exchange));
      const hit = answers.find(isInjected);
      if (hit !== undefined) return faulty(check, `the page of the answer ${hit.response?.status} has it as markup`);
      const broken = evidence.steps.find(({ exchange }) => evidence.read(exchange).kind === "broken");
      return broken === undefined ? PASSED : faulty(check, `the app ${evidence.read(broken.exchange).says}`);
    },
  };
  return check;
}

/** Markup for each place where a text may stand. */
export const markups: readonly string[] = [
  `"><${CANARY}>`,
  `'></script></title></textarea></style><${CANARY} x='`,
  `" ${CANARY}="1" x="`,
  `' ${CANARY}='1' x='`,
  // Ends an attribute that has no quotes, in which escaping helps nothing.
  `x ${CANARY}=1 x=`,
];

/** Parameters that pages show, or write into an attribute. */
const shownParameters = ["error", "message", "error_description", "title", "name", "lang", "locale", "theme"];

/** Whether a page of an answer has the markup as markup. */
export function isInjected({ response }: Exchange): boolean {
  if (response === null) return false;
  const type = mediaType(headerValue(response.headers, "content-type"));
  // Browsers run nothing in what is no page.
  if (type !== "" && !/html|xml/.test(type)) return false;
  return hasElement({ headers: response.headers, body: unpackedBytes(response) }, `${CANARY}, [${CANARY}]`);
}

/** The checks of texts that come into a page from outside (hardening P2). */
export const escapingChecks: readonly TrialCheck<OpenPageTools>[] = [
  escaping(
    { id: "page.text.state-escaped", title: "The page shows a state with markup as text" },
    // An app may accept each state only once, and remember it forever.
    async (tools, markup) => tools.open({ state: `${tools.madeUp()}${markup}` }),
  ),
  escaping(
    { id: "page.text.token-escaped", title: "The page shows a token with markup as text" },
    async (tools, markup) => {
      const request = await tools.open({});
      return { ...request, token: request.token && { ...request.token, respell: () => markup } };
    },
  ),
  escaping(
    {
      id: "page.text.claims-escaped",
      title: "The page shows claims with markup as text",
      choices: ["guard.jwt.claims"],
    },
    async (tools, markup) => {
      const request = await tools.open({});
      const context = request.token?.claims.context as Readonly<Record<string, unknown>> | undefined;
      return withClaims(request, { name: markup, context: { ...context, user_login: markup } }) ?? request;
    },
    // An app may refuse an organization it cannot work with; its page still shows the right user.
    async (tools, markup) => {
      const request = await tools.open({});
      const context = request.token?.claims.context as Readonly<Record<string, unknown>> | undefined;
      return withClaims(request, { domain: markup, context: { ...context, organization_domain: markup } }) ?? request;
    },
  ),
  escaping(
    { id: "page.text.query-escaped", title: "The page shows other parameters with markup as text" },
    async (tools, markup) => {
      // The page of a frame guard gets no state of the platform's, and may show one all the same.
      const hasState = new URL((await tools.open({})).url).searchParams.has("state");
      const names = hasState ? shownParameters : [...shownParameters, "state"];
      return tools.open({ query: Object.fromEntries(names.map((name) => [name, markup])) });
    },
    // The address in the manifest may have parameters of its own.
    async (tools, markup) => {
      const url = new URL((await tools.open({})).url);
      const names = [...url.searchParams.keys()].filter((name) => name !== "state" && name !== "jwtToken");
      return tools.open({ query: Object.fromEntries(names.map((name) => [name, markup])) });
    },
  ),
];
