import type { ObservationCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { saysNo } from "../form/buttons.ts";
import { isMissing, SERVE_PAGE } from "../walk/answer.ts";
import { leaveOutHint } from "../walk/ways.ts";
import { frameReportText, type ReportedWalk, walksIn } from "./frame.ts";

const TRY_BROWSER = "`app-sim doctor` tries the browser, and CHROME_PATH names another one";

/** Whether anybody can pass the page. */
export const passCheck: ObservationCheck = {
  id: "page.frame.reports-code",
  area: "page",
  title: "The page in the frame reports a code with AP.verifyAuth",
  section: "4.2",
  severity: "must",
  why: "The platform learns the outcome only from this call. Without it the user waits until the login times out.",
  fix: "Call AP.verifyAuth({ code }) when the user has passed.",
  observe: (exchanges) => {
    const walks = walksIn(exchanges);
    if (walks.some(({ report }) => report.code !== undefined)) return PASSED;
    const unopened = walks.find(({ report }) => report.unopened !== undefined)?.report.unopened;
    if (unopened !== undefined) return { result: "inconclusive", reason: unopened, hint: TRY_BROWSER };
    if (walks.some(({ report }) => report.walkedAs === "pass"))
      return faulty(passCheck, "walked according to the configuration, it reported no code");
    const failure = failureOf(walks);
    if (failure !== null) return { ...faulty(passCheck, failure), hint: SERVE_PAGE };
    const dead = deadEndOf(walks);
    const hint = `${passCheck.fix} ${leaveOutHint(passCheck)}`;
    if (dead !== null) return { result: "inconclusive", reason: `no button makes it report a code: ${dead}`, hint };
    return skipVerdict("it is not known how the page is passed");
  },
};

/** How the app failed to show its page; null: it did not fail. */
function failureOf([first]: readonly ReportedWalk[]): string | null {
  const page = first?.exchanges.find(({ request }) => request.method === "GET");
  return page !== undefined && isMissing(page)
    ? `the app answered ${page.response?.status} to the request for its page`
    : null;
}

/** What happened in a page on which no button led to anything; null: one did, or there is something else to do. */
function deadEndOf(walks: readonly ReportedWalk[]): string | null {
  const byButton = walks.filter(({ report }) => report.pressed !== null);
  const tried = byButton.length === 0 ? walks.slice(0, 1) : byButton;
  const yes = tried.filter(({ report }) => !saysNo(report.pressed ?? ""));
  if (yes.length === 0 || yes.some(({ report }) => report.isDeadEnd !== true)) return null;
  const calls = yes.flatMap(({ exchanges }) => exchanges.flatMap((exchange) => refusedCallText(exchange) ?? []));
  const errors = yes.flatMap(({ report }) => (report.errors ?? []).map((text) => `the page's console: ${text}`));
  return [...yes.map(({ report }) => frameReportText(report)), ...calls.slice(0, 1), ...errors.slice(0, 1)].join("; ");
}

function refusedCallText({ request, response }: Exchange): string | null {
  if (response === null || response.status < 400) return null;
  return `the app answered ${response.status} to ${request.method} ${new URL(request.url).pathname}`;
}
