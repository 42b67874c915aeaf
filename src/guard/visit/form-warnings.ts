import { addressText } from "../../browser/addresses.ts";
import { forbidsForms, hasNoForms } from "../../browser/content-policy.ts";
import type { HtmlPage } from "../../browser/html-page.ts";

/**
 * What browsers make of a form that was sent over HTTP, where the policy of its page forbids it; null: they send it.
 * @param page the page of the form; one with scripts may send it in another way
 * @param action where the form was sent to
 * @param end where its answer led by redirects; null: nowhere
 */
export function formPolicyWarning(
  { url, policies, hasScripts }: HtmlPage,
  action: URL,
  end: URL | null,
): string | null {
  if (hasScripts) return null;
  const self = new URL(url);
  if (policies.some(hasNoForms))
    return "the page's policy has a sandbox without allow-forms: browsers do not send its form";
  if (policies.some((policy) => forbidsForms(policy, action, self, "form")))
    return `the page's form-action leaves out ${addressText(action)}: browsers do not send the form; add it`;
  // Not all browsers apply it to redirects.
  return end !== null && policies.some((policy) => forbidsForms(policy, end, self, "redirect"))
    ? `the page's form-action leaves out ${end.origin}: Chromium does not follow the form's redirect there; add it`
    : null;
}
