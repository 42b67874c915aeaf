import { addressText } from "../../browser/addresses.ts";
import { forbidsForms, hasNoForms, readPolicies } from "../../browser/content-policy.ts";
import type { HtmlPage } from "../../browser/html-page.ts";
import { parseUrl } from "../../protocol/url.ts";

/** What Chromium logs for a form that the page's policy forbids to send, or to redirect. */
const forbiddenForm = /^(?:Refused to send|Sending) form data to '([^']+)' .*directive: "([^"]+)"/;

/**
 * Why browsers would not send a form that was sent here over HTTP, because the page's policy forbids it; null: they
 * would.
 * @param page the page of the form; one with scripts may send it in other ways
 * @param action where the form was sent to
 * @param end where its redirects led; null: it had none
 */
export function formPolicyWarning(
  { url, policies, hasScripts }: Pick<HtmlPage, "url" | "policies" | "hasScripts">,
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

/**
 * Why Chromium did not send a form, or did not follow its redirect, by its own message; null: it is another message.
 * @param page the address of the form's page
 * @param platform where the form's redirect should lead
 */
export function forbiddenFormHint(message: string, page: string, platform: string): string | null {
  const [, target = "", policy = ""] = forbiddenForm.exec(message) ?? [];
  const action = parseUrl(target);
  if (action === null || parseUrl(page) === null) return null;
  return formPolicyWarning({ url: page, policies: readPolicies(policy), hasScripts: false }, action, new URL(platform));
}
