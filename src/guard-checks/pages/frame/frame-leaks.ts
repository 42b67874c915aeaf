import type { ObservationCheck, TrialCheck } from "../../../checking/check.ts";
import { withHeader } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { headerValue } from "../../../journal/exchange.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { frameReportIn } from "./frame.ts";

/** The check of what the page in the frame leaves behind in the browser. */
export const leftCheck: ObservationCheck = {
  id: "page.frame.left",
  area: "page",
  title: "The page in the frame leaves neither its token nor its code where others can read it",
  section: "5.1",
  severity: "should",
  why: "localStorage survives the login, and every script of the app's origin can read it; the console ends up in reports and screenshots. A message to any window reaches every site that shows the page in a frame.",
  fix: "Keep token and code in local variables of the page, log neither, and report only with AP.verifyAuth.",
  observe: (exchanges) => {
    const reports = exchanges.flatMap((exchange) => frameReportIn(exchange) ?? []);
    if (reports.length === 0) return skipVerdict("the page was not walked in a browser");
    const [left] = reports.flatMap((report) => report.left ?? []);
    return left === undefined ? PASSED : faulty(leftCheck, `it leaves ${left}`);
  },
};

/** A site that has nothing to do with the app or the platform. */
const FOREIGN_SITE = "https://app-sim.example";

/** The check of which sites may read the app's answers to its page. */
export const foreignSiteCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.other-site",
  area: "page",
  title: "The page's own call does not let other sites read its answer with the user's cookies",
  section: "4.2",
  severity: "should",
  why: "An app that echoes any Origin and allows credentials lets every site call it on behalf of the user, and read the answers.",
  fix: "Omit Access-Control-Allow-Origin: the page and its backend have the same origin.",
  run: async (tools) => {
    const foreign = withHeader(await tools.prepare(), "Origin", FOREIGN_SITE);
    await tools.send("other-site", withHeader(foreign, "Sec-Fetch-Site", "cross-site"));
  },
  judge: ({ steps: [step] }) => {
    const headers = step?.exchange.response?.headers;
    if (headers === undefined) return skipVerdict("the call could not be made");
    const isOpen =
      headerValue(headers, "access-control-allow-origin") === FOREIGN_SITE &&
      headerValue(headers, "access-control-allow-credentials")?.trim().toLowerCase() === "true";
    return isOpen ? faulty(foreignSiteCheck, "it allows the origin of any site, with credentials") : PASSED;
  },
};
