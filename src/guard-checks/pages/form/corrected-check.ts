import { fieldsIn } from "../../../browser/fill-form.ts";
import { isField } from "../../../browser/html-form.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { pageOf } from "../walk/answer.ts";
import type { FormTools } from "../walk/tools.ts";
import { unticked } from "./boxes.ts";
import { completedFault } from "./completed-return.ts";
import { fieldsOf, withField } from "./form.ts";
import { asksForSecret } from "./secret-fields.ts";
import { completedAgain } from "./shown-again.ts";
import { strandedIn } from "./stranded.ts";

const [SHOWN, TRIED] = ["opened", "tried"];
const rolesOf = (index: number) => ({
  opened: `reopened-${index}`,
  completed: `completed-${index}`,
  redeemed: `redeemed-${index}`,
});
/** Maximum number of fields that are tried. */
const MOST_FIELDS = 4;

/** The check of the form that a page shows again to a user who has forgotten something. */
export const correctedCheck: TrialCheck<FormTools> = {
  id: "page.form.corrected",
  area: "page",
  title: "A form that is shown again because something is missing can be completed",
  section: "3.1",
  severity: "must",
  why: "A form that comes back without its hidden fields, with another address, or of a login that is over looks the same, but lets nobody continue. Few developers try it, because they fill in everything the first time.",
  fix: "Check the input before you use up the login or its state, and show the form again with everything that it had the first time; or return with an error.",
  run: async (tools) => {
    const own = await tools.login(SHOWN);
    const shown = own?.walked.at(-1);
    if (own === null || shown === undefined) return;
    const names = fillableIn(shown, own.request, Object.keys(tools.configured));
    for (const [index, { name, isText }] of names.slice(0, MOST_FIELDS).entries()) {
      const roles = rolesOf(index);
      const login = await tools.login(roles.opened);
      // As a browser sends a field that a user left empty, or a box that a user did not check.
      const lacking = login && (isText ? withField(login.request, name, "") : unticked(login.request, shown, name));
      if (login === null || lacking === null) continue;
      const answer = await tools.send(`${TRIED}-${index}`, lacking);
      const again = completedAgain(login.request, shown, answer, name);
      if (again !== null) await tools.redeem(roles.redeemed, await tools.send(roles.completed, again), login.person);
    }
  },
  judge: (evidence) => {
    const all = Array.from({ length: MOST_FIELDS }, (_, index) => index);
    const isIn = (wanted: string) => evidence.steps.some(({ role }) => role === wanted);
    if (!all.some((index) => isIn(`${TRIED}-${index}`)))
      return skipVerdict(
        "the last form requires nothing but passwords, which page.form.mistyped tries, and the configuration fills in nothing else there",
      );
    const stranded = strandedIn(evidence, SHOWN, (role) => role.startsWith(TRIED));
    if (stranded !== null) return { result: "warn", reason: `if something is missing, ${stranded}` };
    if (!all.some((index) => isIn(rolesOf(index).completed)))
      return skipVerdict("the page does not ask again for what is missing");
    const faults = all.flatMap((index) => completedFault(correctedCheck, evidence, rolesOf(index)) ?? []);
    return faults.find(({ result }) => result === "fail") ?? faults[0] ?? PASSED;
  },
};

/** The fields of a page that its form sends, other than passwords, and that it requires or the configuration fills. */
function fillableIn(shown: Exchange, sent: RequestParts, configured: readonly string[]) {
  const isSent = (name: string) => fieldsOf(sent).some(([each, value]) => each === name && value !== "");
  return (pageOf(shown)?.forms ?? []).flatMap((form) => {
    const fields = form.controls.filter(isField);
    const required = fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
    const names = fieldsIn(form, [...new Set([...required, ...configured])]);
    return names
      .filter((name) => isSent(name) && !asksForSecret(shown, name))
      .map((name) => ({ name, isText: fields.some((each) => each.name === name && each.kind === "text") }));
  });
}
