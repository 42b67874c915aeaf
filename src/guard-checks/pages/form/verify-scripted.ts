import type { CheckFacts } from "../../../checking/check.ts";
import { checkResult } from "../../../checking/check-result.ts";
import { BROWSED } from "../../../checking/evidence.ts";
import { taggedContext } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";
import { faulty, PASSED } from "../../../checking/verdict.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import { skippedChecks } from "../../../checking/verify-subject.ts";
import { frameRequestChecks } from "../frame/frame-checks.ts";
import { frameCookieCheck } from "../frame/frame-cookie.ts";
import { NO_CALL, verifyCalls } from "../frame/verify-calls.ts";
import { verifySharedLogins } from "../logins-in-browser.ts";
import type { PagePlatform } from "../opening/opened-page.ts";
import { judgeWayBack } from "../reached.ts";
import { earlyCodeCheck } from "../return/early-code-check.ts";
import { returnChecks } from "../return/return-checks.ts";
import { judgeScriptedReturn } from "../return/scripted-return.ts";
import { switchedCheck } from "../return/switched-check.ts";
import { twoTabsCheck } from "../return/two-tabs-check.ts";
import { readScriptedCall } from "../walk/answer.ts";
import { leftBy } from "../walk/left-behind.ts";
import { recordedWalk, walkWithToken } from "../walk/replay.ts";
import { isCodeLoaded } from "../walk/walked-code.ts";
import { bringsCode, judgeScriptedTokens, type ScriptedPage } from "./scripted-form.ts";

/** The checks of the call with which the scripts of a redirect page get its code. */
export const scriptedCallChecks = frameRequestChecks.filter((check) => check !== frameCookieCheck);

/** The check of what a page that needs its scripts leaves behind in the browser. */
export const formLeftCheck: CheckFacts = {
  id: "page.form.left",
  area: "page",
  title: "The scripts of a page leave neither its token nor its code where others can read it",
  section: "5.1",
  severity: "should",
  why: "localStorage survives the login, and every script of the app's origin can read it. The console ends up in reports and screenshots.",
  fix: "Keep the token in a local variable of the page, and log neither it nor the code.",
};

/** Verifies the page of a redirect guard that needs its scripts: by walks in a browser, and by its scripts' call. */
export async function verifyScripted(
  verification: Verification,
  platform: PagePlatform,
  { guard, person, way, fail }: Omit<ScriptedPage, "passed">,
): Promise<CheckResult[]> {
  const { choices, context, run, wants } = verification;
  const { key } = guard.module;
  const about = { title: `form of ${key}`, module: key };
  const browsed = taggedContext(context, { run, subject: `page.form:${key}`, id: null, role: BROWSED });
  const passed = await walkWithToken({ context: browsed, choices, guard }, person, way);
  const status = returnChecks(platform).find(({ id }) => id === "page.return.status");
  const ofWay =
    status !== undefined && wants(status) ? [checkResult(about, status, judgeWayBack(status, passed), [])] : [];
  if (!bringsCode(passed)) return ofWay;
  // A page that asks for nothing cannot have its code too early.
  const isAnswered = passed.hasPressedAll && [way.answers.press ?? []].flat().length > 0;
  const ofEarly = isCodeLoaded(passed)
    ? faulty(earlyCodeCheck, "the page, or what it loaded, already had the code")
    : PASSED;
  const [left] = leftBy(passed);
  const ofLeft = left === undefined ? PASSED : faulty(formLeftCheck, `it leaves ${left}`);
  const page = { guard, person, way, fail, passed };
  const request = recordedWalk(passed);
  const calls = { kind: "page.form-request", checks: scriptedCallChecks, read: readScriptedCall } as const;
  return [
    ...ofWay,
    ...(wants(earlyCodeCheck) && isAnswered ? [checkResult(about, earlyCodeCheck, ofEarly, passed.exchanges)] : []),
    ...(wants(formLeftCheck) ? [checkResult(about, formLeftCheck, ofLeft, passed.exchanges)] : []),
    ...(await judgeScriptedTokens(verification, browsed, page)),
    ...(await judgeScriptedReturn(verification, browsed, page, platform)),
    ...(await verifySharedLogins(verification, { switched: switchedCheck, twoTabs: twoTabsCheck }, page)),
    ...(request === null
      ? skippedChecks(about, scriptedCallChecks.filter(wants), NO_CALL)
      : await verifyCalls(verification, { guard, person, request }, calls)),
  ];
}
