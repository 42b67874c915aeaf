import type { TrialCheck } from "../../../checking/check.ts";
import { readGuardReply } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { everythingIn } from "../walk/answer.ts";
import type { OpenPageTools } from "../walk/tools.ts";

/** Maximum number of texts of a page that are tried. */
const MOST_TEXTS = 12;
/** Of these, how many that two logins have in common: the same data, signed in the same second. */
const MOST_SIGNED = 3;
const FEWEST_SIGNED_CHARACTERS = 40;
const [MADE_UP, HELD] = ["made up", "held"];

/** The check that a page has no code: neither the later one, nor any other valid one. */
export const heldCodeCheck: TrialCheck<OpenPageTools> = {
  id: "page.code.held",
  area: "page",
  title: "Nothing in the page works as a code",
  section: "3.1",
  severity: "must",
  why: "The code says that the user passed the check. Anybody who opens the page sees the values in it and in its URL.",
  fix: "Issue the code when the user's answer has arrived and is right, and accept no other signed value as a code.",
  async run(tools) {
    const [first, second] = [
      await tools.send("opened", await tools.prepare()),
      await tools.send("opened", await tools.prepare()),
    ];
    await tools.redeem(MADE_UP, tools.madeUp());
    // A text that is also in the page of another login does not belong to this login, unless it is signed data.
    const others = new Set(wordsIn(everythingIn(first)));
    const own = [...wordsIn(everythingIn(second)), ...new URL(second.request.url).searchParams.values()];
    const texts = [...new Set(own)].filter((text) => text.length <= MOST_CHARACTERS);
    const ofLogin = texts.filter((text) => !others.has(text)).slice(0, MOST_TEXTS);
    const signed = texts.filter((text) => others.has(text) && isSigned(text)).slice(0, MOST_SIGNED);
    for (const text of [...ofLogin, ...signed]) await tools.redeem(HELD, text);
  },
  judge: ({ steps }) => {
    const replies = (role: string | undefined) =>
      steps.filter((step) => step.role === role).map(({ exchange }) => readGuardReply(exchange));
    if (replies(MADE_UP).some(({ kind }) => kind !== "refused")) {
      return skipVerdict("the app does not check this user's code");
    }
    const accepted = replies(HELD).find(({ kind }) => kind === "accepted");
    if (accepted !== undefined)
      return faulty(heldCodeCheck, `the app ${accepted.says} to a final call with a text from the page`);
    return PASSED;
  },
};

const MOST_CHARACTERS = 4_096;

/** Whether a text has several parts, as data with a signature has. */
function isSigned(text: string): boolean {
  return text.length >= FEWEST_SIGNED_CHARACTERS && /\w[.:]\w/.test(text);
}

/** The texts of a page that may be a code: words with a digit, or so long that nobody wrote them. */
function wordsIn(text: string): string[] {
  return (text.match(/[\w-]{4,}(?:[.~:][\w-]+)*={0,2}/g) ?? []).filter((word) => /\d/.test(word) || word.length > 20);
}
