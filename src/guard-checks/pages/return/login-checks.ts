import type { CheckFacts, Evidence } from "../../../checking/check.ts";
import { readGuardReply } from "../../../checking/reply.ts";
import { faulty, skipVerdict } from "../../../checking/verdict.ts";
import { judgeRedeemed, SINGLE } from "../../newest-code.ts";
import { formsAtOnce, type ReadyForm } from "../walk/login.ts";
import { againCheck } from "./again-check.ts";
import { forgedCookieCheck } from "./forged-cookie-check.ts";
import { keptAnswerCheck, noAfterYesCheck } from "./kept-answer-check.ts";
import { OTHER_STAYS, type ReturnCheck, returnIn, stateIn } from "./page-return.ts";
import { switchedCheck, unaskedCheck } from "./switched-check.ts";
import { isStateless, STATELESS, twoTabsCheck } from "./two-tabs-check.ts";

const apart =
  "Users log in at the same time. Data of one login must not reach another: it would open the wrong account, or none.";
const newCode = "Make a new random code for each login, and do not keep it in a variable shared by all requests.";
const keepApart = "Store a login's data under its state, not in a variable shared by all requests.";

/** The role of a login of the other user that nobody else's login disturbs. */
const ALONE = "alone";

const NONE_BESIDE = "a login that gets a code on its own gets none while another one is open";

/** A check with several logins that are open at the same time. */
function severalLogins(
  facts: Pick<CheckFacts, "id" | "title">,
  { count, isOther, isAtOnce }: { readonly count: number; isOther(index: number): boolean; readonly isAtOnce: boolean },
): ReturnCheck {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const check: ReturnCheck = {
    area: "page",
    section: "3.1",
    severity: "must",
    why: apart,
    fix: keepApart,
    ...facts,
    run: async (tools) => {
      if (all.some(isOther)) await tools.submit(ALONE, await tools.login(`opened ${ALONE}`, { person: tools.other }));
      const forms = [];
      for (const index of all) {
        forms.push(await tools.login(`opened-${index}`, isOther(index) ? { person: tools.other } : {}));
      }
      const ready = forms.filter((form) => form !== null);
      if (ready.length < count) return;
      const submit = (form: ReadyForm, index: number) => tools.submit(`returned-${index + 1}`, form);
      const landings = [];
      if (isAtOnce) landings.push(...(await Promise.all(formsAtOnce(ready).map(submit))));
      else for (const [index, form] of ready.entries()) landings.push(await submit(form, index));
      let isLetIn = false;
      for (const [index, landing] of landings.entries()) {
        const person = forms[index]?.person;
        if (person === undefined) continue;
        isLetIn = (await tools.redeem(`redeemed-${index + 1}`, landing, person)) || isLetIn;
      }
      if (isLetIn) return;
      const single = await tools.login("opened single");
      if (single !== null) await tools.redeem(SINGLE, await tools.submit("single", single), single.person);
    },
    judge: (evidence) => {
      const passesAlone = returnIn(evidence, ALONE)?.code[0] !== undefined;
      const backs = all.map((index) => returnIn(evidence, `returned-${index}`));
      const codes = backs.flatMap((back) => back?.code[0] ?? []);
      const isSingleBack = returnIn(evidence, "single")?.code[0] !== undefined;
      // Sent at the same time, logins that do not pass may have used up everybody's tries.
      if (codes.length === 0 && isSingleBack && (passesAlone || !isAtOnce))
        return faulty(check, `${NONE_BESIDE}${errorsIn(evidence)}`);
      if (codes.length === 0) return skipVerdict("the page is not shown to both");
      if (backs.every(isStateless)) return skipVerdict(STATELESS);
      const states = all.map((index) => stateIn(evidence, `opened-${index}`));
      const strange = backs.find((back, index) => back !== null && back.state[0] !== states[index]);
      if (strange != null) {
        const isOthers = states.includes(strange.state[0] ?? null);
        return faulty(
          check,
          `one of them came back with ${isOthers ? "the state of another" : "none of their states"}`,
        );
      }
      const able = all.filter((index) => passesAlone || !isOther(index));
      if (able.length === 1) return skipVerdict(OTHER_STAYS);
      if (able.some((index) => returnIn(evidence, `returned-${index}`)?.code[0] === undefined))
        return faulty(check, `only some of them got a code${errorsIn(evidence)}`);
      if (new Set(codes).size < codes.length)
        return { ...faulty(check, "two of them got the same code"), hint: newCode };
      const redeemed = evidence.steps
        .filter(({ role }) => role.startsWith("redeemed-"))
        .map(({ role, exchange }) => ({
          isOther: isOther(Number(role.replace("redeemed-", ""))),
          isAccepted: readGuardReply(exchange).kind === "accepted",
        }));
      return judgeRedeemed(check, redeemed, evidence);
    },
  };
  return check;
}

/** How the app failed in these logins, as the end of a sentence; "": it did not. */
function errorsIn({ steps, landing }: Evidence): string {
  const statuses = steps
    .filter(({ role }) => role.startsWith("returned-"))
    .map(({ exchange }) => landing(exchange).response?.status ?? 0)
    .filter((status) => status >= 500);
  const [status] = statuses;
  return status === undefined
    ? ""
    : `: the app answered ${status} to ${statuses.length} of them; its own log may say why`;
}

/** The checks of simultaneous logins. */
export const severalLoginChecks: readonly ReturnCheck[] = [
  twoTabsCheck,
  againCheck,
  switchedCheck,
  unaskedCheck,
  forgedCookieCheck,
  noAfterYesCheck,
  keptAnswerCheck,
  severalLogins(
    { id: "page.logins.same-user", title: "Two logins of one user keep their states and codes apart" },
    { count: 2, isOther: () => false, isAtOnce: false },
  ),
  severalLogins(
    { id: "page.logins.two-users", title: "Two logins of two users keep their states and codes apart" },
    { count: 2, isOther: (index) => index === 2, isAtOnce: false },
  ),
  severalLogins(
    { id: "page.logins.at-once", title: "Simultaneous forms keep their states and codes apart" },
    { count: 8, isOther: (index) => index % 2 === 0, isAtOnce: true },
  ),
];
