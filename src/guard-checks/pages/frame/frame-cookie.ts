import { cookiesIn, type SetCookie, sentCookies } from "../../../browser/cookies.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import { cookieHeader } from "../../../checking/cookies.ts";
import { withHeader } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { FrameTools } from "../walk/frame-tools.ts";

/** Whether browsers send a cookie in a cross-site frame. */
function isSentInFrames({ attributes }: SetCookie): boolean {
  return attributes.includes("samesite=none") && attributes.includes("secure");
}

/** On one machine the app and the platform are the same site, so a browser does not show the fault. */
export const frameCookieCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.cookie",
  area: "page",
  title: "The page's own call needs no cookie that browsers do not send in a cross-site frame",
  section: "4.2",
  severity: "should",
  why: "The platform's page and yours are on two sites. In a cross-site frame a browser sends no cookie with SameSite=Lax or Strict, and one without SameSite counts as Lax: nobody passes, although everything works on localhost.",
  fix: "Let the page send its jwtToken with the call, and require no cookie there, not even for a framework's CSRF check. Or set the cookie with SameSite=None, Secure and Partitioned.",
  run: async (tools) => {
    const set = cookiesIn(await tools.open("opened"));
    const request = await tools.prepare();
    const sent = sentCookies(request.headers);
    const names = set.filter((cookie) => !isSentInFrames(cookie)).map(({ name }) => name);
    // How a cookie was set is unknown if the page did not set it.
    const left = new Map(set.length === 0 ? [] : [...sent].filter(([name]) => !names.includes(name)));
    if (left.size < sent.size) await tools.send("without", withHeader(request, "Cookie", cookieHeader(left)));
  },
  judge: ({ steps, read }) => {
    const [opened, without] = ["opened", "without"].map((role) => steps.find((step) => step.role === role)?.exchange);
    if (opened?.response == null) return skipVerdict("the page could not be opened");
    if (without === undefined || read(without).kind !== "refused") return PASSED;
    const kept = cookiesIn(opened).find((cookie) => !isSentInFrames(cookie));
    return kept === undefined
      ? skipVerdict("its cookie is not set by the page")
      : faulty(
          frameCookieCheck,
          `it is refused without its cookie, and ${kept.name} is set without SameSite=None and Secure`,
        );
  },
};
