import { SEARCH } from "../checking/evidence.ts";
import { readGuardReply } from "../checking/reply.ts";
import { sendTo, taggedContext } from "../checking/subject.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { ChoiceReader } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import { guardCall, guardRequest, type InstalledGuard, makeFirstCall, type Person } from "../guard-checks/call.ts";
import { findPeople } from "../guard-checks/candidates.ts";
import { guardLines, howToFail, SOMEBODY } from "../guard-checks/config-lines.ts";

import type { PageWay } from "../guard-checks/pages/walk/walk.ts";
import {
  findFormWays,
  findPageWays,
  type PageWalker,
  type PageWays,
  walkAsPerson,
} from "../guard-checks/pages/walk/ways.ts";
import { UsageError } from "../protocol/usage-error.ts";

export type GuardSettings = Config["verify"]["guards"][string];

interface Search {
  readonly context: VerifyContext;
  readonly choices: ChoiceReader;
  readonly run: number;
}

/** Settings of `verify` for one guard, and what only its owner knows. */
interface ProposedGuard {
  readonly found: GuardSettings;
  readonly warnings: readonly string[];
}

/** Works out whom a guard lets in and whom it denies, and how its page is passed and failed. */
export async function proposeGuard(search: Search, guard: InstalledGuard): Promise<ProposedGuard> {
  const { config } = search.context;
  const { key, type } = guard.module;
  const people = await findPeople(search, guard, `guard.first:${key}`);
  // Users that are not configured exist only for one run.
  const isConfigured = ({ user }: Person) => config.users.includes(user);
  const passes = people.passes !== null && isConfigured(people.passes) ? people.passes : null;
  const asked = people.asked.filter(isConfigured);
  const page = type === "direct" || asked.length === 0 ? null : await proposePage(search, guard, asked);
  const [denied] = page?.isRemembered === true ? [] : asked;
  const found = {
    ...(passes === null ? {} : { lets: somebody(passes) }),
    ...(denied === undefined ? {} : { denies: somebody(denied) }),
    ...page?.answers,
  };
  const isAsking = type !== "direct" && asked.length > 0;
  return {
    found,
    warnings: [
      ...(passes === null && !isAsking
        ? [telling(`nobody was let in by ${key}: if it lets somebody in`, key, { lets: SOMEBODY })]
        : []),
      ...(asked.length === 0
        ? [telling(`nobody was denied by ${key}: if it denies somebody`, key, { denies: SOMEBODY })]
        : []),
      ...(page?.warnings ?? []),
    ],
  };
}

function somebody({ user, ipAddress }: Person) {
  return { user: user.role, ip: ipAddress };
}

/** What could not be found out, with the lines to add. */
function telling(what: string, key: string, lines: object): string {
  return `${what}, name them: ${guardLines(key, lines)}`;
}

interface ProposedPage {
  readonly answers: Pick<GuardSettings, "pass" | "fail">;
  /** Whether the guard no longer asks users who have passed its page. */
  readonly isRemembered: boolean;
  readonly warnings: readonly string[];
}

/** How many users try the page. */
const MOST_WALKERS = 3;
/** On a page that leads nowhere, such as in an app configured for another platform, each walk takes its full time. */
const PAGE_LIMIT_MS = 15_000;

async function proposePage(search: Search, guard: InstalledGuard, asked: readonly Person[]): Promise<ProposedPage> {
  const { signal, clock } = search.context;
  const [over, done] = [new AbortController(), new AbortController()];
  void clock.pause(PAGE_LIMIT_MS, done.signal).then(() => over.abort());
  const within = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    return await walkPages({ ...search, context: { ...search.context, signal: within } }, guard, asked);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return {
      answers: {},
      isRemembered: false,
      warnings: [`the page of ${guard.module.key} was not tried: ${error.message}`],
    };
  } finally {
    done.abort();
  }
}

async function walkPages(
  { context, choices, run }: Search,
  guard: InstalledGuard,
  asked: readonly Person[],
): Promise<ProposedPage> {
  const { key, type } = guard.module;
  const tagged = taggedContext(context, { run, subject: `guard.final:${key}`, id: null, role: SEARCH });
  const find = type === "frame" ? findPageWays : findFormWays;
  let reason = "";
  for (const person of asked.slice(0, MOST_WALKERS)) {
    if (context.signal?.aborted === true) break;
    const walker = { choices, guard, person };
    const ways: PageWays = await find(tagged, walker);
    reason ||= ways.reason;
    if (ways.pass === null) continue;
    const { way, code } = await namedWay(tagged, walker, ways.pass);
    const fail = ways.fail === null ? null : answersOf(ways.fail);
    return {
      answers: { pass: answersOf(way), ...(fail === null ? {} : { fail }) },
      isRemembered: code !== null && (await isLetInAfter(tagged, walker, code)),
      warnings: fail === null ? [`no attempt to fail the page of ${key} succeeded: ${howToFail(key)}`] : [],
    };
  }
  return { answers: {}, isRemembered: false, warnings: [`the page of ${key} was not passed: ${reason}`] };
}

function answersOf({ answers: { fill = {}, press } }: PageWay): NonNullable<GuardSettings["pass"]> {
  const pressed = press === undefined ? {} : { press: typeof press === "string" ? press : [...press] };
  return { ...(Object.keys(fill).length === 0 ? {} : { fill }), ...pressed };
}

/** The walk with the name of its button, if it presses the first one of a single form; and a code from it. */
async function namedWay(
  context: VerifyContext,
  walker: PageWalker,
  way: PageWay,
): Promise<{ readonly way: PageWay; readonly code: string | null }> {
  const walk = await walkAsPerson(context, walker, way);
  const codeOf = ({ outcome }: typeof walk) => (outcome !== null && "code" in outcome ? outcome.code : null);
  const [first] = walk.buttons;
  if (way.answers.press !== undefined || first === undefined) return { way, code: codeOf(walk) };
  const named = { ...way, answers: { ...way.answers, press: first } };
  const code = codeOf(await walkAsPerson(context, walker, named));
  return code === null ? { way, code: codeOf(walk) } : { way: named, code };
}

/** Whether the first call lets in users who have just passed the page: then it is unknown whom the guard will ask. */
async function isLetInAfter(
  context: VerifyContext,
  { choices, guard, person }: PageWalker,
  code: string,
): Promise<boolean> {
  const request = await guardRequest(context, choices, guard, { ...person, code });
  await sendTo({ module: guard.module.key, call: guardCall }, context, request);
  const answer = await makeFirstCall(context, { choices, guard }, person);
  return readGuardReply(answer).kind === "accepted";
}
