import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Person } from "../../call.ts";
import { isShortCode, similarCode } from "../../code-tries.ts";
import type { FormTools } from "../walk/tools.ts";
import { tryEarlier } from "./earlier-passwords.ts";
import { withField } from "./form.ts";
import { configuredPasswords, ownValue, passesRightly, RIGHT_BEFORE } from "./password-check.ts";

const TRIED = "tried";
/** More tries than a person needs to type a password. */
const WRONG_PASSWORDS = 20;
const RIGHT_AFTER = "right after wrong";
const NOBODY_ELSES = "no other user passes the page with the configured PIN or code, and this one might be locked out";

/** A user other than the one who passes the page, whose password is known; null: there is none. */
async function passingOther(tools: FormTools): Promise<Person | null> {
  for (const person of [tools.newcomer(), tools.other]) if (await passesRightly(tools, person)) return person;
  return null;
}

/**
 * The check of an app that counts no wrong passwords. It needs a user other than the one who passes the page, whose
 * password is known: many apps lock out a user after that many wrong ones. Some count by the address, which all users share
 * here, and then refuse the checks that follow.
 */
export const passwordLimitCheck: TrialCheck<FormTools> = {
  id: "page.form.tries",
  area: "page",
  title: "A short PIN or code that the page asks for cannot be found by brute force",
  section: "3.1",
  severity: "should",
  isSlow: true,
  mayLockOut: true,
  whySlow: "It sends many wrong passwords, after which some apps refuse all users of an address",
  why: "Four digits take at most 10,000 tries, which a program makes in minutes. A form that does not count wrong tries protects nothing.",
  fix: "End the login after a few wrong ones, or refuse its form for some minutes.",
  run: async (tools) => {
    const { given, earlier } = await configuredPasswords(tools);
    const [asked, askedEarlier] = [given, earlier].map((all) => all.find(([, text]) => isShortCode(text)));
    const [name, value] = asked ?? askedEarlier ?? [];
    const person = name === undefined ? null : await passingOther(tools);
    if (name === undefined || value === undefined || person === null) return;
    const own = ownValue(tools, person, [name, value]);
    const wrongs = Array.from({ length: WRONG_PASSWORDS }, (_, index) => similarCode(own, index + 1));
    if (asked === undefined) {
      await tryEarlier(tools, value, { role: RIGHT_AFTER, person, typed: [...wrongs, own] });
      return;
    }
    const login = await tools.login("opened", { person });
    if (login === null) return;
    for (const typed of wrongs) {
      const wrong = withField(login.request, name, typed);
      if (wrong === null) return;
      await tools.send(TRIED, wrong);
    }
    await tools.send(RIGHT_AFTER, login.request);
  },
  judge: ({ steps, landing, read }) => {
    const right = steps.find(({ role }) => role === RIGHT_AFTER);
    if (right === undefined) {
      const isTried = steps.some(({ role }) => role === RIGHT_BEFORE);
      return skipVerdict(isTried ? NOBODY_ELSES : "the configuration has no short PIN or code for a form of the page");
    }
    const { kind, says } = read(landing(right.exchange));
    return kind === "accepted"
      ? faulty(passwordLimitCheck, `after ${WRONG_PASSWORDS} wrong ones the app ${says} to the right one`)
      : PASSED;
  },
};
