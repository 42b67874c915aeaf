import { buttonsNamed, buttonsOf } from "../../../browser/fill-form.ts";
import { missingFields } from "../../../browser/html-form.ts";
import type { CheckFacts } from "../../../checking/check.ts";
import { encodeRequest } from "../../../checking/request-parts.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { ChoiceReader } from "../../../config/choices.ts";
import type { Config } from "../../../config/schema.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { type InstalledGuard, makeFirstCall, type Person } from "../../call.ts";
import { guardLines } from "../../config-lines.ts";
import { saysNo } from "../form/buttons.ts";
import { hasCode, isPassed, pageOf, returnOf } from "./answer.ts";
import {
  deadEndOf,
  formRefusalOf,
  isFilled,
  MOST_BUTTONS,
  type PageObstacle,
  pageFailureOf,
  type TriedWay,
  troubleText,
} from "./page-obstacles.ts";
import { pageRequest } from "./page-request.ts";
import { type PageWalk, type PageWay, walkPage } from "./walk.ts";

/** Who walks the page of which guard. */
export interface PageWalker {
  readonly choices: ChoiceReader;
  readonly guard: InstalledGuard;
  /** Somebody whom the guard asks to interact. */
  readonly person: Person;
}

/** The known ways to pass and to fail a page. */
export interface PageWays {
  readonly pass: PageWay | null;
  readonly fail: PageWay | null;
  /** What kept the page from being failed as configured; null: nothing did; default: not known. */
  readonly failTrouble?: string | null;
  /** Why no way to pass the page is known. */
  readonly reason: string;
  /** What the page has instead of what is configured; null: nothing is known; default: not known. */
  readonly hint?: string | null;
  /** Whether it needs a browser. */
  readonly isBrowsed: boolean;
  /** Whether it ended at a page without a form, but with a single link, which a user may press; default: not known. */
  readonly hasLinkLeft?: boolean;
  /** The status of the server error in which it ended over HTTP; null: in none; default: not known. */
  readonly failed?: number | null;
  /** Why nobody seems to pass a page on which there is nothing to do but to press its buttons; default: not known. */
  readonly obstacle?: PageObstacle | null;
}

/** Why a page was not passed, with the lines of configuration that say how to pass it, unless it has them. */
export function untilTold(reason: string, { verify }: Config, key: string): string {
  return verify.guards[key]?.pass === undefined ? `${reason}; ${howToTell(key)}` : reason;
}

/** The lines of configuration that say how to pass the page of a guard. */
export function howToTell(key: string): string {
  const lines = guardLines(key, { pass: { fill: { FIELD: "VALUE" }, press: "BUTTON" } });
  return `to enable this, set in the config file how to pass its page: ${lines}`;
}

/** What to do about a check of a page that is right, but not passed by pressing its buttons. */
export function leaveOutHint({ id }: CheckFacts): string {
  return `If a user has to do something else to pass, leave this check out: --skip ${id}.`;
}

/**
 * Makes the first call, and walks the page of the guard with a new token and a new state. An app may show the page only
 * to users whom it has asked.
 */
export async function walkAsPerson(context: VerifyContext, walker: PageWalker, way: PageWay): Promise<PageWalk> {
  const { choices, guard, person } = walker;
  await makeFirstCall(context, walker, person);
  const state = context.ids.secret();
  const request = await pageRequest(context, choices, guard, { ...person, state });
  return walkPage(context, { guard, url: encodeRequest(request).url, state, way, person });
}

/** What the walks of a page have shown so far. */
interface FoundByWalks {
  /** The first way that brought a code. */
  readonly pass: PageWay | null;
  /** The first way that brought an error. */
  readonly fail: PageWay | null;
  /** The first trouble; empty: there was none. */
  readonly trouble: string;
  /** Whether the app showed a page, so that its owner could say how to pass it. */
  readonly isReached: boolean;
  readonly hasScripts: boolean;
  /** The status of the first server error in which a walk over HTTP ended; null: none did. */
  readonly failed: number | null;
  /** The walks so far. */
  readonly walks: readonly TriedWay[];
}

/**
 * Finds out how to pass and how to fail the page of a guard: as configured, or else by sending its form unchanged, with
 * each of its buttons. Codes that come of it are not used.
 */
export async function findPageWays(context: VerifyContext, walker: PageWalker): Promise<PageWays> {
  const { key, type } = walker.guard.module;
  const isFrame = type === "frame";
  const nothing = { pass: null, fail: null, trouble: "", isReached: false, failed: null, walks: [] };
  let found: FoundByWalks = { ...nothing, hasScripts: isFrame };
  for (const by of isFrame ? (["browser"] as const) : (["forms", "browser"] as const)) {
    // A browser takes seconds, and achieves nothing more on a page without scripts.
    if (found.pass !== null || (by === "browser" && !found.hasScripts)) break;
    const tried = await tryButtons(context, walker, by, { ...found, trouble: "", walks: [] });
    found = { ...tried, trouble: tried.trouble || found.trouble };
  }
  const { pass, trouble, isReached, hasScripts, walks } = found;
  const configured = context.config.verify.guards[key]?.fail;
  const fail = configured === undefined || pass === null ? found.fail : wayWith(pass.by, configured);
  const why = trouble || "its page came back with an error";
  return {
    pass,
    fail,
    reason: isReached ? untilTold(why, context.config, key) : why,
    isBrowsed: hasScripts,
    failed: found.failed,
    obstacle: pass === null ? deadEndOf(walks) : null,
  };
}

/** Walks the page as configured, or else unchanged and with each of its buttons, until it was passed and failed. */
async function tryButtons(
  context: VerifyContext,
  walker: PageWalker,
  by: PageWay["by"],
  before: FoundByWalks,
): Promise<FoundByWalks> {
  const configured = context.config.verify.guards[walker.guard.module.key]?.pass;
  const first = wayWith(by, configured);
  const walk = await walkAsPerson(context, walker, first);
  let found = withWalk(before, first, walk);
  // Only if nothing is configured: the owner may not want other buttons pressed.
  for (const press of configured === undefined ? walk.buttons.slice(0, MOST_BUTTONS) : []) {
    if ((found.pass !== null && found.fail !== null) || context.signal?.aborted === true) break;
    const way = wayWith(by, { press });
    found = withWalk(found, way, await walkAsPerson(context, walker, way));
  }
  return found;
}

function withWalk(before: FoundByWalks, way: PageWay, walk: PageWalk): FoundByWalks {
  const { outcome, trouble, exchanges } = walk;
  const bringsCode = outcome !== null && "code" in outcome;
  const hasError = outcome !== null && "error" in outcome;
  return {
    pass: before.pass ?? (bringsCode ? way : null),
    fail: before.fail ?? (hasError ? way : null),
    trouble: before.trouble || troubleText(trouble),
    isReached: before.isReached || exchanges.some(isShown),
    hasScripts: before.hasScripts || exchanges.some((exchange) => pageOf(exchange)?.hasScripts === true),
    failed: before.failed ?? (way.by === "forms" && outcome === null ? errorOf(exchanges) : null),
    walks: [...before.walks, { way, walk }],
  };
}

/** The status of the server error in which a walk ended; null: it did not. */
function errorOf(exchanges: readonly Exchange[]): number | null {
  const status = exchanges.at(-1)?.response?.status ?? 0;
  return status >= 500 ? status : null;
}

/** The way that fills in and presses what is configured, or else sends the form unchanged. */
function wayWith(by: PageWay["by"], { fill = {}, press }: ConfiguredAnswers = {}): PageWay {
  return { by, answers: { fill, ...(press === undefined ? {} : { press }) } };
}

/** How the config file says that a page is passed or failed. */
type ConfiguredAnswers = NonNullable<Config["verify"]["guards"][string]["pass"]>;

/** What the walks of a form have shown so far: the first way that did each of these. */
interface FoundByForms {
  /** Brought a code. */
  readonly pass: PageWay | null;
  /** Sent the user back without one. */
  readonly fail: PageWay | null;
  /** Brought both a code and an error, which counts as passing unless another way passes. */
  readonly ambiguous: PageWay | null;
  /** Said no, and led nowhere. */
  readonly deadEnd: PageWay | null;
}

/**
 * Finds out how to pass and how to fail the page of a redirect guard: as configured, or else by sending its form
 * unchanged, with each of its buttons. A user who is sent back to a wrong address counts as sent back: checks judge how.
 */
export async function findFormWays(context: VerifyContext, walker: PageWalker): Promise<PageWays> {
  const { key } = walker.guard.module;
  const configured = context.config.verify.guards[key];
  const usual = wayWith("forms", configured?.pass);
  const first = await walkAsPerson(context, walker, usual);
  let found = withForm({ pass: null, fail: null, ambiguous: null, deadEnd: null }, usual, first);
  const walks: TriedWay[] = [{ way: usual, walk: first }];
  for (const press of configured?.pass === undefined ? first.buttons.slice(0, MOST_BUTTONS) : []) {
    if (found.pass !== null && found.fail !== null) break;
    const way = wayWith("forms", { press });
    const walk = await walkAsPerson(context, walker, way);
    walks.push({ way, walk });
    found = withForm(found, way, walk);
  }
  const pass = found.pass ?? found.ambiguous;
  const { fail, failTrouble } =
    configured?.fail === undefined
      ? { fail: found.fail, failTrouble: null }
      : await configuredFail(context, walker, configured.fail);
  const pages = first.exchanges.filter(({ response }) => response?.status === 200).map(pageOf);
  const last = pages.at(-1);
  // A browser takes seconds, and achieves nothing more on pages without scripts.
  const needsBrowser = pass === null && pages.some((page) => page?.hasScripts === true);
  if (needsBrowser) return findPageWays(context, walker);
  const isStranded = pass === null && fail === null;
  const obstacle = pass === null ? deadEndOf(walks) : null;
  const why = first.trouble?.reason ?? "its page came back with an error";
  return {
    pass,
    fail: fail ?? found.deadEnd,
    failTrouble,
    hint: first.trouble?.hint ?? null,
    reason: first.exchanges.some(isShown) ? untilTold(why, context.config, key) : why,
    isBrowsed: false,
    hasLinkLeft: last?.forms.length === 0 && last.links.length === 1,
    obstacle: (isStranded ? (pageFailureOf(first) ?? formRefusalOf(first)) : null) ?? obstacle,
  };
}

/** How the page is failed as configured. */
interface ConfiguredFail {
  /** Null: the page has no such button, and the user passes. */
  readonly fail: PageWay | null;
  /** What kept the walk from sending any form; null: nothing did. */
  readonly failTrouble: string | null;
}

const ASKED_AGAIN = "after its button was pressed, the page asks again";

/** Whether the page asks again although nothing was filled in that might be wrong. */
function isAskedAgain({ outcome, exchanges }: PageWalk, { fill = {} }: ConfiguredAnswers): boolean {
  const last = exchanges.at(-1);
  if (outcome !== null || last?.response == null || Object.keys(fill).length > 0) return false;
  return last.response.status < 500 && (pageOf(last)?.forms ?? []).length > 0;
}

/** Finds out whether the page can be failed as configured. */
async function configuredFail(
  context: VerifyContext,
  walker: PageWalker,
  answers: ConfiguredAnswers,
): Promise<ConfiguredFail> {
  const way = wayWith("forms", answers);
  if (answers.press === undefined) return { fail: way, failTrouble: null };
  const walk = await walkAsPerson(context, walker, way);
  const { exchanges, trouble, hasPressedAll } = walk;
  if (!hasPressedAll && isPassed(exchanges.at(-1) ?? null)) return { fail: null, failTrouble: null };
  if (hasPressedAll && isAskedAgain(walk, answers)) return { fail: null, failTrouble: ASKED_AGAIN };
  // A form that was sent may be shown again, with its required fields empty.
  const isUnsent = !hasPressedAll && trouble !== null && isBlocked(exchanges, [answers.press].flat());
  return isUnsent ? { fail: null, failTrouble: trouble.reason } : { fail: way, failTrouble: null };
}

/**
 * Whether a walk ended at a page on which one of these buttons belongs to a form that no browser sends, because required
 * fields are empty. A script may do anything with it.
 */
function isBlocked(exchanges: readonly Exchange[], presses: readonly string[]): boolean {
  const last = exchanges.at(-1);
  const page = last === undefined ? null : pageOf(last);
  if (page === null || page.hasScripts) return false;
  return page.forms.some((form) => {
    const named = presses.flatMap((press) => buttonsNamed(buttonsOf(form), press));
    return named.some((button) => button.kind === "submit" && missingFields(form, button).length > 0);
  });
}

function isShown({ response }: Exchange): boolean {
  return response !== null && response.status < 400;
}

function withForm(before: FoundByForms, way: PageWay, { exchanges }: PageWalk): FoundByForms {
  const { press } = way.answers;
  const last = exchanges.at(-1);
  const back = last === undefined ? null : returnOf(last);
  const isNo = typeof press === "string" && saysNo(press);
  const bringsCode = hasCode(back);
  const hasError = back?.error.some(isFilled) === true;
  if (bringsCode && !hasError) return { ...before, pass: before.pass ?? way };
  if (bringsCode && !isNo) return { ...before, ambiguous: before.ambiguous ?? way };
  if (back !== null) return { ...before, fail: before.fail ?? way };
  return isNo ? { ...before, deadEnd: before.deadEnd ?? way } : before;
}
