import { resultOf } from "../../../checking/check-result.ts";
import { exchangesOf } from "../../../checking/evidence.ts";
import type { Verification } from "../../../checking/unit.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import { skippedChecks } from "../../../checking/verify-subject.ts";
import { UsageError } from "../../../protocol/usage-error.ts";
import type { InstalledGuard, Person } from "../../call.ts";
import { verifySharedLogins } from "../logins-in-browser.ts";
import { frameMistypedCheck, verifyMistyped } from "../mistyped-in-browser.ts";
import { frameSwitchedCheck } from "../shared-logins.ts";
import { readPageCall } from "../walk/answer.ts";
import { recordedWalk } from "../walk/replay.ts";
import { untilTold } from "../walk/ways.ts";
import { type FrameWalks, reporting, walkFrame } from "./frame.ts";
import { frameChecks, frameRequestChecks } from "./frame-checks.ts";
import { NO_CALL, verifyCalls } from "./verify-calls.ts";

/** Verifies what the page of a frame guard does in a browser, and its calls to the app. */
export async function verifyFrame(
  verification: Verification,
  guard: InstalledGuard,
  person: Person,
): Promise<CheckResult[]> {
  const { choices, context, run, wants } = verification;
  const { module, installed } = guard;
  const wanted = {
    shown: frameChecks.filter(wants),
    switched: [frameSwitchedCheck].filter(wants),
    mistyped: [frameMistypedCheck].filter(wants),
    asked: frameRequestChecks.filter(wants),
  };
  if (Object.values(wanted).every(({ length }) => length === 0)) return [];
  const id = `page.frame:${module.key}`;
  const about = { title: `frame of ${module.key}`, module: module.key };
  const skipAll = (reason: string) => skippedChecks(about, Object.values(wanted).flat(), reason);
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
  const reason = walks.pass === null ? untilTold(walks.reason, context.config, module.key) : NO_CALL;
  if (walks.pass === null)
    return [...results, ...skippedChecks(about, [...wanted.switched, ...wanted.asked, ...wanted.mistyped], reason)];
  const request = recordedWalk(walks.pass);
  const browsed = { guard, person, way: walks.pass.way, passed: walks.pass };
  const calls = { kind: "page.frame-request", checks: frameRequestChecks, read: readPageCall } as const;
  return [
    ...results,
    ...(await verifySharedLogins(verification, { switched: frameSwitchedCheck }, browsed)),
    ...(request === null
      ? skippedChecks(about, wanted.asked, reason)
      : await verifyCalls(verification, { guard, person, request }, calls)),
    ...(await verifyMistyped(verification, frameMistypedCheck, browsed)),
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
