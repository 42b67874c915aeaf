import type { Check, TrialCheck, TwinCheck } from "../../../checking/check.ts";
import { secretCheck, traceCheck } from "../../../checking/leak-checks.ts";
import { withClaims } from "../../../checking/request-parts.ts";
import { tokenTrials } from "../../../checking/token-trials.ts";
import { tokenTwins } from "../../../checking/token-twins.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { type Exchange, headerValue } from "../../../journal/exchange.ts";
import { mediaType } from "../../../protocol/media-type.ts";
import { openListsCheck } from "../form/list-checks.ts";
import { passwordAddressCheck } from "../form/password-address-check.ts";
import { pageOf } from "../walk/answer.ts";
import type { OpenPageTools } from "../walk/tools.ts";
import { framingChecks, redirectFramingCheck, referrerCheck, storeCheck, tokenCookieCheck } from "./header-checks.ts";
import { heldCodeCheck } from "./held-codes.ts";
import { linkCheck } from "./link-check.ts";
import { nonceCheck } from "./nonce-check.ts";
import { openedPageCheck, type PagePlatform } from "./opened-page.ts";
import { ownLoginCheck } from "./own-login.ts";
import { sourceCheck } from "./source-check.ts";
import { switchCheck } from "./switch-check.ts";
import { escapingChecks } from "./text-checks.ts";

type OpenCheck = Check<OpenPageTools>;

const htmlCheck = openedPageCheck(
  {
    id: "page.answer.html",
    title: "The page is HTML with status 200",
    section: "4.2",
    severity: "must",
    why: "A browser shows only HTML as a page. Anything else is saved or shown as text, and the login cannot continue.",
    fix: "Answer 200 with the Content-Type text/html.",
  },
  ({ status, headers }) => {
    const type = mediaType(headerValue(headers, "content-type"));
    if (status !== 200) return `the app answered ${status}`;
    const isAttached = /^\s*attachment/i.test(headerValue(headers, "content-disposition") ?? "");
    if (isAttached) return "the page is sent as an attachment";
    const isHtml = type === "text/html" || type === "application/xhtml+xml";
    return isHtml ? null : `its Content-Type is ${type === "" ? "missing" : "another one"}`;
  },
);

const otherModuleCheck: TwinCheck = {
  id: "page.token.other-module",
  area: "page",
  title: "The page refuses a token that was issued for another guard",
  section: "5.1",
  severity: "should",
  choices: ["guard.jwt.claims"],
  why: "Each guard asks for something different. A token for one must not open the page of another.",
  fix: "Compare the claim `module` with the key of the guard whose page it is.",
  changes: "token.claims.module",
  right: "refused",
  twin: (request) => withClaims(request, { module: "another-guard" }),
};

const opened = {
  prefix: "page.answer",
  area: "page",
  purpose: "guard-page",
  what: "to the request for the page",
} as const;

/** The checks of a GET of a guard's page (hardening P1, P2, P5). */
export function openPageChecks(type: "redirect" | "frame", platform: PagePlatform): readonly OpenCheck[] {
  return [
    ...pageTokenChecks,
    htmlCheck,
    storeCheck,
    referrerCheck,
    tokenCookieCheck,
    linkCheck(platform),
    ...escapingChecks,
    sourceCheck,
    passwordAddressCheck,
    heldCodeCheck,
    secretCheck(opened),
    traceCheck(opened),
    ownLoginCheck,
    nonceCheck,
    openListsCheck,
    ...(type === "redirect" ? [redirectFramingCheck, switchCheck] : [uncheckedCheck, ...framingChecks(platform)]),
  ];
}

/** A page that scripts draw may be the same for everybody, but not its buttons and fields. */
const uncheckedCheck: TrialCheck<OpenPageTools> = {
  id: "page.frame.unchecked",
  area: "page",
  title: "The page of a frame guard shows its buttons only with a token",
  section: "5.1",
  severity: "must",
  why: "The app must validate the token before it shows its page. A page that opens without one can be shown to anybody, as if the platform had sent it.",
  fix: "Verify the jwtToken before answering with the page; or show the buttons only after a call that has verified it.",
  run: async (tools) => {
    await tools.send("opened", await tools.prepare());
    await tools.send("without", { ...(await tools.prepare()), token: null });
  },
  judge: ({ steps, landing, read }) => {
    const [opened, without] = steps.map(({ exchange }) => exchange);
    if (opened === undefined || without === undefined) return skipVerdict("the page was not answered");
    const buttons = buttonsShown(landing(opened));
    if (buttons.length === 0) return skipVerdict("without its scripts, it shows no button outside of forms");
    const isShown =
      read(without).kind === "accepted" && buttons.every((text) => buttonsShown(landing(without)).includes(text));
    return isShown ? faulty(uncheckedCheck, `the app ${read(without).says}, without a token`) : PASSED;
  },
};

/** The texts of the buttons that a page shows without its scripts. */
function buttonsShown(exchange: Exchange): readonly string[] {
  return pageOf(exchange)?.shownButtons ?? [];
}

/** The checks of the token in a page's URL. */
export const pageTokenChecks: readonly (TwinCheck | TrialCheck)[] = [
  ...tokenTwins({ prefix: "page.token", area: "page", what: "The page" }),
  ...tokenTrials({ prefix: "page.token", area: "page", what: "The page" }),
  otherModuleCheck,
];
