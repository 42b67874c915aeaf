import type { Evidence } from "../../../checking/check.ts";
import { readGuardReply } from "../../../checking/reply.ts";
import { withHeader } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { headerValue } from "../../../journal/exchange.ts";
import type { PageReturn } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { type ReturnCheck, returnIn, stateIn } from "./page-return.ts";

/** The roles of what the older of two tabs of two users gets, and of its user in a browser of their own. */
const [OLDER, NEWER, ALONE] = ["older", "newer", "alone"];

/** Two logins in one browser, for an app that keeps something of a login in a cookie. */
export const twoTabsCheck: ReturnCheck = {
  id: "page.logins.two-tabs",
  area: "page",
  title: "Two logins in two tabs of a browser keep their states and users apart",
  section: "4.2",
  severity: "must",
  why: "A user opens the page in two tabs, which share their cookies. If the second login replaces the first, the form of one returns as the other: the user confirms a login that the form was not about, and the other never ends.",
  fix: "Store a login's data under its state; or refuse the form of a login that was replaced.",
  run: async (tools) => {
    const older = await tools.login("opened-1");
    const cookies = older === null ? undefined : headerValue(older.request.headers, "cookie");
    if (older === null || cookies === undefined) return;
    const newer = await tools.login("opened-2", { cookies });
    if (newer === null) return;
    await tools.submit("returned-1", sharingCookies(older, newer));
    await tools.submit("returned-2", newer);
    await openForTwo(tools);
  },
  judge: (evidence) => {
    const backs = [1, 2].map((index) => ({
      back: returnIn(evidence, `returned-${index}`),
      state: stateIn(evidence, `opened-${index}`),
    }));
    if (evidence.steps.length === 0 || backs.some(({ state }) => state === null)) {
      return skipVerdict("the page keeps nothing in cookies");
    }
    const all = [...backs, { back: returnIn(evidence, OLDER), state: stateIn(evidence, `opened ${OLDER}`) }];
    if (all.every(({ back }) => isStateless(back))) return skipVerdict(STATELESS);
    const isMixed = all.some(({ back, state }) => back !== null && back.state[0] !== state);
    if (isMixed) return faulty(twoTabsCheck, "the form of one came back with the state of the other");
    const [older, alone] = [OLDER, ALONE].map((role) => isLetIn(evidence, role));
    return older === false && alone === true
      ? faulty(twoTabsCheck, "the code of one user's form does not let that user in")
      : PASSED;
  },
};

/** Opens the page as two users in two tabs, and sends the form of the older one. */
async function openForTwo(tools: FormTools): Promise<void> {
  const older = await tools.login(`opened ${OLDER}`);
  const cookies = older === null ? undefined : headerValue(older.request.headers, "cookie");
  const newer = cookies === undefined ? null : await tools.login(`opened ${NEWER}`, { person: tools.other, cookies });
  if (older === null || newer === null) return;
  const landing = await tools.submit(OLDER, sharingCookies(older, newer));
  if (await tools.redeem(`redeemed ${OLDER}`, landing, older.person)) return;
  const alone = await tools.login(`opened ${ALONE}`);
  await tools.redeem(`redeemed ${ALONE}`, await tools.submit(ALONE, alone), older.person);
}

/** The form of the older tab, with the cookies that the browser has since the newer one was opened. */
function sharingCookies(older: ReadyForm, newer: ReadyForm): ReadyForm {
  const shared = headerValue(newer.request.headers, "cookie");
  return { ...older, request: withHeader(older.request, "Cookie", shared ?? null) };
}

/** Whether the code in the answer to this form let its user in; null: there was none. */
function isLetIn({ steps }: Evidence, role: string): boolean | null {
  const redeemed = steps.find((step) => step.role === `redeemed ${role}`);
  return redeemed === undefined ? null : readGuardReply(redeemed.exchange).kind === "accepted";
}

/** Why returns without a state say nothing. */
export const STATELESS = "no state came back, so it is not known whose return it is";

export function isStateless(back: PageReturn | null): boolean {
  return back === null || back.state.length === 0;
}
