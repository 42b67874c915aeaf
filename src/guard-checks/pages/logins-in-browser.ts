import { type SharedBrowser, sharedBrowser } from "../../browser/shared-browser.ts";
import type { CheckFacts } from "../../checking/check.ts";
import { checkResult } from "../../checking/check-result.ts";
import { BROWSED } from "../../checking/evidence.ts";
import { taggedContext } from "../../checking/subject.ts";
import type { Verification } from "../../checking/unit.ts";
import type { VerifyContext } from "../../checking/verify-context.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { skippedChecks } from "../../checking/verify-subject.ts";
import { type InstalledGuard, letsInWith, type Person } from "../call.ts";
import {
  isInVain,
  isMixed,
  isWrongAfter,
  judgeSwitched,
  judgeTwoTabs,
  type RedeemedWalk,
  type TwoTabs,
} from "./shared-logins.ts";
import { defer } from "./walk/hear-return.ts";
import { mayKeepData } from "./walk/left-behind.ts";
import type { WalkedPage } from "./walk/login.ts";
import { findOther, NO_CODE_NEEDED } from "./walk/other-user.ts";
import { type UnusualWalk, type WalkWithToken, walkWithToken } from "./walk/replay.ts";
import type { PageWay } from "./walk/walk.ts";
import { walkedCode } from "./walk/walked-code.ts";

/** A page that a browser has passed. */
export interface BrowsedPage {
  readonly guard: InstalledGuard;
  readonly person: Person;
  readonly way: PageWay;
  readonly passed: Pick<WalkWithToken, "keepsData" | "exchanges">;
}

const KEEPS_NOTHING =
  "the page keeps no cookie and nothing in localStorage, and its scripts do not name sessionStorage";

/** The checks of two logins in one browser. */
interface SharedLoginChecks {
  /** One login after the other. */
  readonly switched: CheckFacts;
  /** Both at the same time; default: not checked. */
  readonly twoTabs?: CheckFacts;
}

/** The login of a user whose page was walked. */
export interface WalkedLogin extends RedeemedWalk {
  readonly walk: WalkWithToken;
}

/** Logs a user in by walking the page, and redeems the code. */
type LogIn = (who: Person, unusual?: UnusualWalk) => Promise<WalkedLogin>;

/** Verifies that two logins in one browser do not get in each other's way, for a page that a browser walks. */
export async function verifySharedLogins(
  verification: Verification,
  checks: SharedLoginChecks,
  { guard, person, way, passed }: BrowsedPage,
): Promise<CheckResult[]> {
  const { choices, run, wants, context } = verification;
  const { key } = guard.module;
  const about = { title: `page of ${key}`, module: key };
  const isKept = mayKeepData(passed);
  const untried = isKept ? [] : skippedChecks(about, [checks.switched].filter(wants), KEEPS_NOTHING);
  const tried = [
    ...(isKept ? [{ check: checks.switched, logInTwice: runSwitched }] : []),
    ...(checks.twoTabs === undefined ? [] : [{ check: checks.twoTabs, logInTwice: runTwoTabs }]),
  ].filter(({ check }) => wants(check));
  if (tried.length === 0) return untried;
  const subject = `page.switched:${key}`;
  const other = await findOther(verification, guard, subject, person);
  if (!other.needsCode) {
    const wanted = tried.map(({ check }) => check);
    return [...untried, ...skippedChecks(about, wanted, NO_CODE_NEEDED)];
  }
  const page = { context: taggedContext(context, { run, subject, id: null, role: BROWSED }), choices, guard };
  const logIn: LogIn = (who, unusual) => logInByWalk(page, who, way, unusual);
  const users = [person, other.person] as const;
  const results = [...untried];
  for (const { check, logInTwice } of tried) {
    const { verdict, logins } = await logInTwice(context, check, users, logIn);
    const exchanges = logins.flatMap(({ walk }) => walk.exchanges);
    results.push(checkResult(about, check, verdict, exchanges));
  }
  return results;
}

/** Walks the page of a new login, and redeems the code that it brings. */
export async function logInByWalk(
  page: WalkedPage,
  who: Person,
  way: PageWay,
  unusual: UnusualWalk = {},
): Promise<WalkedLogin> {
  const walk = await walkWithToken(page, who, way, unusual);
  const code = walkedCode(walk);
  return { walk, isLetIn: code !== null && (await letsInWith(page.context, page, who, code)) };
}

/** The user who logs in first, and the other one. */
type TwoUsers = readonly [Person, Person];

async function runSwitched(context: VerifyContext, check: CheckFacts, [person, other]: TwoUsers, logIn: LogIn) {
  const alone = [await logIn(other)];
  const inOneBrowser = () =>
    inSharedBrowser(context, async (shared) => {
      const first = await logIn(person, { shared });
      const after = await logIn(other, { shared });
      return { first, after: isInVain(after, alone) ? await logIn(other, { shared }) : after };
    });
  const tries = [await inOneBrowser()];
  if (tries.some((logins) => isWrongAfter(logins, alone))) {
    // A busy machine may be the reason, which is unlikely twice.
    tries.push(await inOneBrowser());
    alone.push(await logIn(other));
  }
  const logins = [...tries.flatMap(({ first, after }) => [first, after]), ...alone];
  return { verdict: judgeSwitched(check, tries, alone), logins };
}

async function runTwoTabs(context: VerifyContext, check: CheckFacts, users: TwoUsers, logIn: LogIn) {
  const inTabs = () => inSharedBrowser(context, (shared) => inTwoTabs(users, logIn, shared));
  const alone: WalkedLogin[] = [];
  const tries = [await inTabs()];
  if (tries.some(isMixed)) {
    // A busy machine may be the reason, which is unlikely twice.
    tries.push(await inTabs());
    for (const user of users) alone.push(await logIn(user));
  }
  const logins = [...tries.flatMap(({ older, newer }) => [older, newer]), ...alone];
  return { verdict: judgeTwoTabs(check, tries, alone), logins };
}

/** Opens the page in two tabs, passes it in the older one, and then in the newer one. */
async function inTwoTabs(
  [person, other]: TwoUsers,
  logIn: LogIn,
  shared: SharedBrowser,
): Promise<TwoTabs<WalkedLogin>> {
  const [olderOpened, newerOpened] = [defer<void>(), defer<void>()];
  const older = logIn(person, {
    shared,
    whenOpened: () => {
      olderOpened.resolve();
      return newerOpened.promise;
    },
  });
  // A page that does not open is not waited for.
  await Promise.race([olderOpened.promise, older]);
  const newer = logIn(other, {
    shared,
    whenOpened: () => {
      newerOpened.resolve();
      return older;
    },
  });
  const go = () => newerOpened.resolve();
  newer.then(go, go);
  const [first, second] = await Promise.all([older, newer]);
  return { older: first, newer: second };
}

async function inSharedBrowser<Result>(
  { clock }: VerifyContext,
  work: (shared: SharedBrowser) => Promise<Result>,
): Promise<Result> {
  const shared = sharedBrowser();
  try {
    return await work(shared);
  } finally {
    await shared.close(clock);
  }
}
