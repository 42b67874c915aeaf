import type { ObservationCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { everythingIn } from "../walk/answer.ts";
import { frameReportIn, type ReportedWalk, walksIn } from "./frame.ts";
import { loadedIn } from "./loaded-parts.ts";

/** The check that the page's own policy lets it do its work. */
export const ownPolicyCheck: ObservationCheck = {
  id: "page.frame.own-policy",
  area: "page",
  title: "The page in the frame is not blocked by its own policy",
  section: "4.2",
  severity: "must",
  why: "The page calls its own backend to get its code. A policy that forbids this call, or the page's own script, locks every user out.",
  fix: "Allow what the page does in its Content-Security-Policy: its scripts in script-src, its call in connect-src, its form in form-action.",
  observe: (exchanges) => {
    const reports = exchanges.flatMap((exchange) => frameReportIn(exchange) ?? []);
    if (reports.some(({ code }) => code !== undefined)) return PASSED;
    const [blocked] = reports.flatMap((report) => report.blocked ?? []);
    return blocked === undefined
      ? skipVerdict("it is not known how the page is passed")
      : faulty(ownPolicyCheck, `it reported no code, and its Content-Security-Policy blocks ${blocked}`);
  },
};

/** How apps answer a call with an invalid token. */
const REFUSALS: readonly number[] = [400, 401, 403, 422];

/** The check of what a user sees if the app refuses the page's call. */
export const refusedCallCheck: ObservationCheck = {
  id: "page.frame.refused-call",
  area: "page",
  title: "The page in the frame reports or shows that its own call was refused",
  section: "4.2",
  severity: "must",
  why: "A token may expire while its user reads the page. A page that ignores its backend's answer leaves that user waiting without a reason.",
  shows: ({ purpose, response }) => purpose === "guard-page" && REFUSALS.includes(response?.status ?? 0),
  fix: "Check the answer to the page's own call: if it is not a code, call AP.verifyAuth({ error }), or tell the user what to do.",
  observe: (exchanges) => {
    const walk = walksIn(exchanges).find(({ report }) => report.walkedAs === "refused");
    if (walk === undefined) return skipVerdict("no call of the page returned its code");
    const { code, error, refused = null } = walk.report;
    if (error !== undefined) return PASSED;
    if (code !== undefined && isMadeUp(code, walk))
      return faulty(refusedCallCheck, "its call was refused, and it reported a code that no answer had");
    if (code !== undefined || refused === null) return skipVerdict("the app did not refuse an invalid token");
    if (refused.isShown) return PASSED;
    if (refused.tries > 1) return skipVerdict("the page repeats its call by itself");
    return faulty(refusedCallCheck, "its call was refused, and it neither reported an error nor told the user");
  },
};

/** Whether the page reported a code that its app did not give it when it refused its call. */
function isMadeUp(code: string, { exchanges }: ReportedWalk): boolean {
  const loaded = loadedIn(exchanges);
  const answers = exchanges.filter((exchange) => !loaded.includes(exchange));
  return (
    answers.some(({ response }) => REFUSALS.includes(response?.status ?? 0)) &&
    !answers.some((exchange) => everythingIn(exchange).includes(code))
  );
}

/** The check of what the page passes to the platform's script. */
export const misuseCheck: ObservationCheck = {
  id: "page.frame.report-shape",
  area: "page",
  title: "The page in the frame passes a code or an error to AP.verifyAuth, each a string",
  section: "4.2",
  severity: "must",
  why: "The platform accepts only { code } or { error }. Otherwise the user waits until the login times out.",
  fix: "Call AP.verifyAuth({ code }) with the code that the app issued, or AP.verifyAuth({ error }) with a sentence.",
  observe: (exchanges) => {
    const reports = exchanges.flatMap((exchange) => frameReportIn(exchange) ?? []);
    const misuse = reports.map((report) => report.misuse ?? null).find((problem) => problem !== null);
    if (misuse !== undefined) return faulty(misuseCheck, misuse);
    const isReported = reports.some(({ code, error }) => code !== undefined || error !== undefined);
    return isReported ? PASSED : skipVerdict("the page reported nothing");
  },
};
