import { isDeepStrictEqual } from "node:util";
import type { Trial } from "../checking/check.ts";
import { checkResult } from "../checking/check-result.ts";
import { otherModules } from "../checking/declared-app.ts";
import { CONTROL, PREPARATION } from "../checking/evidence.ts";
import { readGuardReply } from "../checking/reply.ts";
import { NotPrepared, type Subject, sendTo, taggedContext } from "../checking/subject.ts";
import { attempt } from "../checking/subject-runner.ts";
import type { Verification } from "../checking/unit.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import { judgeUnprepared, skippedChecks, verifySubject } from "../checking/verify-subject.ts";
import { usersByRole } from "../config/users.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { guardCall, guardRequest, type InstalledGuard, makeFirstCall, otherGuards, type Person } from "./call.ts";
import { configuredPeople, type FoundPeople, strangerId } from "./candidates.ts";
import { finalCallChecks } from "./checks.ts";
import { guardLines, SOMEBODY } from "./config-lines.ts";
import { type CodeParts, type CodeSource, replayedCodes, walkedCodes } from "./final.ts";
import { AS_CONFIGURED, finalAcceptedCheck } from "./final-accepted.ts";
import { newcomerCheck } from "./newcomers.ts";
import { lastOf, notPassed, notPassedAgain } from "./not-passed.ts";
import { OTHER_AFTER, OTHER_BEFORE, othersToAsk } from "./others-asked.ts";
import { NOBODY_ELSE } from "./others-denied.ts";
import { pageCall } from "./pages/walk/login.ts";
import { mistypedWay } from "./pages/walk/mistyped-way.ts";
import { pageRequest } from "./pages/walk/page-request.ts";
import type { PageWay } from "./pages/walk/walk.ts";
import { findPageWays, howToTell, walkAsPerson } from "./pages/walk/ways.ts";
import type { FinalTrial } from "./trial.ts";
import { unfinishedCheck } from "./unfinished.ts";

/** If none of this many people can pass the page, more tries would only take time. */
const MOST_WALKERS = 3;
/** How many codes are compared, whichever checks run. */
const CODES_TO_COMPARE = 4;

interface Passage {
  readonly walker: Person;
  readonly way: PageWay;
  /** How to fail the page; null: unknown. */
  readonly fail: PageWay | null;
}

/** Why nobody passes the page. */
interface NoPassage {
  readonly reason: string;
  /** Whether the configuration says how to pass it, and it needs no browser. */
  readonly isUnexpected: boolean;
}

/** People who do not walk the page to its end. */
type Others = Pick<FinalTrial, "newcomers" | "visitor">;

/** The people for the final call, and how to pass its page. */
interface PassingPeople extends Passage, Pick<FoundPeople, "asked">, Others {}

/** Verifies the final call of a guard with a page: gets codes by walking the page instead of a person. */
export async function verifyFinalCall(
  verification: Verification,
  guard: InstalledGuard,
  { asked, newcomers, visitor }: FoundPeople & Others,
): Promise<CheckResult[]> {
  const { context, run, wants } = verification;
  const { key } = guard.module;
  if (!finalCallChecks.some(wants)) return [];
  const about = aboutFinalCall(guard);
  const skip = (reason: string) => skippedChecks(about, finalCallChecks.filter(wants), reason);
  const askedFirst = await verification.once(`asked by ${key} at ${guard.installed.app.url}`, async () => asked);
  if (asked.length === 0) {
    if (askedFirst.length > 0) return skip("the guard no longer asks the users whom it asked at the beginning");
    const lines = guardLines(key, { denies: SOMEBODY });
    return skip(`nobody was found whom the guard asks to interact; name somebody in the config file: ${lines}`);
  }
  const tagged = taggedContext(context, { run, subject: about.id, id: null, role: PREPARATION });
  const find = () => findPassage(verification, tagged, guard, asked);
  const known = await verification.once(`passage of ${key} at ${guard.installed.app.url}`, find);
  // Users who have passed since may no longer be asked.
  const isOver = "walker" in known && !asked.some((person) => isDeepStrictEqual(person, known.walker));
  // Somebody whom the app remembers can still pass, so that the last one who is asked need not.
  const spared = visitor ?? (isOver ? (asked[0] ?? null) : null);
  const passage = isOver && spared === visitor ? await find() : known;
  if ("reason" in passage) {
    const skipped = skip(passage.reason);
    if (!passage.isUnexpected) return skipped;
    return skipped.map((result) =>
      result.id === finalAcceptedCheck.id
        ? checkResult(about, finalAcceptedCheck, notPassed(key, passage.reason, lastOf(verification, about.id)), [])
        : result,
    );
  }
  return verifyWith(verification, tagged, guard, { ...passage, asked, newcomers, visitor: spared });
}

function aboutFinalCall({ module: { key } }: InstalledGuard) {
  return { id: `guard.final:${key}`, title: `guard ${key}, final call`, module: key };
}

async function findPassage(
  { choices }: Verification,
  context: VerifyContext,
  guard: InstalledGuard,
  asked: readonly Person[],
): Promise<Passage | NoPassage> {
  const isConfigured = context.config.verify.guards[guard.module.key]?.pass !== undefined;
  let reason = "";
  let isBrowsed = false;
  for (const walker of asked.slice(0, MOST_WALKERS)) {
    if (context.signal?.aborted === true) break;
    const ways = await findPageWays(context, { choices, guard, person: walker });
    if (ways.pass !== null) return { walker, way: ways.pass, fail: ways.fail };
    reason ||= ways.reason;
    isBrowsed ||= ways.isBrowsed;
  }
  // Whether a page needs a browser that is not there is judged with the page.
  return { reason: reason || howToTell(guard.module.key), isUnexpected: isConfigured && reason !== "" && !isBrowsed };
}

async function verifyWith(
  verification: Verification,
  tagged: VerifyContext,
  guard: InstalledGuard,
  people: PassingPeople,
): Promise<CheckResult[]> {
  const { walker } = people;
  const { context, choices, run, apps } = verification;
  const { installed, module } = guard;
  const about = aboutFinalCall(guard);
  const finalCall = (who: Person, code: string | null) => guardRequest(context, choices, guard, { ...who, code });
  const send = async (tag: VerifyContext, code: string | null) =>
    readGuardReply(await sendTo({ module: module.key, call: guardCall }, tag, await finalCall(walker, code)));
  const taggedAs = (role: string) => taggedContext(context, { run, subject: about.id, id: null, role });
  const others = othersToAsk(people.asked, walker);
  const askOthers = async (role: string) => {
    for (const other of others) await makeFirstCall(taggedAs(role), { choices, guard }, other);
  };
  await askOthers(OTHER_BEFORE);
  const parts = { choices, guard, person: walker, way: people.way };
  const replayed = people.way.by === "browser" ? await goodReplay(tagged, parts, (code) => send(tagged, code)) : null;
  const codes = replayed ?? walkedCodes(parts);
  const subject: Subject<FinalTrial> = {
    ...about,
    app: installed.app,
    otherModules: otherModules(apps, installed.app, module.key),
    checks: finalCallChecks,
    // Several browsers at once would only wait for each other.
    sideBySide: people.way.by === "forms" || replayed !== null,
    call: guardCall,
    prepare: async (own) => finalCall(walker, await codes({ ...context, journal: own.journal })),
    read: readGuardReply,
    tools: (trial, contextOf) => finalTools(verification, guard, { ...people, codes }, { trial, contextOf }),
  };
  try {
    let isLetIn = false;
    for (let count = 0; count < CODES_TO_COMPARE; count += 1) {
      isLetIn = (await send(taggedAs(CONTROL), await codes(tagged))).kind === "accepted" || isLetIn;
    }
    if (isLetIn) await askOthers(OTHER_AFTER);
    const { isPagePassed } = configuredPeople(context.config, module, choices);
    if (!isLetIn && isPagePassed) await send(taggedAs(AS_CONFIGURED), await codes(tagged));
  } catch (error) {
    if (!(error instanceof NotPrepared)) throw error;
    return notPassedAgain(verification, subject, { guard, walker, reason: error.message });
  }
  const isRemembered =
    (await send(tagged, null)).kind === "accepted" && (await send(tagged, context.ids.secret())).kind === "accepted";
  if (isRemembered) {
    const aboutOthers = [newcomerCheck, unfinishedCheck];
    const aboutCodes = finalCallChecks.filter((check) => aboutOthers.every((other) => other !== check));
    return [
      ...judgeUnprepared(
        verification,
        { ...subject, checks: aboutCodes },
        "the app remembers who passed its page, and no longer checks codes",
      ),
      ...(await verifySubject(verification, { ...subject, checks: aboutOthers })),
    ];
  }
  return verifySubject(verification, subject);
}

/** The tools for the checks of a final call. */
function finalTools(
  verification: Verification,
  guard: InstalledGuard,
  { walker, way, fail, asked, newcomers, visitor, codes }: PassingPeople & { readonly codes: CodeSource },
  { trial, contextOf }: { readonly trial: Trial; contextOf(role: string): SimulatorContext },
): FinalTrial {
  const { context, choices, apps } = verification;
  const { module } = guard;
  const walk = async (person: Person, by: PageWay) => {
    const tagged = { ...context, journal: contextOf(PREPARATION).journal };
    return walkAsPerson(tagged, { choices, guard, person }, by);
  };
  return {
    ...trial,
    people: { passes: null, asked: walker, turnedAway: null, ...NOBODY_ELSE },
    users: usersByRole(context.config.users),
    configured: { lets: null, denies: null, isPagePassed: false, hasPage: true },
    request: (who, code, other = guard) => guardRequest(context, choices, other, { ...who, code }),
    number: () => strangerId(context.ids),
    madeUp: () => context.ids.secret(),
    walker,
    otherUser: otherUserOf(verification, walker, asked),
    newcomers,
    visitor,
    visit: async (person) => {
      const opened = await pageRequest(context, choices, guard, { ...person, state: context.ids.secret() });
      await sendTo({ module: module.key, call: pageCall }, contextOf(PREPARATION), opened);
    },
    failPage: async (person) => {
      if (fail === null) return false;
      await walk(person, fail);
      return true;
    },
    mistype: async (person) => {
      const wrong = mistypedWay(way, person);
      if (wrong === null) return false;
      const { outcome } = await walk(person, wrong);
      return outcome === null || !("code" in outcome);
    },
    passPage: async (person) => {
      const outcome = way.by === "forms" ? (await walk(person, way)).outcome : null;
      return outcome !== null && "code" in outcome ? outcome.code : null;
    },
    passPageAs: async (other) => {
      const tagged = { ...context, journal: contextOf(PREPARATION).journal };
      const code = await attempt(() => codes(tagged, other));
      if (code === false) return null;
      // Where the other guard's own page asks for the same, nobody gets past it.
      const own = walkedCodes({ choices, guard: other, person: walker, way });
      const isAlike = other.module.type !== "direct" && (await attempt(() => own(tagged))) !== false;
      return isAlike ? null : code;
    },
    otherGuards: otherGuards(apps, guard),
  };
}

/** Gets codes with the request of the page's script; null if such a code is not accepted. */
async function goodReplay(
  context: VerifyContext,
  parts: CodeParts,
  call: (code: string) => Promise<{ readonly kind: string }>,
): Promise<CodeSource | null> {
  const replayed = await replayedCodes(context, parts);
  if (replayed === null) return null;
  try {
    const [first, second] = [await replayed(context), await replayed(context)];
    const isGood = first !== second && (await call(second)).kind === "accepted";
    return isGood ? replayed : null;
  } catch (error) {
    if (error instanceof NotPrepared) return null;
    throw error;
  }
}

/** Another user; one whom the guard asks too, if there is one. */
function otherUserOf({ context }: Verification, walker: Person, asked: readonly Person[]): Person | null {
  const users = [...asked.map(({ user }) => user), ...context.config.users];
  const user = users.find(({ id, role }) => id !== walker.user.id && role !== "owner");
  return user === undefined ? null : { ...walker, user };
}
