import { firstCallChecks } from "./checks/guard-checks.ts";
import { configuredCandidates } from "./guard-candidates.ts";
import { readGuardReply } from "./rules/reply.ts";
import type { Subject } from "./subject.ts";
import { sendTo, taggedContext } from "./subject.ts";
import { guardCall, guardRequest, type InstalledGuard, type Person } from "./subjects/guard-call.ts";
import type { Unit, Verification } from "./unit.ts";
import { skippedChecks, verifySubject } from "./verify-subject.ts";

/** A unit for each guard of the apps. */
export function guardUnits(verification: Verification): Unit[] {
  const guards = verification.apps.flatMap((installed) =>
    installed.manifest.guards.map((module) => ({ installed, module })),
  );
  return guards.map((guard) => ({
    module: guard.module.key,
    checks: firstCallChecks.filter(verification.wants),
    run: () => verifyGuard(verification, guard),
  }));
}

async function verifyGuard(verification: Verification, guard: InstalledGuard) {
  const { installed, module } = guard;
  const id = `guard.first:${module.key}`;
  const title = `guard ${module.key}, first call`;
  const found = await findPeople(verification, guard, id);
  if (found.passes === null) {
    return skippedChecks({ title, module: module.key }, firstCallChecks.filter(verification.wants), found.reason);
  }
  const { passes } = found;
  const subject: Subject = {
    id,
    title,
    app: installed.app,
    module: module.key,
    checks: firstCallChecks,
    call: guardCall,
    prepare: (context) => guardRequest(context, verification.choices, guard, passes, null),
    read: readGuardReply,
    tools: (trial) => trial,
  };
  return verifySubject(verification, subject);
}

interface FoundPeople {
  /** Who is let in at the first call. */
  readonly passes: Person | null;
  /** Who is denied, or asked to interact. */
  readonly asked: Person | null;
  /** Why nobody is let in. */
  readonly reason: string;
}

/** Tries users and addresses until one is let in and one is not. */
async function findPeople(
  { context, choices, run }: Verification,
  guard: InstalledGuard,
  subject: string,
): Promise<FoundPeople> {
  const tagged = taggedContext(context, { run, subject, id: null, role: "search" });
  let passes: Person | null = null;
  let asked: Person | null = null;
  let says = "every configured user is exempt from it";
  for (const person of configuredCandidates(context.config, guard.module, choices)) {
    if (passes !== null && asked !== null) break;
    const request = await guardRequest(context, choices, guard, person, null);
    const reply = readGuardReply(await sendTo({ module: guard.module.key, call: guardCall }, tagged, request));
    if (reply.kind === "accepted") passes ??= person;
    else if (reply.kind === "refused" && reply.says.includes("success")) asked ??= person;
    else says = `the app ${reply.says} to a right first call`;
    if (reply.kind === "gone") break;
  }
  return { passes, asked, reason: asked === null ? says : "the guard lets nobody in at the first call" };
}
