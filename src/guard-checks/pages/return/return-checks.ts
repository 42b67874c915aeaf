import { addressText } from "../../../browser/addresses.ts";
import type { Evidence } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { bodyText } from "../../../journal/journal.ts";
import { secretsIn } from "../../../journal/secrets-in.ts";
import { guardCallbackPath } from "../../../web/login-paths.ts";
import { NO_PASSWORD } from "../form/password-check.ts";
import { passwordsIn } from "../form/secret-fields.ts";
import type { PagePlatform } from "../opening/opened-page.ts";
import { cancelledReturnCheck } from "./cancelled-return-check.ts";
import { earlyCodeCheck } from "./early-code-check.ts";
import { declineCheck } from "./error-checks.ts";
import { formPolicyCheck } from "./form-policy.ts";
import { leadAwayCheck, OTHER_DOMAIN } from "./lead-away-check.ts";
import { severalLoginChecks } from "./login-checks.ts";
import {
  addressFault,
  EXACT_STATE,
  encodingFault,
  KEEP_STATE,
  NOT_BACK,
  queryFault,
  type ReturnCheck,
  returnCheck,
  returnIn,
  STRANDED,
  stateCameBack,
  stateIn,
  wayFault,
} from "./page-return.ts";
import { oddStateChecks } from "./state-checks.ts";

const outcomeCheck = returnCheck(
  {
    id: "page.return.outcome",
    title: "The user returns with one state and one code, and no error",
    why: STRANDED,
    fix: "Send state and code, or state and error.",
  },
  ({ state, code, error }) => {
    if (state.length !== 1) return state.length === 0 ? "there is no state" : `there are ${state.length} states`;
    if (code.length !== 1) return `there are ${code.length} codes`;
    return error.some((text) => text !== "") ? "there are both a code and an error" : null;
  },
);

const noTokenCheck = returnCheck(
  {
    id: "page.return.no-token",
    title: "The URL that the user is sent back to has no token",
    section: "RFC 6750, 5.3",
    severity: "should",
    why: "URLs end up in histories and logs, and are sent as Referer. A token there opens the app to anybody who finds it.",
    fix: "Send state and code, or state and error, and nothing from the page's own URL.",
  },
  ({ url }, evidence) =>
    tokensIn(evidence).some((token) => secretsIn(url.href, [{ name: "token", value: token }]).length > 0)
      ? "the page's token is in the callback's URL"
      : null,
);

const noPasswordCheck: ReturnCheck = {
  ...returnCheck(
    {
      id: "page.return.no-password",
      title: "The URL that the user is sent back to does not hold the password that was entered",
      severity: "should",
      why: "URLs end up in histories and logs, including the platform's. Anybody who reads them learns the password.",
      fix: "Send state and code, or state and error, and no field of the form.",
    },
    () => null,
  ),
  judge: (evidence) => {
    const [back, entered] = [returnIn(evidence, "returned"), enteredIn(evidence)];
    if (back === null) return skipVerdict(NOT_BACK);
    if (entered.length === 0) return NO_PASSWORD;
    const isTold = [...back.url.searchParams.values()].some((value) => entered.includes(value));
    return isTold ? faulty(noPasswordCheck, "a parameter of the callback's URL is the password") : PASSED;
  },
};

/** The passwords that the form was sent with. */
function enteredIn({ steps, landing }: Evidence): string[] {
  const [opened, sent] = ["opened", "returned"].map((role) => steps.findLast((step) => step.role === role)?.exchange);
  if (opened === undefined || sent === undefined) return [];
  const fields = new URLSearchParams(bodyText(sent.request.body));
  // Any parameter may be a single digit.
  return passwordsIn(landing(opened)).flatMap((name) => fields.getAll(name).filter(({ length }) => length > 1));
}

function wayChecks(platform: PagePlatform): readonly ReturnCheck[] {
  return [
    returnCheck(
      {
        id: "page.return.status",
        title: "The user is sent back by HTTP 302",
        why: STRANDED,
        fix: "Answer the form with 302 and the header Location.",
      },
      wayFault,
    ),
    returnCheck(
      {
        id: "page.return.address",
        title: "The user is sent back to {auth_url}/{domain}/guard/callback",
        why: STRANDED,
        fix: "Build the URL only from the configured {auth_url} and the organization's domain.",
      },
      (back) => addressFault(back, platform),
    ),
    returnCheck(
      {
        id: "page.return.query",
        title: "State and code are in the query",
        why: "A server never sees what follows #. The login would end without an outcome.",
        fix: "Put state and code after ?.",
      },
      (back) => queryFault(back) ?? encodingFault(back),
    ),
    outcomeCheck,
    returnCheck(
      {
        id: "page.return.empty-error",
        title: "There is no empty error in addition to the code",
        severity: "should",
        why: "The interface shows a code or an error. A platform that first checks for an error, even an empty one, ends the login.",
        fix: "Omit `error` if there is a code.",
      },
      ({ error }) => (error.length > 0 && error.every((text) => text === "") ? "there is an empty error" : null),
    ),
    returnCheck(
      {
        id: "page.return.state",
        title: "The state comes back unchanged",
        why: EXACT_STATE,
        fix: KEEP_STATE,
      },
      (back, evidence) => (back.state[0] === stateIn(evidence, "opened") ? null : stateCameBack(back)),
    ),
    noTokenCheck,
    noPasswordCheck,
    leadAwayCheck(platform),
    formPolicyCheck,
    // If the organization has no domain, the app need not know about domains.
    ...(platform.domain === null ? [] : [domainCheck(platform)]),
  ];
}

/** The tokens in the URLs with which the app was opened. */
function tokensIn({ steps }: Evidence): string[] {
  return steps.flatMap(({ exchange }) => new URL(exchange.request.url).searchParams.getAll("jwtToken"));
}

/** Claims about another organization. @param context the claim `context` of the right token */
export function otherDomainClaims(context: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { domain: OTHER_DOMAIN, context: { ...context, organization_domain: OTHER_DOMAIN } };
}

function domainCheck(platform: PagePlatform): ReturnCheck {
  const check: ReturnCheck = {
    id: "page.return.domain",
    area: "page",
    title: "The user is sent back to the organization that the token is about",
    section: "4.1",
    severity: "should",
    choices: ["guard.jwt.claims"],
    why: "An app is installed in many organizations. A user who is sent to another one's callback is stranded there.",
    fix: "Take {domain} from the verified token.",
    run: async (tools) => {
      await tools.submit("returned", await tools.login("opened", { claims: otherDomainClaims(tools.contextClaim) }));
    },
    judge: (evidence) => {
      const back = returnIn(evidence, "returned");
      // An app may refuse an organization that it does not know.
      if (back === null) return PASSED;
      const { pathname } = new URL(platform.url + guardCallbackPath(OTHER_DOMAIN));
      return back.url.pathname === pathname
        ? PASSED
        : faulty(check, `the user was sent to ${addressText(back.url)}, not to ${pathname}, of the token's domain`);
    },
  };
  return check;
}

/** The checks of how the page of a redirect guard sends its user back (hardening P3, P4; interface 4.2). */
export function returnChecks(platform: PagePlatform): readonly ReturnCheck[] {
  return [
    ...wayChecks(platform),
    ...oddStateChecks,
    earlyCodeCheck,
    ...severalLoginChecks,
    declineCheck,
    cancelledReturnCheck(platform),
  ];
}
