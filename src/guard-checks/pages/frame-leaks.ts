import type { ObservationCheck, TrialCheck } from "../../checking/check.ts";
import { withHeader } from "../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import { headerValue } from "../../journal/exchange.ts";
import { frameReportIn } from "./frame.ts";
import type { FrameTools } from "./tools.ts";

/** The check of what is left in the browser when the page in the frame is done. */
export const leftCheck: ObservationCheck = {
  id: "page.frame.left",
  area: "page",
  title: "The page in the frame leaves neither its token nor its code in the browser",
  section: "5.1",
  severity: "should",
  why: "What stands in localStorage stays there after the login, for every script of the app's origin. What stands in the console is in reports and screenshots.",
  mend: "Keep token and code in variables of the page, and log neither.",
  observe: (exchanges) => {
    const reports = exchanges.flatMap((exchange) => frameReportIn(exchange) ?? []);
    if (reports.length === 0) return skipVerdict("the page was not walked in a browser");
    const [left] = reports.flatMap((report) => report.left ?? []);
    return left === undefined ? PASSED : faulty(leftCheck, `it leaves ${left}`);
  },
};

/** A site that has nothing to do with the app or the platform. */
const FOREIGN_SITE = "https://app-sim.example";

/** The check of who may read what the app answers to its page. */
export const foreignSiteCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.other-site",
  area: "page",
  title: "The page's own call lets no other site read its answer with the user's cookies",
  section: "4.2",
  severity: "should",
  why: "An app that repeats any Origin and allows credentials lets every site call it in the user's name. What the app answers to its own page, the site can read.",
  mend: "Leave Access-Control-Allow-Origin out: the page and its backend are of one origin.",
  run: async (tools) =>
    void (await tools.send("other-site", withHeader(await tools.prepare(), "Origin", FOREIGN_SITE))),
  judge: ({ steps: [step] }) => {
    const headers = step?.exchange.response?.headers;
    if (headers === undefined) return skipVerdict("the call could not be made");
    const isOpen =
      headerValue(headers, "access-control-allow-origin") === FOREIGN_SITE &&
      headerValue(headers, "access-control-allow-credentials")?.trim().toLowerCase() === "true";
    return isOpen ? faulty(foreignSiteCheck, "it allows the origin of any site, with credentials") : PASSED;
  },
};
