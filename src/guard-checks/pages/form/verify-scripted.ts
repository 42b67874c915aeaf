import type { CheckFacts } from "../../../checking/check.ts";
import { checkResult } from "../../../checking/check-result.ts";
import { BROWSED } from "../../../checking/evidence.ts";
import { taggedContext } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";
import { faulty, PASSED } from "../../../checking/verdict.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import { skippedChecks } from "../../../checking/verify-subject.ts";
import type { Person } from "../../call.ts";
import { frameRequestChecks } from "../frame/frame-checks.ts";
import { frameCookieCheck } from "../frame/frame-cookie.ts";
import { seenPassword } from "../frame/typed-password.ts";
import { NO_CALL, verifyCalls } from "../frame/verify-calls.ts";
import { verifySharedLogins } from "../logins-in-browser.ts";
import { verifyMistyped } from "../mistyped-in-browser.ts";
import type { PagePlatform } from "../opening/opened-page.ts";
import { judgeWayBack } from "../reached.ts";
import { earlyCodeCheck } from "../return/early-code-check.ts";
import { ledCallCheck } from "../return/led-call-check.ts";
import { returnChecks } from "../return/return-checks.ts";
import { judgeScriptedReturn } from "../return/scripted-return.ts";
import { switchedCheck } from "../return/switched-check.ts";
import { twoTabsCheck } from "../return/two-tabs-check.ts";
import { readScriptedCall } from "../walk/answer.ts";
import { fillOf } from "../walk/fill-by-role.ts";
import { leftBy } from "../walk/left-behind.ts";
import type { WalkedPage } from "../walk/login.ts";
import { recordedWalk, type WalkWithToken, walkWithToken } from "../walk/replay.ts";
import { isCodeLoaded, isLetInBy, spareCodes } from "../walk/walked-code.ts";
import { mistypedCheck, passwordInsideCheck } from "./mistyped-check.ts";
import { bringsCode, judgeScriptedTokens, type ScriptedPage } from "./scripted-form.ts";

/** The checks of the call with which the scripts of a redirect page get its code. */
export const scriptedCallChecks = [...frameRequestChecks.filter((check) => check !== frameCookieCheck), ledCallCheck];

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
  // On a starved machine the requests may not have been read in time.
  const isJudged = status !== undefined && wants(status) && passed.exchanges.length > 0;
  const ofWay = isJudged ? [checkResult(about, status, judgeWayBack(status, passed), [])] : [];
  if (!bringsCode(passed)) return ofWay;
  const page = { guard, person, way, fail, passed };
  const request = recordedWalk(passed);
  const calls = { kind: "page.form-request", checks: scriptedCallChecks, read: readScriptedCall } as const;
  return [
    ...ofWay,
    ...(await judgePassed(verification, browsed, page)),
    ...(await judgeScriptedTokens(verification, browsed, page)),
    ...(await judgeScriptedReturn(verification, browsed, page, platform)),
    ...(await verifySharedLogins(verification, { switched: switchedCheck, twoTabs: twoTabsCheck }, page)),
    ...(request === null
      ? skippedChecks(about, scriptedCallChecks.filter(wants), NO_CALL)
      : await verifyCalls(verification, { guard, person, request }, calls)),
    ...(await verifyMistyped(verification, mistypedCheck, page)),
  ];
}

/** The verdicts on what a page had, and what it leaves, in the walk that passed it. */
async function judgePassed(
  { choices, wants }: Pick<Verification, "choices" | "wants">,
  context: VerifyContext,
  { guard, person, way, passed }: ScriptedPage & { readonly passed: WalkWithToken },
): Promise<CheckResult[]> {
  const about = { title: `form of ${guard.module.key}`, module: guard.module.key };
  const judged: [check: CheckFacts, found: string | null][] = [];
  // A page that asks for nothing cannot have its code too early.
  const isAnswered = passed.hasPressedAll && [way.answers.press ?? []].flat().length > 0;
  if (isAnswered && wants(earlyCodeCheck))
    judged.push([earlyCodeCheck, await earlyCodeIn(passed, { context, choices, guard }, person)]);
  const { password } = seenPassword(passed, fillOf(way.answers.fill ?? {}, person.user));
  if (password !== undefined)
    judged.push([passwordInsideCheck, password.isInside ? "the page, a script or what it loaded holds it" : null]);
  const [left] = leftBy(passed);
  judged.push([formLeftCheck, left === undefined ? null : `it leaves ${left}`]);
  return judged
    .filter(([check]) => wants(check))
    .map(([check, found]) =>
      checkResult(about, check, found === null ? PASSED : faulty(check, found), passed.exchanges),
    );
}

/** What a page had as a code before its user did anything, in words; null: nothing. */
async function earlyCodeIn(passed: WalkWithToken, page: WalkedPage, person: Person): Promise<string | null> {
  if (isCodeLoaded(passed)) return "the page, or what it loaded, already had the code";
  const isLetIn = await isLetInBy(spareCodes(passed), page, person);
  return isLetIn ? "a text that came with the page, or that it loaded, is a valid code" : null;
}
