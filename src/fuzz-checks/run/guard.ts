import type { Evidence } from "../../checking/check.ts";
import type { Verification } from "../../checking/unit.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import { skippedChecks } from "../../checking/verify-subject.ts";
import type { User } from "../../config/schema.ts";
import { guardRequest, type InstalledGuard } from "../../guard-checks/call.ts";
import { findPeople } from "../../guard-checks/candidates.ts";
import { firstCallSubject } from "../../guard-checks/units.ts";
import { bodyText } from "../../journal/journal.ts";
import { shellWord } from "../../output/shell-word.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { randomLoginChecks } from "../cases/logins.ts";
import type { FoundCase } from "../found.ts";
import { verifyRandomly } from "./random-subject.ts";

/** Sends random logins to a guard. */
export async function fuzzGuard(verification: Verification, guard: InstalledGuard): Promise<CheckResult[]> {
  const { context, choices } = verification;
  const { key } = guard.module;
  const id = `guard.fuzz:${key}`;
  const found = await findPeople(verification, guard, id);
  const known = found.passes ?? found.asked[0];
  const { tools, ...subject } = firstCallSubject(verification, guard, id, found);
  if (known === undefined) return skippedChecks(subject, randomLoginChecks.filter(verification.wants), found.reason);
  const { config } = context;
  return verifyRandomly(verification, {
    subject,
    checks: randomLoginChecks,
    tools: (trial) => ({
      ...tools(trial, () => context),
      known,
      requestIn: (organization, person) => {
        const elsewhere = { ...config, organization: { ...config.organization, ...organization } };
        return guardRequest({ ...context, config: elsewhere }, choices, guard, person);
      },
    }),
    describe: (check, smallest) => foundLogin(check.id, key, smallest, config.users),
  });
}

const SHOWN_CHARACTERS = 400;

/** The login of a case: a command can repeat it if it is a configured user's. */
function foundLogin(id: string, module: string, { steps }: Evidence, users: readonly User[]): FoundCase {
  const texts = steps.map(({ exchange }) => bodyText(exchange.request.body));
  const [first = ""] = texts;
  const changed = texts.find((text) => text !== first);
  const { userId, ipAddress } = JSON.parse(first === "" ? "{}" : first) as Readonly<Record<string, unknown>>;
  const user = users.find((each) => each.id === userId);
  const isOfRole = user !== undefined && users.find(({ role }) => role === user.role) === user;
  return {
    shown: clip(harmlessLine(changed === undefined ? first : `${first} and ${changed}`), SHOWN_CHARACTERS),
    name: `${id}-${module}`,
    files: {},
    commands: () =>
      isOfRole ? [`guard --module ${shellWord(module)} --user ${user.role} --ip ${String(ipAddress)} --yes`] : [],
  };
}
