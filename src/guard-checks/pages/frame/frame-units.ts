import { resultOf } from "../../../checking/check-result.ts";
import { otherModules } from "../../../checking/declared-app.ts";
import { exchangesOf } from "../../../checking/evidence.ts";
import { type Subject, taggedContext } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import { skippedChecks, verifySubject } from "../../../checking/verify-subject.ts";
import { UsageError } from "../../../protocol/usage-error.ts";
import type { InstalledGuard, Person } from "../../call.ts";
import { isLeftOut, type LeftOutChecks } from "../left-out.ts";
import { readPageCall } from "../walk/answer.ts";
import { followWithin, pageCall } from "../walk/login.ts";
import { findOther, NO_CODE_NEEDED } from "../walk/other-user.ts";
import { prepareAgain, recordedWalk } from "../walk/replay.ts";
import { tokenReasons, tokenUse } from "../walk/token-use.ts";
import { type FrameTools, frameTools } from "../walk/tools.ts";
import { untilTold } from "../walk/ways.ts";
import { type FrameWalks, reporting, walkFrame } from "./frame.ts";
import { frameChecks, frameRequestChecks, frameTokenChecks, otherUserCheck } from "./frame-checks.ts";

function isCookie([name]: readonly [name: string, value: string]): boolean {
  return name.toLowerCase() === "cookie";
}

/** Verifies what the page of a frame guard does in a browser, and its calls to the app. */
export async function verifyFrame(
  verification: Verification,
  guard: InstalledGuard,
  person: Person,
): Promise<CheckResult[]> {
  const { choices, context, run, wants } = verification;
  const { module, installed } = guard;
  const wanted = { shown: frameChecks.filter(wants), asked: frameRequestChecks.filter(wants) };
  if (wanted.shown.length + wanted.asked.length === 0) return [];
  const id = `page.frame:${module.key}`;
  const about = { title: `frame of ${module.key}`, module: module.key };
  const skipAll = (reason: string) => skippedChecks(about, [...wanted.shown, ...wanted.asked], reason);
  const opened = await openChromium(context);
  if (typeof opened === "string") return skipAll(opened);
  const page = { context, choices, guard, person };
  let walks: FrameWalks;
  try {
    walks = await walkFrame({ ...page, context: reporting(context, run, id) }, person);
  } finally {
    await opened.release();
  }
  const exchanges = exchangesOf(context.journal.list(), run, id);
  const results = wanted.shown.map((check) =>
    resultOf({ ...about, app: installed.app, read: readPageCall }, check, exchanges),
  );
  const request = walks.pass === null ? null : recordedWalk(walks.pass);
  if (request === null) {
    const reason =
      walks.pass === null
        ? untilTold(walks.reason, context.config, module.key)
        : "no call of the page returned its code";
    return [...results, ...skippedChecks(about, wanted.asked, reason)];
  }
  const asking = `page.frame-request:${module.key}`;
  const other = await findOther(verification, guard, asking, person);
  const framed = { ...page, other: other.person, request };
  const subject: Subject<FrameTools> = {
    id: asking,
    title: `call of the page of ${module.key}`,
    app: installed.app,
    module: module.key,
    otherModules: otherModules(verification.apps, installed.app, module.key),
    checks: frameRequestChecks,
    sideBySide: true,
    call: pageCall,
    prepare: (tagged) => prepareAgain({ ...page, context: { ...context, journal: tagged.journal } }, person, request),
    follow: followWithin(guard),
    read: readPageCall,
    tools: (trial, contextOf) => frameTools(trial, contextOf, framed),
  };
  const searching = taggedContext(context, { run, subject: subject.id, id: null, role: "search" });
  const use = await tokenUse(subject, searching);
  // If there is no session either, an app that answers a call without its token answers anybody.
  const isTaken = use === "needed" || (use === "idle" && !request.last.request.headers.some(isCookie));
  const leftOut: readonly LeftOutChecks[] = [
    ...(other.needsCode ? [] : [{ checks: [otherUserCheck], reason: NO_CODE_NEEDED }]),
    ...(isTaken ? [] : [{ checks: frameTokenChecks, reason: tokenReasons[use] }]),
  ];
  const checks = frameRequestChecks.filter((check) => !isLeftOut(check, leftOut));
  return [
    ...results,
    ...leftOut.flatMap((left) => skippedChecks(subject, left.checks.filter(wants), left.reason)),
    ...(await verifySubject(verification, { ...subject, checks })),
  ];
}

/** Keeps one Chromium running for all walks; or says why there is none. */
export async function openChromium({ chromium }: Verification["context"]) {
  const toEnable = (reason: string, hint: string | null) => (hint === null ? reason : `${reason}; ${hint}`);
  try {
    chromium.requirePlaywright();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return toEnable(error.message, error.hint);
  }
  const opened = await chromium.open(undefined);
  return opened.ok ? opened : toEnable(opened.reason, opened.hint);
}
