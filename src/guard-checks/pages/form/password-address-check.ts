import type { TrialCheck } from "../../../checking/check.ts";
import { openedPageCheck } from "../opening/opened-page.ts";
import { pageOf } from "../walk/answer.ts";
import type { OpenPageTools } from "../walk/tools.ts";
import { passwordsIn } from "./secret-fields.ts";

/** The check of how the browser sends a password. */
export const passwordAddressCheck: TrialCheck<OpenPageTools> = openedPageCheck(
  {
    id: "page.text.password-by-get",
    title: "The page has no form that puts a password into a URL",
    section: "RFC 9110, 17.9",
    severity: "should",
    why: "A form without method=post sends its fields in the URL. URLs end up in histories and logs, and are shown on the screen.",
    fix: 'Send the form by POST: <form method="post">.',
  },
  (_, landing) => {
    const passwords = passwordsIn(landing);
    const page = pageOf(landing);
    // A script may send the form in another way.
    if (page === null || page.hasScripts) return null;
    const isSent = page.forms
      .filter(({ method }) => method === "get")
      .some(({ controls }) => controls.some(({ name }) => name !== "" && passwords.includes(name)));
    return isSent ? "a form with a password is sent by GET" : null;
  },
);
