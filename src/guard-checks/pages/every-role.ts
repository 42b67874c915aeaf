import type { CheckFacts, Evidence, TrialCheck, Verdict } from "../../checking/check.ts";
import { readGuardReply } from "../../checking/reply.ts";
import { attempt } from "../../checking/subject-runner.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { Exchange } from "../../journal/exchange.ts";
import type { Person } from "../call.ts";
import { asksOrDenies } from "../candidates.ts";
import { isPassed } from "./walk/answer.ts";
import type { FrameTools } from "./walk/frame-tools.ts";
import type { FormTools } from "./walk/tools.ts";

const [ASKED, PASSING, REDEEMED] = ["asked as ", "passing as ", "redeemed as "];

const ofEveryRole = {
  area: "page",
  section: "3.1",
  severity: "should",
  why: "A user whose password is stored wrongly, or whom a rule forgets, is locked out of everything that the guard protects. Other users notice nothing.",
  fix: "Let each user pass with their own values; if the configuration names a wrong one, correct it, or remove the role.",
} as const;

/** Makes the first call as a user of each further role that fills in something of its own, and then passes the page. */
async function passAsEach(
  { othersWhoFill, ask }: Pick<FormTools, "othersWhoFill" | "ask">,
  pass: (person: Person) => Promise<unknown>,
): Promise<void> {
  for (const person of othersWhoFill) {
    await ask(ASKED + person.user.role, person);
    await pass(person);
  }
}

/**
 * Judges for each role that was asked whether its user passed the page, and was let in.
 * @param hasCode whether an answer brought the user a code
 */
function judgeRoles(
  check: CheckFacts,
  { steps, landing, read }: Evidence,
  hasCode: (answer: Exchange) => boolean,
): Verdict {
  const asked = steps.filter(({ role, exchange }) => role.startsWith(ASKED) && asksOrDenies(readGuardReply(exchange)));
  if (asked.length === 0)
    return skipVerdict("the configuration fills in nothing for a further role that the guard asks");
  for (const user of asked.map(({ role }) => role.slice(ASKED.length))) {
    const values = `the values that the configuration names for the role ${user}`;
    const passing = steps.findLast(({ role }) => role === PASSING + user);
    if (passing === undefined) return faulty(check, `the page did not get as far as its end with ${values}`);
    const answer = landing(passing.exchange);
    if (!hasCode(answer)) return faulty(check, `the app ${read(answer).says} to ${values}`);
    const redeemed = steps
      .filter(({ role }) => role === REDEEMED + user)
      .map(({ exchange }) => readGuardReply(exchange));
    const [refusal] = redeemed;
    if (refusal !== undefined && redeemed.every(({ kind }) => kind !== "accepted"))
      return faulty(check, `the guard ${refusal.says} to the code that the page brought with ${values}`);
  }
  return PASSED;
}

/** The check of what the configuration fills into a page for further roles. */
export const formEveryRoleCheck: TrialCheck<FormTools> = {
  ...ofEveryRole,
  id: "page.form.every-role",
  title: "The page is passed by a user of each role for which the configuration names values",
  run: (tools) =>
    passAsEach(tools, async (person) => {
      const { role } = person.user;
      const code = await tools.passWith(PASSING + role, {}, person);
      if (code !== null) await tools.redeemText(REDEEMED + role, code, person);
    }),
  judge: (evidence) => judgeRoles(formEveryRoleCheck, evidence, isPassed),
};

/** The check of what the configuration fills in for further roles, in a page whose scripts make its calls. */
export const callEveryRoleCheck: TrialCheck<FrameTools> = {
  ...ofEveryRole,
  id: "page.frame-request.every-role",
  title: "The page's own call gets a code for a user of each role for which the configuration names values",
  run: (tools) =>
    passAsEach(tools, (person) =>
      attempt(async () => {
        const { role } = person.user;
        const answer = await tools.send(PASSING + role, await tools.prepareFor(person));
        return tools.redeemAll(REDEEMED + role, answer, person);
      }),
    ),
  judge: (evidence) => judgeRoles(callEveryRoleCheck, evidence, (answer) => evidence.read(answer).kind === "accepted"),
};
