import { addressText } from "../../browser/addresses.ts";
import { forbidsForms, hasNoForms } from "../../browser/content-policy.ts";
import type { HtmlPage } from "../../browser/html-page.ts";

/**
 * Why browsers would not send a form that was sent here over HTTP, because the page's policy forbids it; null: they
 * would.
 * @param page the page of the form; one with scripts may send it in other ways
 * @param action where the form was sent to
 * @param end where its redirects led; null: it had none
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
    return `the page's form-action does not list ${addressText(action)}: browsers do not send the form; add it`;
  // Only some browsers apply it to redirects.
  return end !== null && policies.some((policy) => forbidsForms(policy, end, self, "redirect"))
    ? `the page's form-action does not list ${end.origin}: Chromium does not follow the form's redirect there; add it`
    : null;
}
