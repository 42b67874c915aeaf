import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { unpackedText } from "../../../journal/readable-body.ts";
import { everythingIn } from "../walk/answer.ts";
import { NOT_BACK, type ReturnCheck, returnIn } from "./page-return.ts";

const [SPARE, MADE_UP] = ["spare code", "made-up code"] as const;
/** Maximum number of texts of a page that are tried as a code. */
const MOST_SPARES = 6;

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
    const { person, state, walked } = unfinished;
    const spares = new Set(walked.flatMap(codeLikeTexts).filter((text) => text !== state));
    for (const text of [...spares].slice(0, MOST_SPARES)) await tools.redeemText(SPARE, text, person);
    if (spares.size > 0) await tools.redeemMadeUp(MADE_UP, person);
  },
  judge: (evidence) => {
    const [code] = returnIn(evidence, "returned")?.code ?? [];
    if (code === undefined || code.length < 4) return skipVerdict(NOT_BACK);
    const pages = evidence.steps.filter(({ role }) => role === "opened").map(({ exchange }) => exchange);
    const isThere = pages.some((page) => everythingIn(page).includes(code));
    if (isThere) return faulty(earlyCodeCheck, "the page already had the code of the form's later answer");
    // A guard that remembers who passed may let that user in with any code.
    return isLetInAs(SPARE, evidence.steps) && !isLetInAs(MADE_UP, evidence.steps)
      ? faulty(earlyCodeCheck, "a text that came with a page is a valid code, although its form was not sent")
      : PASSED;
  },
};

/** What may be a code among the values of a page's elements, and among the headers that are the app's own. */
function codeLikeTexts({ response }: Exchange): string[] {
  if (response === null) return [];
  const values = [...unpackedText(response).matchAll(/(?:value|content|data-[\w-]+)="([^"]+)"/g)].map(
    ([, text]) => text,
  );
  const own = response.headers.filter(([name]) => /^x-|code|ticket/i.test(name)).map(([, value]) => value);
  const isToken = (text: string) => /^eyJ[\w-]*\./.test(text);
  return [...own, ...values].flatMap((text) =>
    text !== undefined && /^[\w.~+/=-]{8,512}$/.test(text) && !isToken(text) ? [text] : [],
  );
}
