import { cookiesIn, sentCookies } from "../../browser/cookies.ts";
import type { TrialCheck } from "../../checking/check.ts";
import { withHeader } from "../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { FrameTools } from "./tools.ts";

/** On this machine the app and the platform are of one site, so no browser shows it. */
export const frameCookieCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.cookie",
  area: "page",
  title: "The page's own call needs no cookie that browsers keep back in the frame of another site",
  section: "4.2",
  severity: "should",
  why: "The platform's page and yours are of two sites. Into the frame a browser sends no cookie with SameSite=Lax or Strict, and one without SameSite counts as Lax: nobody passes, though it works on one machine.",
  mend: "Let the page send its jwtToken with the call. Or set the cookie with SameSite=None, Secure and Partitioned.",
  run: async (tools) => {
    await tools.open("opened");
    const request = await tools.prepare();
    if (sentCookies(request.headers).size > 0) await tools.send("without", withHeader(request, "Cookie", null));
  },
  judge: ({ steps, read }) => {
    const [opened, without] = ["opened", "without"].map((role) => steps.find((step) => step.role === role)?.exchange);
    if (opened?.response == null) return skipVerdict("the page could not be opened");
    if (without === undefined || read(without).kind !== "refused") return PASSED;
    const set = cookiesIn(opened);
    if (set.length === 0) return skipVerdict("its cookie is not set by the page");
    const kept = set.find(({ attributes }) => !(attributes.includes("samesite=none") && attributes.includes("secure")));
    return kept === undefined
      ? PASSED
      : faulty(
          frameCookieCheck,
          `it is refused without its cookie, and ${kept.name} is set without SameSite=None and Secure`,
        );
  },
};
