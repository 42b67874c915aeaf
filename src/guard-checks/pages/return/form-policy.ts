import { forbidsForms } from "../../../browser/content-policy.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { withoutQuery } from "../../../protocol/url.ts";
import { pageOf } from "../walk/answer.ts";
import { lastIn, NOT_BACK, type ReturnCheck, returnCheck, returnIn, STRANDED } from "./page-return.ts";

/** The check that the page's own policy, which only browsers enforce, allows its form. */
export const formPolicyCheck: ReturnCheck = {
  ...returnCheck(
    {
      id: "page.return.own-policy",
      title: "The page's own policy allows its form, and the user's return",
      why: STRANDED,
      fix: "List 'self' and {auth_url} in form-action of the page's Content-Security-Policy: some browsers apply it to the redirect after the form, too. Because browsers differ, omitting only {auth_url} is a warning.",
    },
    () => null,
  ),
  judge: (evidence) => {
    const page = lastIn(evidence, "opened");
    const back = returnIn(evidence, "returned");
    const sent = evidence.steps.find(({ role }) => role === "returned")?.exchange.request.url;
    if (page?.response == null || back === null || sent === undefined) return skipVerdict(NOT_BACK);
    if (!isSentBy(page, sent)) return skipVerdict("the user was not sent back by a form without scripts");
    const [self, policies] = [new URL(page.request.url), pageOf(page)?.policies ?? []];
    if (policies.some((policy) => forbidsForms(policy, new URL(sent), self, "form")))
      return faulty(formPolicyCheck, "its Content-Security-Policy forbids its own form");
    // Browsers differ in whether they apply it to redirects.
    return back.status !== null && policies.some((policy) => forbidsForms(policy, back.url, self, "redirect"))
      ? { result: "warn", reason: "its form-action does not list the platform, to which the form's answer redirects" }
      : PASSED;
  },
};

/** Whether a request is made by a form of a page, and not by a script or a link. */
function isSentBy(exchange: Exchange, sent: string): boolean {
  const page = pageOf(exchange);
  return (
    page?.hasScripts === false &&
    page.forms.some(({ action }) => action !== null && withoutQuery(action) === withoutQuery(sent))
  );
}
