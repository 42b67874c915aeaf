import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Person } from "../../call.ts";
import { isShortCode, similarCode } from "../../code-tries.ts";
import { isPassed } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { tryEarlier } from "./earlier-passwords.ts";
import { withField } from "./form.ts";
import { configuredPasswords, ownValue, PERHAPS_OWN_PASSWORD, passesRightly, RIGHT_BEFORE } from "./password-check.ts";

const [TRIED, OPENED_AGAIN] = ["tried", "opened again"] as const;
/** More tries than a person needs to type a password. */
const WRONG_PASSWORDS = 20;
/** After this many the page is opened again: some apps count the tries of each page that they have shown. */
const TRIES_OF_PAGE = 5;
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
  fix: "Count the wrong tries of each user, across logins. After a few, end the login, or refuse the form for some minutes.",
  run: async (tools) => {
    const { given, earlier } = await configuredPasswords(tools);
    const [asked, askedEarlier] = [given, earlier].map((all) => all.find(([, text]) => isShortCode(text)));
    const [name, value] = asked ?? askedEarlier ?? [];
    const person = name === undefined ? null : await passingOther(tools);
    if (name === undefined || value === undefined || person === null) return;
    const own = ownValue(tools, person, [name, value]);
    const wrongs = wrongLike(own);
    if (asked === undefined) {
      await tryEarlier(tools, value, { role: RIGHT_AFTER, person, typed: [...wrongs, own] });
      return;
    }
    let form = await tools.login("opened", { person });
    for (const [index, typed] of wrongs.entries()) {
      if (form !== null && index > 0 && index % TRIES_OF_PAGE === 0) form = await openedAgain(tools, form);
      const wrong = form && withField(form.request, name, typed);
      if (wrong === null) return;
      await tools.send(TRIED, wrong);
    }
    if (form !== null) await tools.submit(RIGHT_AFTER, await openedAgain(tools, form));
  },
  judge: ({ steps, landing, read }) => {
    const right = steps.find(({ role }) => role === RIGHT_AFTER);
    if (right === undefined) {
      const isTried = steps.some(({ role }) => role === RIGHT_BEFORE);
      return skipVerdict(isTried ? NOBODY_ELSES : "the configuration has no short PIN or code for a form of the page");
    }
    const tried = steps.filter(({ role }) => role === TRIED).map(({ exchange }) => isPassed(landing(exchange)));
    const passed = tried.indexOf(true);
    if (passed === 0) return skipVerdict(PERHAPS_OWN_PASSWORD);
    if (passed > 0) return { result: "fail", reason: `wrong password ${passed + 1} was answered with a code` };
    const { kind, says } = read(landing(right.exchange));
    if (kind !== "accepted") return PASSED;
    const isOpenedAgain = steps.some(({ role }) => role === OPENED_AGAIN);
    const where = isOpenedAgain ? `, with the page opened again after every ${TRIES_OF_PAGE},` : "";
    return faulty(passwordLimitCheck, `after ${WRONG_PASSWORDS} wrong ones${where} the app ${says} to the right one`);
  },
};

/** As many wrong ones as are tried: of a single digit every tenth is the right one. */
function wrongLike(own: string): string[] {
  const similar = Array.from({ length: 2 * WRONG_PASSWORDS }, (_, index) => similarCode(own, index + 1));
  return similar.filter((each) => each !== own).slice(0, WRONG_PASSWORDS);
}

/** The form of the page that is opened again in the same login; the same form if the app does not show it again. */
async function openedAgain(tools: FormTools, form: ReadyForm): Promise<ReadyForm> {
  const { person, opened } = form;
  return (await tools.login(OPENED_AGAIN, { person, again: opened })) ?? form;
}
