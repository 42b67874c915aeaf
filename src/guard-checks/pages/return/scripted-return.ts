import type { Evidence, Verdict } from "../../../checking/check.ts";
import { checkResult } from "../../../checking/check-result.ts";
import type { Verification } from "../../../checking/unit.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { CheckResult } from "../../../checking/verify-result.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { recordBody } from "../../../journal/journal.ts";
import { saysNo } from "../form/buttons.ts";
import { bringsCode, type ScriptedPage, walkScripted } from "../form/scripted-form.ts";
import type { PagePlatform } from "../opening/opened-page.ts";
import { readSentForm } from "../walk/answer.ts";
import type { LoginChanges } from "../walk/login.ts";
import { contextClaimOf } from "../walk/tools.ts";
import type { PageWalk, PageWay } from "../walk/walk.ts";
import { failedPageChecks } from "./error-checks.ts";
import { leadingQueries } from "./lead-away-check.ts";
import type { ReturnCheck } from "./page-return.ts";
import { otherDomainClaims, returnChecks } from "./return-checks.ts";
import { oddState, oddStatesOf, RESERVED, rolesOf } from "./state-checks.ts";

/** A walk of a check. */
interface TriedReturn {
  /** The roles of the request that opened the page, and of how the walk ended. */
  readonly opened: string;
  readonly returned: string;
  readonly walk: PageWalk;
}

/** Walks the page of a new login. */
type Walking = (way: PageWay, changes?: LoginChanges) => Promise<PageWalk>;

/** What the returns of a page that needs its scripts are judged by. */
interface ScriptedReturns {
  readonly page: ScriptedPage;
  readonly context: VerifyContext;
  readonly contextClaim: ReturnType<typeof contextClaimOf>;
  readonly walk: Walking;
  /** How the user fails the page, as it ended; null: it is unknown how. */
  readonly failed: PageWalk | null;
}

/** Checks that look at a return as it is. */
const LOOKING = ["address", "query", "outcome", "empty-error", "state", "no-token"].map(
  (name) => `page.return.${name}`,
);
const FAILING = ["returned", "way", "words", "encoded", "empty-code"].map((name) => `page.error.${name}`);

/**
 * Checks of how a page sends its user back, for a page that needs its scripts: a browser walks it, and the address to
 * which it goes is judged as that of a redirect would be.
 */
export async function judgeScriptedReturn(
  { choices, wants }: Pick<Verification, "choices" | "wants">,
  context: VerifyContext,
  page: ScriptedPage,
  platform: PagePlatform,
): Promise<CheckResult[]> {
  const checks = [...returnChecks(platform), ...failedPageChecks(platform)].filter(wants);
  const about = { title: `form of ${page.guard.module.key}`, module: page.guard.module.key };
  const walk: Walking = (way, changes) => walkScripted(context, { ...page, choices }, way, changes);
  const isFailing = checks.some(({ id }) => id.startsWith("page.error."));
  const failed = page.fail === null || !isFailing ? null : await walk(page.fail);
  const contextClaim = contextClaimOf({ context, choices, guard: page.guard, person: page.person });
  const returns: ScriptedReturns = { page, context, contextClaim, walk, failed };
  const judged: { check: ReturnCheck; verdict: Verdict; exchanges: readonly Exchange[] }[] = [];
  for (const check of checks) {
    if (context.signal?.aborted === true) return [];
    const tried = await walksOf(check, returns);
    if (tried === null) continue;
    const verdict = check.judge(evidenceIn(page, tried));
    judged.push({ check, verdict, exchanges: tried.flatMap((each) => each.walk.exchanges) });
  }
  if (judged.some(({ verdict }) => verdict.result !== "pass") && !bringsCode(await walk(page.way))) return [];
  return judged.map(({ check, verdict, exchanges }) => checkResult(about, check, verdict, exchanges));
}

/** Makes the walks of a check; null: it needs requests that a browser does not make, or the page leads nowhere. */
async function walksOf(check: ReturnCheck, returns: ScriptedReturns): Promise<TriedReturn[] | null> {
  const { page, context, contextClaim, walk, failed } = returns;
  const { id } = check;
  const passing = (changes: () => LoginChanges, index = 0) => tried(walk, page.way, changes, rolesOf(index));
  if (LOOKING.includes(id)) return [{ ...rolesOf(0), walk: page.passed }];
  const withOdd = (odd: string) => () => ({ state: oddState(context.ids.secret(), odd) });
  const odds = oddStatesOf(id);
  if (odds.length > 0) return inTurn(odds.map((odd, index) => () => passing(withOdd(odd), index)));
  if (id === "page.return.domain") return inTurn([() => passing(() => ({ claims: otherDomainClaims(contextClaim) }))]);
  if (id === "page.return.lead-away") {
    const changes = () => ({ query: leadingQueries()[0] ?? {} });
    const led = await passing(changes);
    const failed = page.fail && (await tried(walk, page.fail, changes, inOneRole("failed")));
    // A page that refuses these parameters, or whose policy keeps its form back, shows nothing about other browsers.
    const shown = [led, failed].filter((each) => each !== null).filter((each) => each.walk.callback !== null);
    return shown.length === 0 ? null : shown;
  }
  if (failed !== null && failed.callback !== null && FAILING.includes(id))
    return [{ ...inOneRole("returned"), walk: failed }];
  if (page.fail !== null && failed !== null && failed.callback !== null && id === "page.error.state") {
    const again = await tried(walk, page.fail, withOdd(RESERVED), inOneRole("reserved"));
    return [{ ...inOneRole("returned"), walk: failed }, again];
  }
  const no = page.passed.buttons.find(saysNo);
  if (id !== "page.error.decline" || no === undefined) return null;
  const declined = await tried(walk, { ...page.way, answers: { fill: {}, press: no } }, () => ({}), {
    opened: "opened",
    returned: "declined",
  });
  return declined.walk.callback === null ? null : [declined];
}

function inOneRole(role: string) {
  return { opened: role, returned: role };
}

async function inTurn(walks: readonly (() => Promise<TriedReturn>)[]): Promise<TriedReturn[]> {
  const all: TriedReturn[] = [];
  for (const walk of walks) all.push(await walk());
  return all;
}

/**
 * Walks the page; twice if it leads nowhere: a busy machine may be the reason, which is unlikely twice.
 * @param changes makes those of each login: no two may have the same state
 */
async function tried(
  walk: Walking,
  way: PageWay,
  changes: () => LoginChanges,
  roles: Pick<TriedReturn, "opened" | "returned">,
): Promise<TriedReturn> {
  const first = await walk(way, changes());
  return { ...roles, walk: first.callback === null ? await walk(way, changes()) : first };
}

/** The walks as a check sees requests over HTTP, with the page's last step as a redirect to where it went. */
function evidenceIn({ guard, passed }: ScriptedPage, walks: readonly TriedReturn[]): Evidence {
  const steps = walks.flatMap(({ opened, returned, walk }) => {
    const [first] = walk.exchanges;
    const end = endOf(walk);
    return [
      ...(first === undefined ? [] : [{ role: opened, exchange: first }]),
      ...(end === null ? [] : [{ role: returned, exchange: end }]),
    ];
  });
  return {
    app: guard.installed.app,
    before: endOf(passed),
    after: null,
    isAfterNext: true,
    control: "accepted",
    steps,
    landing: (exchange) => exchange,
    read: (exchange) => readSentForm(exchange),
  };
}

/** How a walk ended: as an answer that redirects to the address to which the page went, or else its last request. */
function endOf({ callback, exchanges }: PageWalk): Exchange | null {
  const last = exchanges.at(-1) ?? null;
  if (last === null || callback === null) return last;
  const headers = [["Location", callback.href]] as const;
  return { ...last, response: { status: 302, headers, body: recordBody(Buffer.alloc(0)) } };
}
