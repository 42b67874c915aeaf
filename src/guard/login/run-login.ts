import type { User } from "../../config/schema.ts";
import { findUser } from "../../config/users.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { GuardResult } from "../guard-result.ts";
import { loginTable } from "../rules/login-table.ts";
import { rightInput, wrongInput } from "../rules/stages.ts";
import type { VisitContext } from "../visit/page-visitor.ts";
import { type PageVisitor, pageVisitor } from "../visit/page-visitor.ts";
import type { GuardOptions } from "./guard-options.ts";
import type { LoginPerson } from "./login-face.ts";
import type { LoginOptions, PageOption } from "./login-options.ts";
import type { PlanOptions } from "./login-plan.ts";
import type { Begun, Logins } from "./logins.ts";
import { tellWatcher } from "./watch-login.ts";

/**
 * Starts one login (interface 3.1), which then runs by itself except where it waits for a person.
 * @throws UsageError for a user or a guard that there is not, or a manifest that is not valid
 */
export async function beginLogin(context: VisitContext, logins: Logins, options: PlanOptions): Promise<Begun> {
  const user = findUser(context.config, options.user ?? context.config.login.user);
  const visit = pageVisitor(context, logins, options.page ?? null);
  return logins.begin(user, options, scriptedPerson(context, user, options, visit), context);
}

/** One login from password to its end. */
export async function runLogin(
  context: VisitContext,
  logins: Logins,
  { onLogin, ...options }: PlanOptions & GuardOptions,
): Promise<GuardResult> {
  const begun = await beginLogin(context, logins, options);
  if (begun.ok && onLogin !== undefined) tellWatcher(begun.login, onLogin);
  return withUnusedPage(begun.ok ? await begun.login.result : begun.result, options.page);
}

/** What was to be done at a page is told where no guard had one to show: the login may say less than was meant. */
function withUnusedPage(result: GuardResult, page: LoginOptions["page"]): GuardResult {
  const isMeant =
    typeof page === "object" && saysWhatToDo(page) && (result.outcome === "granted" || result.outcome === "denied");
  const wasAsked = result.stages.some(({ rows = [] }) => rows.some((row) => rowsToPage.includes(row)));
  if (!isMeant || wasAsked) return result;
  const what = "code" in page ? "a code" : "error" in page ? "an error" : "what to do at a page";
  const warning = `${what} was given, but no guard of this login asked for its user`;
  return { ...result, warnings: [...result.warnings, warning] };
}

/** `{ fill: {} }` is for whatever page may come. */
function saysWhatToDo(page: Exclude<PageOption, "wait">): boolean {
  if ("code" in page || "error" in page) return true;
  const { fill = {}, press } = "browser" in page ? page.browser : page;
  return press !== undefined || Object.keys(fill).length > 0;
}

/** Rows of the table of interface 3.1 that lead to a page. */
const rowsToPage = loginTable.filter(({ next }) => next === "awaiting user").map(({ row }) => row);

/**
 * Plays a user who does every stage right, after having failed it as often as asked, and leaves the pages of guards to
 * the visitor. A `manual` one leaves the stages to the user at the terminal or in the browser.
 */
function scriptedPerson(
  { clock }: SimulatorContext,
  user: User,
  { fail = {}, manual = false }: LoginOptions,
  visit: PageVisitor,
): LoginPerson {
  return {
    atStage(login, stage, failures) {
      if (manual) return;
      const input = failures < (fail[stage] ?? 0) ? wrongInput : rightInput;
      login.enter(input(stage, user, clock.now()));
    },
    atPage: visit,
  };
}
