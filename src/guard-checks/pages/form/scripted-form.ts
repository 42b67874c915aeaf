import { isTwin, type TwinCheck } from "../../../checking/check.ts";
import { checkResult } from "../../../checking/check-result.ts";
import { encodeRequest } from "../../../checking/request-parts.ts";
import { sendTo } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";
import { faulty, PASSED } from "../../../checking/verdict.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { type InstalledGuard, makeFirstCall, type Person } from "../../call.ts";
import { type LoginChanges, openRequest, pageCall } from "../walk/login.ts";
import { type PageWalk, type PageWay, walkPage } from "../walk/walk.ts";
import { formTokenChecks } from "./form-checks.ts";

/** The changes of the token that are tried in a browser, where each takes seconds. */
const WALKED = ["missing", "other-secret", "alg-none", "payload-changed", "expired"].map(
  (name) => `page.form-token.${name}`,
);

const walkedTwins = formTokenChecks.filter(isTwin).filter(({ id }) => WALKED.includes(id));

/** The page of a redirect guard that needs its scripts. */
export interface ScriptedPage {
  readonly guard: InstalledGuard;
  readonly person: Person;
  /** How a browser passes the page. */
  readonly way: PageWay;
  /** How it has just done so. */
  readonly passed: PageWalk;
  /** How a browser fails the page; null: it is unknown. */
  readonly fail: PageWay | null;
}

type Walker = Pick<ScriptedPage, "guard" | "person"> & Pick<Verification, "choices">;

/** Makes the first call, and walks the page of a new login in a browser. */
export async function walkScripted(
  context: VerifyContext,
  walker: Walker,
  way: PageWay,
  changes: LoginChanges = {},
): Promise<PageWalk> {
  await makeFirstCall(context, walker, walker.person);
  const { state, ...right } = await openRequest(context, walker, walker.person, changes);
  const { guard, person } = walker;
  return walkPage(context, { guard, url: encodeRequest(right).url, state, way, person });
}

/** How a page took a changed token. */
interface TriedToken {
  readonly isPassed: boolean;
  readonly exchanges: readonly Exchange[];
}

/**
 * Opens the page with a changed token over HTTP, and walks it if it is shown: at one that is not, a browser would wait
 * for nothing.
 * @returns null: there is nothing to change
 */
async function tryToken(
  context: VerifyContext,
  walker: Walker,
  way: PageWay,
  check: TwinCheck,
): Promise<TriedToken | null> {
  const { guard, person } = walker;
  const open = async () => {
    await makeFirstCall(context, walker, person);
    const { state, ...right } = await openRequest(context, walker, person);
    return { state, twin: check.twin(right, guard.installed.app, "") };
  };
  const { twin: first } = await open();
  if (first === null) return null;
  const shown = await sendTo({ module: guard.module.key, call: pageCall }, context, first);
  if ((shown.response?.status ?? 0) >= 400) return { isPassed: false, exchanges: [shown] };
  const { state, twin } = await open();
  if (twin === null) return null;
  const walk = await walkPage(context, { guard, url: encodeRequest(twin).url, state, way, person });
  return { isPassed: bringsCode(walk), exchanges: walk.exchanges };
}

/**
 * Checks of the token, for a page whose scripts send it: a browser opens the page with a changed token, and does what
 * passes it with the correct one.
 */
export async function judgeScriptedTokens(
  { choices, wants }: Pick<Verification, "choices" | "wants">,
  context: VerifyContext,
  page: ScriptedPage,
): Promise<CheckResult[]> {
  const { guard, way } = page;
  const walker = { ...page, choices };
  const about = { title: `form of ${guard.module.key}`, module: guard.module.key };
  const all: { check: TwinCheck; tried: TriedToken }[] = [];
  for (const check of walkedTwins.filter(wants)) {
    if (context.signal?.aborted === true) return [];
    const tried = await tryToken(context, walker, way, check);
    if (tried !== null) all.push({ check, tried });
  }
  if (all.length === 0) return [];
  const isStillPassed = bringsCode(await walkScripted(context, walker, way));
  return all.map(({ check, tried }) =>
    checkResult(about, check, verdictOn(check, tried, isStillPassed), tried.exchanges),
  );
}

function verdictOn(check: TwinCheck, { isPassed }: TriedToken, isStillPassed: boolean) {
  if (isPassed) return faulty(check, "a browser that opened the page with it came back with a code");
  if (isStillPassed) return PASSED;
  return {
    result: "inconclusive",
    reason: "with the correct token after it, a browser came back without a code",
  } as const;
}

/** Whether a walk brought the user back with a code. */
export function bringsCode({ outcome }: PageWalk): boolean {
  return outcome !== null && "code" in outcome;
}
