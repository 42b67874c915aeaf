import type { Check } from "../../../checking/check.ts";
import { otherModules } from "../../../checking/declared-app.ts";
import { type Subject, taggedContext } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import { skippedChecks, verifySubject } from "../../../checking/verify-subject.ts";
import type { InstalledGuard, Person } from "../../call.ts";
import { isLeftOut, type LeftOutChecks } from "../left-out.ts";
import { followWithin, pageCall } from "../walk/login.ts";
import { findOther, NO_CODE_NEEDED } from "../walk/other-user.ts";
import { prepareAgain, type RecordedWalk } from "../walk/replay.ts";
import { tokenReasons, tokenUse } from "../walk/token-use.ts";
import { type FrameTools, frameTools } from "../walk/tools.ts";
import { frameTokenChecks, otherUserCheck } from "./frame-checks.ts";

/** Why the calls of a page are not verified. */
export const NO_CALL = "no call of the page returned its code";

/** A page that was walked in a browser. */
interface CallingPage {
  readonly guard: InstalledGuard;
  readonly person: Person;
  /** The requests that led to its code. */
  readonly request: RecordedWalk;
}

/** What is verified of the calls of a kind of page. */
interface VerifiedCalls {
  /** The first part of the subject's id. */
  readonly kind: "page.frame-request" | "page.form-request";
  readonly checks: readonly Check<FrameTools>[];
  readonly read: Subject["read"];
}

function isCookie([name]: readonly [name: string, value: string]): boolean {
  return name.toLowerCase() === "cookie";
}

/** Verifies the call with which the scripts of a guard's page get its code (interface 4.2). */
export async function verifyCalls(
  verification: Verification,
  { guard, person, request }: CallingPage,
  { kind, checks, read }: VerifiedCalls,
): Promise<CheckResult[]> {
  const { choices, context, run, wants } = verification;
  const { module, installed } = guard;
  if (!checks.some(wants)) return [];
  const id = `${kind}:${module.key}`;
  const other = await findOther(verification, guard, id, person);
  const page = { context, choices, guard, person, other: other.person, request };
  const subject: Subject<FrameTools> = {
    id,
    title: `call of the page of ${module.key}`,
    app: installed.app,
    module: module.key,
    otherModules: otherModules(verification.apps, installed.app, module.key),
    checks,
    sideBySide: true,
    call: pageCall,
    prepare: (tagged) => prepareAgain({ ...page, context: { ...context, journal: tagged.journal } }, person, request),
    follow: followWithin(guard),
    read,
    tools: (trial, contextOf) => frameTools(trial, contextOf, page),
  };
  const use = await tokenUse(subject, taggedContext(context, { run, subject: id, id: null, role: "search" }));
  // If there is no session either, an app that answers a call without its token answers anybody.
  const isTaken = use === "needed" || (use === "idle" && !request.last.request.headers.some(isCookie));
  const leftOut: readonly LeftOutChecks[] = [
    ...(other.needsCode ? [] : [{ checks: [otherUserCheck], reason: NO_CODE_NEEDED }]),
    ...(isTaken ? [] : [{ checks: frameTokenChecks, reason: tokenReasons[use] }]),
  ];
  return [
    ...leftOut.flatMap((left) => skippedChecks(subject, left.checks.filter(wants), left.reason)),
    ...(await verifySubject(verification, { ...subject, checks: checks.filter((each) => !isLeftOut(each, leftOut)) })),
  ];
}
