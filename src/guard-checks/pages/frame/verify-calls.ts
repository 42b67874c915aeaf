import type { Check } from "../../../checking/check.ts";
import { otherModules } from "../../../checking/declared-app.ts";
import { SEARCH } from "../../../checking/evidence.ts";
import { NotPrepared, type Subject, sendAndFollow, taggedContext } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import { skippedChecks, verifySubject } from "../../../checking/verify-subject.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { bodyText } from "../../../journal/journal.ts";
import { type InstalledGuard, otherGuards, type Person } from "../../call.ts";
import { isLeftOut } from "../left-out.ts";
import { type FrameTools, frameTools } from "../walk/frame-tools.ts";
import { followWithin, pageCall } from "../walk/login.ts";
import { findOther, NO_CODE_NEEDED } from "../walk/other-user.ts";
import { prepareAgain, type RecordedWalk } from "../walk/replay.ts";
import { tokenReasons, tokenUse } from "../walk/token-use.ts";
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

/** Why a call is not verified that the app refuses when it is repeated. */
const UNREPEATABLE =
  "the app refuses the page's own call when it is repeated over HTTP: it has something in it that is good only once, or for a short time";
/** How often a call is repeated before it counts as one that cannot be. */
const MOST_REPEATS = 2;

/** Verifies the call with which the scripts of a guard's page get its code (interface 4.2). */
export async function verifyCalls(
  verification: Verification,
  page: CallingPage,
  { kind, checks, read }: VerifiedCalls,
): Promise<CheckResult[]> {
  const { context, run, wants } = verification;
  const { guard, person, request } = page;
  if (!checks.some(wants)) return [];
  const id = `${kind}:${guard.module.key}`;
  const other = await findOther(verification, guard, id, person);
  const subject = callSubject(verification, { ...page, other: other.person }, { id, checks, read });
  const searching = (call: Subject<FrameTools>) =>
    taggedContext(context, { run, subject: call.id, id: null, role: SEARCH });
  if (!(await isRepeatable(subject, searching(subject), request)))
    return skippedChecks(subject, checks.filter(wants), UNREPEATABLE);
  const use = await tokenUse(subject, searching(subject));
  // If there is no session either, an app that answers a call without its token answers anybody.
  const isTaken = use === "needed" || (use === "idle" && !request.last.request.headers.some(isCookie));
  const earlier = use === "absent" ? earlierWithToken(request) : null;
  const about = { id: `${kind}.token:${guard.module.key}`, checks: frameTokenChecks, read };
  const earlierCall = earlier && callSubject(verification, { ...page, other: other.person, request: earlier }, about);
  const isEarlierTaken = earlierCall !== null && (await tokenUse(earlierCall, searching(earlierCall))) === "needed";
  const codeLeftOut = other.needsCode ? [] : [{ checks: [otherUserCheck], reason: NO_CODE_NEEDED }];
  const tokenLeftOut = isTaken ? [] : [{ checks: frameTokenChecks, reason: tokenReasons[use] }];
  const tried = checks.filter((each) => !isLeftOut(each, [...codeLeftOut, ...tokenLeftOut]));
  return [
    ...[...codeLeftOut, ...(isEarlierTaken ? [] : tokenLeftOut)].flatMap((left) =>
      skippedChecks(subject, left.checks.filter(wants), left.reason),
    ),
    ...(await verifySubject(verification, { ...subject, checks: tried })),
    ...(isEarlierTaken ? await verifySubject(verification, earlierCall) : []),
  ];
}

/** A call of a page as what checks vary. */
function callSubject(
  verification: Verification,
  { guard, person, other, request }: CallingPage & { readonly other: Person },
  { id, checks, read }: Pick<Subject<FrameTools>, "id" | "checks" | "read">,
): Subject<FrameTools> {
  const { choices, context } = verification;
  const { module, installed } = guard;
  const page = { context, choices, guard, person, other, request, otherGuards: otherGuards(verification.apps, guard) };
  return {
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
}

/** Whether the app answers a call as it answered the browser's. */
async function isRepeatable(
  subject: Subject<FrameTools>,
  context: Verification["context"],
  { before, last }: RecordedWalk,
): Promise<boolean> {
  // A page that asks again and again gets its code only at the end.
  const isPolled = before.some((each) => isSameCall(each, last));
  for (let tries = 0; tries < MOST_REPEATS; tries += 1) {
    try {
      const answer = await sendAndFollow(subject, () => context, SEARCH, await subject.prepare(context));
      if (subject.read(answer, isPolled ? null : last).kind === "accepted") return true;
    } catch (error) {
      if (!(error instanceof NotPrepared)) throw error;
    }
  }
  return false;
}

function isSameCall(one: Exchange, other: Exchange): boolean {
  const [path, otherPath] = [one, other].map(({ request }) => new URL(request.url).pathname);
  return one.request.method === other.request.method && path === otherPath;
}

/** The part of a walk up to the last call that sends the token, if a later one brings the code; null: there is none. */
function earlierWithToken({ before, token, ...walk }: RecordedWalk): RecordedWalk | null {
  const holdsToken = ({ request }: Exchange) =>
    token !== "" && `${request.url}${request.headers.flat().join()}${bodyText(request.body)}`.includes(token);
  const index = before.findLastIndex(holdsToken);
  const last = before[index];
  return last === undefined ? null : { ...walk, token, before: before.slice(0, index), last };
}
