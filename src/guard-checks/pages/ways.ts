import { keptCookies } from "../../browser/cookies.ts";
import { obstacleOf } from "../../browser/fill-form.ts";
import type { FormControl } from "../../browser/html-form.ts";
import type { VerifyContext } from "../../checking/verify-context.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { Exchange } from "../../journal/exchange.ts";
import type { InstalledGuard, Person } from "../call.ts";
import { pageOf, returnOf } from "./answer.ts";
import { saysNo } from "./buttons.ts";
import {
  type FormRefusal,
  findPageWays,
  howToTell,
  type PageWalk,
  type PageWay,
  type PageWays,
  walkAsPerson,
} from "./walk.ts";

/** Maximum number of buttons that are tried. */
const MOST_BUTTONS = 6;

/**
 * Finds out how to pass and how to fail the page of a redirect guard: as configured, or else by sending its form
 * unchanged, with each of its buttons. A user who is sent back to a wrong address counts as sent back: checks judge how.
 * @param person who is asked to interact
 */
export async function findFormWays(
  context: VerifyContext,
  choices: ChoiceReader,
  guard: InstalledGuard,
  person: Person,
): Promise<PageWays> {
  const { key } = guard.module;
  const configured = context.config.verify.guards[key];
  const found: { pass: PageWay | null; fail: PageWay | null } = { pass: null, fail: null };
  let deadEnd: PageWay | null = null;
  // Both a code and an error came back: this counts as passing, unless another way passes.
  let ambiguous: PageWay | null = null;
  const attempt = async (answers: NonNullable<typeof configured>["pass"]): Promise<PageWalk> => {
    const { fill = {}, press } = answers ?? {};
    const way: PageWay = { by: "forms", answers: { fill, ...(press === undefined ? {} : { press }) } };
    const walk = await walkAsPerson(context, choices, guard, person, way);
    const last = walk.exchanges.at(-1);
    const back = last === undefined ? null : returnOf(last);
    const isNo = typeof press === "string" && saysNo(press);
    const hasCode = back?.code.some(isText) === true;
    const hasError = back?.error.some(isText) === true;
    if (hasCode && !hasError) found.pass ??= way;
    else if (hasCode && !isNo) ambiguous ??= way;
    else if (back !== null) found.fail ??= way;
    else if (isNo) deadEnd ??= way;
    return walk;
  };
  const first = await attempt(configured?.pass);
  for (const press of configured?.pass === undefined ? first.buttons.slice(0, MOST_BUTTONS) : []) {
    if (found.pass === null || found.fail === null) await attempt({ press });
  }
  if (configured?.fail !== undefined) {
    const { fill = {}, press } = configured.fail;
    found.fail = { by: "forms", answers: { fill, ...(press === undefined ? {} : { press }) } };
  }
  found.pass ??= ambiguous;
  const opened = first.exchanges.find(({ response }) => response?.status === 200);
  // A browser takes seconds, and achieves nothing more on a page without scripts.
  const needsBrowser = found.pass === null && opened !== undefined && pageOf(opened)?.hasScripts === true;
  if (needsBrowser) return findPageWays(context, choices, guard, person);
  const reason = `${first.trouble?.reason ?? "its page came back with an error"}; ${howToTell(key)}`;
  const isStranded = found.pass === null && found.fail === null;
  return {
    ...found,
    fail: found.fail ?? deadEnd,
    reason,
    isBrowsed: false,
    refusal: isStranded ? refusalOf(first) : null,
  };
}

/** How the app refused the form of its page although there is nothing to fill in; null: it did not, or there is. */
function refusalOf({ exchanges, trouble }: PageWalk): FormRefusal | null {
  const before = exchanges.slice(0, -1);
  const sent = exchanges.at(-1);
  const status = sent?.response?.status ?? 0;
  const page = before.map(pageOf).findLast((each) => each !== null && each.forms.length > 0);
  if (page == null || sent?.request.method !== "POST" || status < 400 || trouble === null) return null;
  const controls = page.forms.flatMap((form) => form.controls);
  if (controls.some((control) => obstacleOf(control) === null)) return null;
  const isLost = keptCookies(before).length === 0 && !bringsTicket(sent, before, controls);
  return {
    says: [trouble.reason, trouble.hint].filter((part) => part !== null).join("; "),
    isFinal: isLost || status >= 500,
  };
}

/** Whether a form may say which login it belongs to: by a hidden field, or by an id in its URL. */
function bringsTicket(sent: Exchange, [opened]: readonly Exchange[], controls: readonly FormControl[]): boolean {
  const { pathname, searchParams } = new URL(sent.request.url);
  const own = opened === undefined ? [] : new URL(opened.request.url).pathname.split("/");
  return (
    controls.some((control) => control.kind === "hidden" && isText(control.value)) ||
    [...searchParams.values()].some(isText) ||
    pathname.split("/").some((part) => /\d/.test(part) && !own.includes(part))
  );
}

function isText(value: string): boolean {
  return value !== "";
}
