import type { ObservationCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { passwordInsideCheck } from "../form/mistyped-check.ts";
import { NO_PASSWORD } from "../form/password-check.ts";
import { walksIn } from "./frame.ts";

/** The check of who decides whether a password is right. */
const wrongPasswordCheck: ObservationCheck = {
  id: "page.frame.wrong-password",
  area: "page",
  title: "The page in the frame leaves it to its app whether a password is right",
  section: "4.2",
  severity: "must",
  why: "Users can read and change everything in a page. If the page alone compares the password, or nobody does, its app gives the code to anybody who asks for it.",
  fix: "Send what the user typed with the page's own call, compare it in the app, and issue the code only then.",
  observe: (exchanges) => {
    const reports = walksIn(exchanges).map(({ report }) => report);
    const wrong = reports.find(({ walkedAs }) => walkedAs === "wrong password");
    const right = reports.find(({ walkedAs }) => walkedAs === "pass");
    if (wrong === undefined || right === undefined) return NO_PASSWORD;
    if (wrong.isLetIn === true)
      return faulty(wrongPasswordCheck, "after a wrong password it reported a code that let the user in");
    // A page may send a digest in place of the password.
    if (right.password?.isSent === true || wrong.asksApp === true) return PASSED;
    if (wrong.unopened !== undefined) return skipVerdict(wrong.unopened);
    return faulty(wrongPasswordCheck, "it never sent the password, and after a wrong one it asked nothing of its app");
  },
};

/** The check that a page does not contain the password that it asks for. */
const insideCheck: ObservationCheck = {
  id: "page.frame.password-inside",
  area: "page",
  title: "The page in the frame does not hold the password or code that it asks for",
  section: "4.2",
  severity: "should",
  why: passwordInsideCheck.why,
  fix: passwordInsideCheck.fix,
  observe: (exchanges) => {
    const seen = walksIn(exchanges).flatMap(({ report }) => report.password ?? []);
    if (seen.length === 0) return NO_PASSWORD;
    const isInside = seen.some((password) => password.isInside);
    return isInside ? faulty(insideCheck, "a script, a comment or an attribute of the page holds it") : PASSED;
  },
};

/** The checks of the password that the page in a frame asks for. */
export const frameSecretChecks: readonly ObservationCheck[] = [wrongPasswordCheck, insideCheck];
