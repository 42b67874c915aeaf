import { checkResult } from "../checking/check-result.ts";
import { otherModules } from "../checking/declared-app.ts";
import { readAskedReply, readGuardReply } from "../checking/reply.ts";
import type { Subject } from "../checking/subject.ts";
import type { Unit, Verification } from "../checking/unit.ts";
import { judgeUnprepared, verifySubject } from "../checking/verify-subject.ts";
import { usersByRole } from "../config/users.ts";
import { guardCall, guardRequest, type InstalledGuard, type Person } from "./call.ts";
import { configuredPeople, type FoundPeople, findNewcomers, findPeople, strangerId } from "./candidates.ts";
import { finalCallChecks, firstCallChecks } from "./checks.ts";
import { verifyFinalCall } from "./final-call.ts";
import { asConfiguredCheck, nobodyVerdict, pageAskedCheck } from "./let-in-checks.ts";
import { newcomerCheck } from "./newcomers.ts";
import { findOthersDenied, NOBODY_ELSE, type OthersDenied } from "./others-denied.ts";
import type { GuardTrial } from "./trial.ts";
import { unfinishedCheck } from "./unfinished.ts";

/** The guards of the apps. */
export function installedGuards({ apps }: Verification): InstalledGuard[] {
  return apps.flatMap((installed) => installed.manifest.guards.map((module) => ({ installed, module })));
}

/** The checks of the first call of a guard: one without a page asks nobody to interact. */
function firstChecksOf({ module }: InstalledGuard): typeof firstCallChecks {
  return module.type === "direct" ? firstCallChecks.filter((check) => check !== pageAskedCheck) : firstCallChecks;
}

/** A unit for each guard of the apps. */
export function guardUnits(verification: Verification): Unit[] {
  return installedGuards(verification).map((guard) => {
    const checks = [...firstChecksOf(guard), ...(guard.module.type === "direct" ? [] : finalCallChecks)];
    return {
      module: guard.module.key,
      checks: checks.filter(verification.wants),
      run: () => verifyGuard(verification, guard),
    };
  });
}

async function verifyGuard(verification: Verification, guard: InstalledGuard) {
  const isWanted = [...firstCallChecks, ...finalCallChecks].some(verification.wants);
  if (!isWanted) return [];
  const people = await findPeople(verification, guard, firstCallId(guard));
  const isFirstWanted = firstCallChecks.some(verification.wants);
  const others = isFirstWanted ? await findOthersDenied(verification, guard, firstCallId(guard), people) : NOBODY_ELSE;
  // If possible, before anybody passes the page of this guard.
  const isAboutOthers = guard.module.type !== "direct" && [newcomerCheck, unfinishedCheck].some(verification.wants);
  const newcomersOf = (asked: FoundPeople["asked"]) => findNewcomers(verification, guard, firstCallId(guard), asked);
  const newcomers = isAboutOthers ? await newcomersOf(people.asked) : [];
  const [unknown] = isAboutOthers ? await newcomersOf(people.asked.slice(0, 1)) : [];
  const visitor = unknown ?? lastOfSeveral(people.asked);
  const first = await verifyFirstCall(verification, guard, { ...people, ...others });
  if (guard.module.type === "direct") return first;
  return [...first, ...(await verifyFinalCall(verification, guard, { ...people, newcomers, visitor }))];
}

/** The last of the people who are asked, if that is another user than the first; an app may ask only users it knows. */
function lastOfSeveral(asked: FoundPeople["asked"]): Person | null {
  const [first] = asked;
  return asked.findLast(({ user }) => user.id !== first?.user.id) ?? null;
}

function firstCallId({ module }: InstalledGuard): string {
  return `guard.first:${module.key}`;
}

async function verifyFirstCall(verification: Verification, guard: InstalledGuard, found: FoundPeople & OthersDenied) {
  const subject = {
    ...firstCallSubject(verification, guard, firstCallId(guard), found),
    checks: firstChecksOf(guard),
    sideBySide: true,
  };
  if (found.passes !== null || found.asked.length > 0) return verifySubject(verification, subject);
  const results = judgeUnprepared(verification, subject, found.reason);
  const { lets } = configuredPeople(verification.context.config, guard.module, verification.choices);
  if (lets === null) return results;
  return results.map((result) =>
    result.id === asConfiguredCheck.id
      ? checkResult(subject, asConfiguredCheck, nobodyVerdict(guard.module.key, found.reason), [])
      : result,
  );
}

/** The first call of a guard, without its checks; it needs somebody for whom to call. */
export function firstCallSubject(
  verification: Verification,
  guard: InstalledGuard,
  id: string,
  found: FoundPeople & Partial<OthersDenied>,
): Omit<Subject<GuardTrial>, "checks"> {
  const { installed, module } = guard;
  const [asked = null] = found.asked;
  const person = found.passes ?? asked;
  const request = (context: Verification["context"], who: Person, code: string | null, other = guard) =>
    guardRequest(context, verification.choices, other, { ...who, code });
  return {
    id,
    title: `guard ${module.key}, first call`,
    app: installed.app,
    module: module.key,
    otherModules: otherModules(verification.apps, installed.app, module.key),
    call: guardCall,
    control: found.passes === null ? "asked" : "accepted",
    prepare: () => request(verification.context, person as Person, null),
    read: found.passes === null ? readAskedReply : readGuardReply,
    tools: (trial) => ({
      ...trial,
      people: {
        passes: found.passes,
        asked,
        turnedAway: found.turnedAway[0] ?? null,
        elsewhere: found.elsewhere ?? null,
        outsider: found.outsider ?? null,
        insider: found.insider ?? null,
      },
      users: usersByRole(verification.context.config.users),
      configured: configuredPeople(verification.context.config, module, verification.choices),
      request: (who, code, other) => request(verification.context, who, code, other),
      number: () => strangerId(verification.context.ids),
      madeUp: () => verification.context.ids.secret(),
    }),
  };
}
