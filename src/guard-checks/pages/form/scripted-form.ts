import { isTwin, type TwinCheck } from "../../../checking/check.ts";
import { checkResult } from "../../../checking/check-result.ts";
import { encodeRequest } from "../../../checking/request-parts.ts";
import type { Verification } from "../../../checking/unit.ts";
import { faulty, PASSED } from "../../../checking/verdict.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import type { InstalledGuard, Person } from "../../call.ts";
import { makeFirstCall, openRequest } from "../walk/login.ts";
import { type PageWalk, type PageWay, walkPage } from "../walk/walk.ts";
import { walkAsPerson } from "../walk/ways.ts";
import { formTokenChecks } from "./form-checks.ts";

/** The changes of the token that are tried in a browser, where each takes seconds. */
const WALKED = ["missing", "other-secret", "alg-none", "payload-changed", "expired"].map(
  (name) => `page.form-token.${name}`,
);

const walkedTwins = formTokenChecks.filter(isTwin).filter(({ id }) => WALKED.includes(id));

interface ScriptedPage {
  readonly guard: InstalledGuard;
  readonly person: Person;
  /** How a browser passes the page. */
  readonly way: PageWay;
  /** How it has just done so. */
  readonly passed: PageWalk;
}

/**
 * Checks of the token, for a page whose scripts send it: a browser opens the page with a changed token, and does what
 * passes it with the correct one.
 */
export async function judgeScriptedTokens(
  { choices, wants }: Pick<Verification, "choices" | "wants">,
  context: VerifyContext,
  { guard, person, way, passed }: ScriptedPage,
): Promise<CheckResult[]> {
  if (!hasCode(passed)) return [];
  const about = { title: `form of ${guard.module.key}`, module: guard.module.key };
  const walks: { check: TwinCheck; walk: PageWalk }[] = [];
  for (const check of walkedTwins.filter(wants)) {
    if (context.signal?.aborted === true) return [];
    await makeFirstCall(context, { choices, guard }, person);
    const { state, ...right } = await openRequest(context, { choices, guard }, person);
    const twin = check.twin(right, guard.installed.app, "");
    if (twin === null) continue;
    walks.push({ check, walk: await walkPage(context, { guard, url: encodeRequest(twin).url, state, way }) });
  }
  if (walks.length === 0) return [];
  const isStillPassed = hasCode(await walkAsPerson(context, { choices, guard, person }, way));
  return walks.map(({ check, walk }) =>
    checkResult(about, check, verdictOn(check, walk, isStillPassed), walk.exchanges),
  );
}

function verdictOn(check: TwinCheck, walk: PageWalk, isStillPassed: boolean) {
  if (hasCode(walk)) return faulty(check, "a browser that opened the page with it came back with a code");
  if (isStillPassed) return PASSED;
  return {
    result: "inconclusive",
    reason: "with the correct token after it, a browser came back without a code",
  } as const;
}

function hasCode({ outcome }: PageWalk): boolean {
  return outcome !== null && "code" in outcome;
}
