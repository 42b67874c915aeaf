import type { CheckFacts } from "../../checking/check.ts";
import { otherModules } from "../../checking/declared-app.ts";
import { readGuardReply } from "../../checking/reply.ts";
import { NotPrepared, type Subject, sendAndFollow, taggedContext } from "../../checking/subject.ts";
import type { Unit, Verification } from "../../checking/unit.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { skippedChecks, verifySubject } from "../../checking/verify-subject.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { type InstalledGuard, makeFirstCall, type Person } from "../call.ts";
import { asksOrDenies, configuredCandidates, firstCallText } from "../candidates.ts";
import { borrowingChecks } from "./form/borrowing-checks.ts";
import { formChecks, formTokenChecks } from "./form/form-checks.ts";
import { formLeftCheck, scriptedCallChecks, verifyScripted } from "./form/verify-scripted.ts";
import { frameChecks, frameRequestChecks } from "./frame/frame-checks.ts";
import { verifyFrame } from "./frame/frame-units.ts";
import { isLeftOut, type LeftOutChecks } from "./left-out.ts";
import { frameMistypedCheck } from "./mistyped-in-browser.ts";
import { openPageChecks, pageTokenChecks } from "./opening/open-checks.ts";
import { type PagePlatform, platformOf } from "./opening/opened-page.ts";
import { judgeScriptTexts, scriptTextsCheck } from "./opening/script-texts.ts";
import { judgeReached, reachedCheck } from "./reached.ts";
import { failedPageChecks } from "./return/error-checks.ts";
import { returnChecks } from "./return/return-checks.ts";
import { frameSwitchedCheck } from "./shared-logins.ts";
import { judgeUnfailed, whyNotFailed } from "./unfailed.ts";
import { isScripted, readOpenedPage, readSentForm } from "./walk/answer.ts";
import { followWithin, openRequest, pageCall, requestsBeforeReturn, walkToForm } from "./walk/login.ts";
import { findOther, NO_CODE_NEEDED } from "./walk/other-user.ts";
import { tokenReasons, tokenUse } from "./walk/token-use.ts";
import { type FormTools, formTools, type OpenPageTools, openPageTools, type PassedPage } from "./walk/tools.ts";
import { findFormWays, type PageWays, walkAsPerson } from "./walk/ways.ts";

type PageGuard = InstalledGuard & { readonly type: "redirect" | "frame" };

/** A unit for the page of each guard that has one. */
export function pageUnits(verification: Verification): Unit[] {
  const guards = verification.apps.flatMap((installed) =>
    installed.manifest.guards.flatMap((module): PageGuard[] =>
      module.type === "direct" ? [] : [{ installed, module, type: module.type }],
    ),
  );
  return guards.map((guard) => {
    const usual = checksOf(guard, platformOf(verification.context)).filter(verification.wants);
    // The calls of a redirect page's scripts are verified only where a page needs its scripts.
    const calls = guard.type === "redirect" ? scriptedCallChecks.filter(verification.wants) : [];
    const checks = usual.length > 0 ? usual : calls;
    return {
      module: guard.module.key,
      checks,
      run: () => (checks.length === 0 ? Promise.resolve([]) : verifyPage(verification, guard)),
    };
  });
}

function checksOf({ type }: PageGuard, platform: PagePlatform): readonly CheckFacts[] {
  const opened = [...openPageChecks(type, platform), scriptTextsCheck];
  return type === "frame"
    ? [...opened, ...frameChecks, frameSwitchedCheck, ...frameRequestChecks, frameMistypedCheck]
    : [
        ...opened,
        reachedCheck,
        formLeftCheck,
        ...formTokenChecks,
        ...formChecks,
        ...returnChecks(platform),
        ...failedPageChecks(platform),
      ];
}

async function verifyPage(verification: Verification, guard: PageGuard): Promise<CheckResult[]> {
  const { context, wants } = verification;
  const { module } = guard;
  const platform = platformOf(verification.context);
  const subject = `page:${module.key}`;
  const found = await findWayIn(verification, guard, subject);
  if (typeof found === "string") {
    const about = { title: `page of ${module.key}`, module: module.key };
    return skippedChecks(about, checksOf(guard, platform).filter(wants), found);
  }
  const results = await verifyOpening(verification, guard, found.person);
  if (context.signal?.aborted === true) return results;
  if (guard.type === "frame") {
    return [...results, ...(await verifyFrame(verification, guard, found.person))];
  }
  return [...results, ...(await verifyForm(verification, guard, found))];
}

interface WayIn {
  /** The person who is asked to interact. */
  readonly person: Person;
  readonly ways: PageWays;
}

/** How many of the people who are asked to interact are tried. */
const MOST_ASKED = 4;

/** Finds somebody who is asked to interact, and can pass the page; or says why there is nobody. */
async function findWayIn(
  { context, choices, run }: Verification,
  guard: PageGuard,
  subject: string,
): Promise<WayIn | string> {
  const tagged = taggedContext(context, { run, subject, id: null, role: "search" });
  let first: WayIn | null = null;
  let asked = 0;
  let before: Exchange | null = null;
  let says = "every configured user is exempt from it";
  for (const person of configuredCandidates(context.config, guard.module, choices)) {
    if (asked === MOST_ASKED || context.signal?.aborted === true) break;
    const answer = await makeFirstCall(tagged, { choices, guard }, person);
    const reply = readGuardReply(answer);
    says = reply.kind === "accepted" ? "the guard asks nobody to interact" : firstCallText(answer, before);
    if (reply.kind === "gone") return says;
    before = answer;
    if (!asksOrDenies(reply)) continue;
    asked += 1;
    const ways = guard.type === "frame" ? noWays : await findFormWays(tagged, { choices, guard, person });
    first ??= { person, ways };
    if (ways.pass !== null || guard.type === "frame") return { person, ways };
  }
  return first ?? says;
}

const noWays: PageWays = { pass: null, fail: null, reason: "", isBrowsed: true };

async function verifyOpening(verification: Verification, guard: PageGuard, person: Person): Promise<CheckResult[]> {
  const { choices, context, run, wants } = verification;
  const { module, installed, type } = guard;
  const page = { context, choices, guard, person };
  const id = `page.open:${module.key}`;
  const all = openPageChecks(type, platformOf(verification.context));
  const subject: Subject<OpenPageTools> = {
    id,
    title: `page of ${module.key}`,
    app: installed.app,
    module: module.key,
    otherModules: otherModules(verification.apps, installed.app, module.key),
    checks: all,
    sideBySide: true,
    call: pageCall,
    prepare: async (tagged) => {
      await makeFirstCall(tagged, page, person);
      return openRequest(tagged, page, person);
    },
    follow: followWithin(guard),
    read: readOpenedPage,
    tools: (trial, contextOf) => openPageTools(trial, contextOf, page),
  };
  const searching = () => taggedContext(context, { run, subject: id, id: null, role: "search" });
  const right = await openRequest(searching(), page, person);
  const control = await sendAndFollow(subject, searching, "search", right);
  const without = await sendAndFollow(subject, searching, "search", { ...right, token: null });
  const inBrowser = await judgeScriptTexts(verification, guard, person, control);
  const isStatic = isScripted(control) && readOpenedPage(without, control).kind === "accepted";
  if (!isStatic) return [...inBrowser, ...(await verifySubject(verification, subject))];
  const reason = "the page is the same without a token: the requests of its scripts must check it";
  const others = all.filter((check) => !pageTokenChecks.some((twin) => twin.id === check.id));
  return [
    ...inBrowser,
    ...skippedChecks(subject, pageTokenChecks.filter(wants), reason),
    ...(await verifySubject(verification, { ...subject, checks: others })),
  ];
}

/** The form of a page as what checks vary; without its checks. */
function formSubject(
  apps: Verification["apps"],
  page: PassedPage,
  about: Pick<Subject, "id" | "title" | "module">,
): Subject<FormTools> {
  const { guard, person } = page;
  const { module, installed } = guard;
  return {
    ...about,
    app: installed.app,
    otherModules: otherModules(apps, installed.app, module.key),
    checks: [],
    sideBySide: true,
    call: pageCall,
    prepare: async (tagged) => {
      const inContext = { ...page, context: { ...page.context, journal: tagged.journal } };
      await makeFirstCall(tagged, page, person);
      const form = await walkToForm(inContext, person, page);
      if (form === null) throw new NotPrepared("the page could not be walked");
      return form.request;
    },
    follow: followWithin(guard),
    read: readSentForm,
    tools: (trial, contextOf) => formTools(trial, contextOf, page),
  };
}

async function verifyForm(verification: Verification, guard: PageGuard, found: WayIn): Promise<CheckResult[]> {
  const { choices, context, run, wants } = verification;
  const { module } = guard;
  const { person, ways } = found;
  const platform = platformOf(verification.context);
  const passing = [...formTokenChecks, ...formChecks, ...returnChecks(platform)];
  const reached = [...(await judgeReached(verification, guard, ways)), ...judgeUnfailed(verification, guard, ways)];
  const isJudged = ({ id: one }: CheckFacts) => reached.some((check) => check.id === one);
  const failing = failedPageChecks(platform).filter((check) => !isJudged(check));
  const id = `page.form:${module.key}`;
  const about = { title: `form of ${module.key}`, module: module.key };
  const skipAll = (reason: string, judged: readonly CheckResult[] = []) => [
    ...judged,
    ...skippedChecks(
      about,
      [formLeftCheck, ...passing, ...failing].filter(
        (check) => wants(check) && judged.every(({ id: one }) => one !== check.id),
      ),
      reason,
    ),
    ...reached,
  ];
  if (ways.pass === null) return skipAll(ways.reason);
  if (ways.pass.by === "browser") {
    const judged = await verifyScripted(verification, platform, { guard, person, way: ways.pass, fail: ways.fail });
    return skipAll(
      "the page needs JavaScript, but these checks repeat a form over HTTP: they need a form that works without scripts",
      judged,
    );
  }
  const searching = taggedContext(context, { run, subject: id, id: null, role: "search" });
  const walked = await walkAsPerson(searching, { choices, guard, person }, ways.pass);
  const before = requestsBeforeReturn(walked.exchanges);
  if (before === 0) return skipAll("the page sends the user back immediately, without a form");
  const other = await findOther(verification, guard, id, person);
  // A user often says no before the last form.
  const failed = ways.fail && (await walkAsPerson(searching, { choices, guard, person }, ways.fail));
  const beforeFailing = failed === null ? 0 : requestsBeforeReturn(failed.exchanges);
  const { pass: way, fail } = ways;
  const page = { context, choices, guard, person, other: other.person, way, before, fail, beforeFailing };
  const subject = formSubject(verification.apps, page, { id, ...about });
  const use = await tokenUse(subject, searching);
  const leftOut: readonly LeftOutChecks[] = [
    ...(other.needsCode ? [] : [{ checks: borrowingChecks, reason: NO_CODE_NEEDED }]),
    ...(use === "needed" ? [] : [{ checks: formTokenChecks, reason: tokenReasons[use] }]),
    ...(ways.fail === null ? [{ checks: failing, reason: whyNotFailed(verification, module.key, ways) }] : []),
  ];
  const checks = [...passing, ...failing].filter((check) => !isLeftOut(check, leftOut));
  return [
    ...skippedChecks(about, [formLeftCheck].filter(wants), "the page works without scripts"),
    ...leftOut.flatMap((left) => skippedChecks(about, left.checks.filter(wants), left.reason)),
    ...reached,
    ...(await verifySubject(verification, { ...subject, checks })),
  ];
}
