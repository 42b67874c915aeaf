import type { User } from "../../config/schema.ts";
import { findUser } from "../../config/users.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { hasGuards } from "../exit-code.ts";
import { type GuardResult, NOTHING_CHECKED } from "../guard-result.ts";
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
 * @throws UsageError for a user or a guard that does not exist, or a manifest that is not valid
 */
export async function beginLogin(context: VisitContext, logins: Logins, options: PlanOptions): Promise<Begun> {
  return begin(context, logins, options, pageVisitor(context, logins, options.page ?? null));
}

/** One login from password to its end. */
export async function runLogin(
  context: VisitContext,
  logins: Logins,
  { onLogin, ...options }: PlanOptions & GuardOptions,
): Promise<GuardResult> {
  const visitor = pageVisitor(context, logins, options.page ?? null);
  const begun = await begin(context, logins, options, visitor);
  if (begun.ok && onLogin !== undefined) tellWatcher(begun.login, onLogin);
  return begun.ok ? withUnused(withGuards(await begun.login.result), options.page, visitor) : begun.result;
}

/** Without guards a user gets in, but `guard()` is about how the app's guards decide. */
function withGuards(result: GuardResult): GuardResult {
  if (result.outcome !== "granted" || hasGuards(result)) return result;
  return {
    ...result,
    outcome: "failed",
    reason: NOTHING_CHECKED,
    hint: "does the manifest declare a guard, with its type? `app-sim manifest` shows how the platform reads it",
    failure: "other",
    warnings: result.warnings.filter((warning) => warning !== NOTHING_CHECKED),
  };
}

function begin(
  context: VisitContext,
  logins: Logins,
  options: PlanOptions,
  visitor: PageVisitor,
): ReturnType<Logins["begin"]> {
  const user = findUser(context.config, options.user ?? context.config.login.user);
  return logins.begin(user, options, scriptedPerson(context, user, options, visitor), context);
}

/** Warns of page instructions that no guard had a page for: the login may prove less than intended. */
function withUnused(result: GuardResult, page: LoginOptions["page"], visitor: PageVisitor): GuardResult {
  if (typeof page !== "object" || !saysWhatToDo(page)) return result;
  const { outcome, stages } = result;
  const wasAsked = stages.some(({ rows = [] }) => rows.some((row) => rowsToPage.includes(row)));
  // A denied user never reaches the pages of later guards.
  const unused = wasAsked && outcome === "granted" ? visitor.unused() : null;
  if (unused !== null) return withWarning(result, `no page of this login had ${unused}`);
  if (wasAsked || (outcome !== "granted" && outcome !== "denied")) return result;
  const unusedPart =
    "code" in page
      ? "the code was not used"
      : "error" in page
        ? "the error was not used"
        : "nothing was pressed or filled in";
  return withWarning(result, `no guard of this login opened its page, so ${unusedPart}`);
}

function withWarning(result: GuardResult, warning: string): GuardResult {
  return { ...result, warnings: [...result.warnings, warning] };
}

/** `{ fill: {} }` works for any page. */
function saysWhatToDo(page: Exclude<PageOption, "wait">): boolean {
  if ("code" in page || "error" in page) return true;
  const { fill = {}, press } = "browser" in page ? page.browser : page;
  return press !== undefined || Object.keys(fill).length > 0;
}

/** Rows of the table of interface 3.1 that lead to a page. */
const rowsToPage = loginTable.filter(({ next }) => next === "awaiting user").map(({ row }) => row);

/**
 * Plays a user who completes every stage, after failing it as often as asked, and leaves the pages of guards to the
 * visitor. If `manual`, the stages are left to the user at the terminal or in the browser.
 */
function scriptedPerson(
  { clock }: SimulatorContext,
  user: User,
  { fail = {}, manual = false }: LoginOptions,
  visitor: PageVisitor,
): LoginPerson {
  return {
    atStage(login, stage, failures) {
      if (manual) return;
      const input = failures < (fail[stage] ?? 0) ? wrongInput : rightInput;
      login.enter(input(stage, user, clock.now()));
    },
    atPage: visitor.visit,
  };
}
