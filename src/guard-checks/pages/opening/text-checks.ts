import { hasElement } from "../../../browser/read-html.ts";
import type { CheckFacts, TrialCheck } from "../../../checking/check.ts";
import { type RequestParts, withClaims } from "../../../checking/request-parts.ts";
import { faulty, PASSED } from "../../../checking/verdict.ts";
import { type Exchange, headerValue } from "../../../journal/exchange.ts";
import { unpackedBytes } from "../../../journal/readable-body.ts";
import { mediaType } from "../../../protocol/media-type.ts";
import { CANARY } from "../walk/blocked-parts.ts";
import type { OpenPageTools } from "../walk/tools.ts";

export const escaped = "Escape every text in a page for its context: template engines do by default.";
export const injected =
  "Anybody can write a link to the page. Unescaped markup from its URL runs in the app's origin, and can read the user's token.";

/** What gets the markup, in words, and the request for the page with it. */
type Opened = readonly [
  what: string,
  open: (tools: OpenPageTools, markup: string) => ReturnType<OpenPageTools["open"]>,
];

/** A check that puts markup into some places of the request. */
function escaping(
  facts: Pick<CheckFacts, "id" | "title"> & Partial<Pick<CheckFacts, "choices">>,
  ...opens: readonly Opened[]
): TrialCheck<OpenPageTools> {
  const check: TrialCheck<OpenPageTools> = {
    area: "page",
    section: "4.2",
    severity: "must",
    why: injected,
    fix: escaped,
    ...facts,
    run: async (tools) => {
      for (const markup of markups) {
        for (const [what, open] of opens) await tools.send(what, await open(tools, markup));
      }
    },
    judge: (evidence) => {
      for (const { role, exchange } of evidence.steps) {
        const page = evidence.landing(exchange);
        if (!isInjected(page)) continue;
        return faulty(check, `the page that came with status ${page.response?.status} contains ${role} as markup`);
      }
      const broken = evidence.steps.find(({ exchange }) => evidence.read(exchange).kind === "broken");
      return broken === undefined ? PASSED : faulty(check, `the app ${evidence.read(broken.exchange).says}`);
    },
  };
  return check;
}

/** Markup for each place in which a text may be. */
export const markups: readonly string[] = [
  `"><${CANARY}>`,
  `'></script></title></textarea></style><${CANARY} x='`,
  `" ${CANARY}="1" x="`,
  `' ${CANARY}='1' x='`,
  // Ends an attribute without quotes, where escaping does not help.
  `x ${CANARY}=1 x=`,
  // Ends an element in which all else is text, such as a script with JSON, and is complete in itself: without the end of
  // its own tag, an element at the end of a page is none.
  `--></script></title></textarea></style></noscript><${CANARY}></${CANARY}>`,
];

/** Parameters that pages show, or write into an attribute. */
export const shownParameters = [
  "error",
  "error_description",
  "reason",
  "message",
  "msg",
  "notice",
  "info",
  "flash",
  "text",
  "title",
  "name",
  "lang",
  "locale",
  "theme",
];

/** Whether the page of an answer has the element, not only its text. */
export function isInjected({ response }: Exchange): boolean {
  if (response === null) return false;
  const type = mediaType(headerValue(response.headers, "content-type"));
  // Browsers run scripts only in pages.
  if (type !== "" && !/html|xml/.test(type)) return false;
  return hasElement({ headers: response.headers, body: unpackedBytes(response) }, `${CANARY}, [${CANARY}]`);
}

type Claims = Readonly<Record<string, unknown>>;

/** The request with other claims, in the claim `context` and beside it. */
function withContext(request: RequestParts, context: Claims, beside: Claims): RequestParts {
  const before = request.token?.claims.context as Claims | undefined;
  return withClaims(request, { ...beside, context: { ...before, ...context } }) ?? request;
}

/** The checks of texts in a page that come from outside (hardening P2). */
export const escapingChecks: readonly TrialCheck<OpenPageTools>[] = [
  escaping(
    { id: "page.text.state-escaped", title: "The page shows a state with markup as text" },
    // An app may accept each state only once, and remember it forever.
    ["the state", async (tools, markup) => tools.open({ state: `${tools.madeUp()}${markup}` })],
  ),
  escaping({ id: "page.text.token-escaped", title: "The page shows a token with markup as text" }, [
    "the token",
    async (tools, markup) => {
      const request = await tools.open({});
      return { ...request, token: request.token && { ...request.token, respell: () => markup } };
    },
  ]),
  escaping(
    {
      id: "page.text.claims-escaped",
      title: "The page shows claims with markup as text",
      choices: ["guard.jwt.claims"],
    },
    [
      "the claim context.user_login or name",
      async (tools, markup) => withContext(await tools.open({}), { user_login: markup }, { name: markup }),
    ],
    // An app may refuse an organization that it does not know; its page still shows the right user.
    [
      "the claim domain or context.organization_domain",
      async (tools, markup) => withContext(await tools.open({}), { organization_domain: markup }, { domain: markup }),
    ],
  ),
  escaping(
    { id: "page.text.query-escaped", title: "The page shows other parameters with markup as text" },
    [
      "a parameter",
      async (tools, markup) => {
        // The page of a frame guard gets no state from the platform, but may show one anyway.
        const hasState = new URL((await tools.open({})).url).searchParams.has("state");
        const names = hasState ? shownParameters : [...shownParameters, "state"];
        return tools.open({ query: Object.fromEntries(names.map((name) => [name, markup])) });
      },
    ],
    // The address in the manifest may have parameters.
    [
      "a parameter of the address in the manifest",
      async (tools, markup) => {
        const url = new URL((await tools.open({})).url);
        const names = [...url.searchParams.keys()].filter((name) => name !== "state" && name !== "jwtToken");
        return tools.open({ query: Object.fromEntries(names.map((name) => [name, markup])) });
      },
    ],
  ),
];
