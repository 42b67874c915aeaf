import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { everythingIn } from "../walk/answer.ts";
import { codeLikeTexts, MOST_SPARES } from "../walk/walked-code.ts";
import { NOT_BACK, type ReturnCheck, returnIn } from "./page-return.ts";

/** What is tried as a code: texts of an unfinished login's pages, texts of the answer to a user who fails, and neither. */
const [OF_PAGES, OF_FAILED, MADE_UP] = ["spare code", "spare code of failed", "made-up code"] as const;

/** The check of a code that comes too early. */
export const earlyCodeCheck: ReturnCheck = {
  id: "page.code.early",
  area: "page",
  title: "The page has no code before the user has done everything that it asks for",
  section: "3.1",
  severity: "must",
  why: "The code says that the user passed the check. If it is already in the page, the user can take it without passing.",
  fix: "Issue the code when the user's last answer has arrived and is right.",
  run: async (tools) => {
    await tools.submit("returned", await tools.login("opened"));
    const unfinished = await tools.login("opened, and left");
    if (unfinished === null) return;
    const { person } = unfinished;
    const failing = await tools.failing("opened, to fail", { person });
    const failed = await tools.submit("failed", failing);
    const states = [unfinished.state, failing?.state];
    const sparesIn = (answers: readonly Exchange[]) =>
      [...new Set(answers.flatMap(codeLikeTexts))].filter((text) => !states.includes(text)).slice(0, MOST_SPARES);
    const spares = [
      ...sparesIn(unfinished.walked).map((text) => [OF_PAGES, text] as const),
      ...sparesIn(failed === null ? [] : [failed]).map((text) => [OF_FAILED, text] as const),
    ];
    for (const [role, text] of spares) await tools.redeemText(role, text, person);
    if (spares.length > 0) await tools.redeemMadeUp(MADE_UP, person);
  },
  judge: (evidence) => {
    const { steps } = evidence;
    const [code] = returnIn(evidence, "returned")?.code ?? [];
    if (code === undefined || code.length < 4) return skipVerdict(NOT_BACK);
    const pages = steps.filter(({ role }) => role === "opened").map(({ exchange }) => exchange);
    const isThere = pages.some((page) => everythingIn(page).includes(code));
    if (isThere) return faulty(earlyCodeCheck, "the page already had the code of the form's later answer");
    // A guard that remembers who passed may let that user in with any code.
    if (isLetInAs(MADE_UP, steps)) return PASSED;
    if (isLetInAs(OF_PAGES, steps))
      return faulty(earlyCodeCheck, "a text that came with a page is a valid code, although its form was not sent");
    return isLetInAs(OF_FAILED, steps)
      ? faulty(earlyCodeCheck, "a text of the answer to a user who failed is a valid code")
      : PASSED;
  },
};
