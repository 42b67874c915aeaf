import { findUser } from "../../config/users.ts";
import type { GuardResult } from "../guard-result.ts";
import type { VisitContext } from "../visit/page-visitor.ts";
import { pageVisitor } from "../visit/page-visitor.ts";
import { scriptedPerson } from "./login-person.ts";
import type { PlanOptions } from "./login-plan.ts";
import type { Begun, Logins } from "./logins.ts";

/**
 * Begins one login (interface 3.1), which then runs by itself wherever it needs no person.
 * @throws UsageError for a user or a guard that there is not, or a manifest that is not valid
 */
export async function beginLogin(context: VisitContext, logins: Logins, options: PlanOptions): Promise<Begun> {
  const user = findUser(context.config, options.user ?? context.config.login.user);
  const visit = pageVisitor(context, logins, options.page ?? null);
  return logins.begin(user, options, scriptedPerson(context, user, options, visit));
}

/** One login from password to its end. */
export async function runLogin(context: VisitContext, logins: Logins, options: PlanOptions): Promise<GuardResult> {
  const begun = await beginLogin(context, logins, options);
  return begun.ok ? begun.login.result : begun.result;
}
