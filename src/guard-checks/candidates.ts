import type { Ids } from "../app-client/ports.ts";
import { SEARCH } from "../checking/evidence.ts";
import { NOTHING_LISTENS, type Reply, readGuardReply, replyTo } from "../checking/reply.ts";
import { taggedContext } from "../checking/subject.ts";
import type { Verification } from "../checking/unit.ts";
import { WENT_DOWN } from "../checking/verdict.ts";
import type { ChoiceReader } from "../config/choices.ts";
import { type Role, roles } from "../config/roles.ts";
import type { Config } from "../config/schema.ts";
import { findUser } from "../config/users.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { GuardModule } from "../platform/manifest.ts";
import { guardExemption } from "../platform/modules.ts";
import { type InstalledGuard, makeFirstCall, type Person } from "./call.ts";
import type { ConfiguredPeople } from "./trial.ts";

/** An IPv6 address that nobody has (RFC 3849). */
export const IPV6_ADDRESS = "2001:db8::7";

/** One address of each of the documentation ranges of IPv4 (RFC 5737). */
export const tellingIpv4: readonly string[] = ["203.0.113.10", "198.51.100.7", "192.0.2.44"];

/**
 * Every kind of address that an app may treat differently, none in public use: the documentation ranges (RFC 5737, RFC
 * 3849), private networks (RFC 1918), and this machine.
 */
export const tellingAddresses: readonly string[] = [
  ...tellingIpv4,
  ...[IPV6_ADDRESS, "2001:db8:feed::7", "2001:db8:bad::7"],
  ...["10.0.0.7", "192.168.0.7", "127.0.0.1", "::1"],
];

/**
 * Every pair of a user and an address, most informative first: an app looks at the user or at the address more often
 * than at both. So every user comes from the first address, then the first user from every address.
 */
function everyPair(users: readonly Role[], addresses: readonly string[]) {
  const [firstAddress = "", ...otherAddresses] = [...new Set(addresses)];
  return [
    ...users.map((user) => ({ user, ipAddress: firstAddress })),
    ...users.flatMap((user) => otherAddresses.map((ipAddress) => ({ user, ipAddress }))),
  ];
}

/**
 * The users and addresses to try at a guard: those in the configuration first, then the most informative; nobody who is
 * exempt from it.
 */
export function configuredCandidates(config: Config, guard: GuardModule, choices: ChoiceReader): Person[] {
  const { lets, denies } = configuredPeople(config, guard, choices);
  const named = [lets, denies].filter((person) => person !== null);
  const isConfigured = (role: Role) => config.users.some((user) => user.role === role);
  const users = [...new Set([config.login.user, ...roles])].filter(isConfigured);
  const others = everyPair(users, [config.login.ipAddress, ...tellingAddresses])
    .map(({ user, ipAddress }) => ({ user: findUser(config, user), ipAddress }))
    .filter(({ user }) => guardExemption(guard, user, choices) === null);
  return [...named, ...others];
}

/**
 * Whom a guard lets in and denies according to the configuration, except exempt users; and whether it says how to pass
 * the guard's page.
 */
export function configuredPeople(config: Config, guard: GuardModule, choices: ChoiceReader): ConfiguredPeople {
  const personOf = (somebody: { readonly user?: Role | undefined; readonly ip?: string | undefined } | undefined) => {
    if (somebody === undefined) return null;
    const user = findUser(config, somebody.user ?? config.login.user);
    return guardExemption(guard, user, choices) === null
      ? { user, ipAddress: somebody.ip ?? config.login.ipAddress }
      : null;
  };
  const { lets, denies, pass } = config.verify.guards[guard.key] ?? {};
  const isPagePassed = guard.type !== "direct" && pass !== undefined;
  return { lets: personOf(lets), denies: personOf(denies), isPagePassed, hasPage: guard.type !== "direct" };
}

/** How a guard treated the people who were tried. */
export interface FoundPeople {
  /** Who is let in at the first call; null: nobody was. */
  readonly passes: Person | null;
  /** Who is denied, or asked to interact, in order. */
  readonly asked: readonly Person[];
  /** Who is answered 401 or 403, although others are let in; empty if that is how the guard denies. */
  readonly turnedAway: readonly Person[];
  /** Why nobody was found; meaningful if both are missing. */
  readonly reason: string;
}

/** How many users who are asked are tried at a guard's page. */
const MOST_ASKED = 3;

/** After this many people without an answer, a guard is considered not to answer at all. */
const MOST_UNANSWERED = 3;

/** The id of a user unknown to the app: above those in the configuration, and below 2^31. */
export function strangerId(ids: Ids): number {
  return 1_000_000_000 + (ids.seed() % 1_000_000_000);
}

/** A user unknown to the app, otherwise like this person. */
export function strangerLike({ user, ipAddress }: Person, ids: Ids): Person {
  const id = strangerId(ids);
  return { user: { ...user, id, login: `user.${id}` }, ipAddress };
}

/** Unknown users, each from a different address: an app may decide only once about each user. */
function strangers({ ids }: SimulatorContext, [known]: readonly Person[]): Person[] {
  if (known === undefined) return [];
  return tellingAddresses.map((ipAddress) => {
    const id = strangerId(ids);
    return { user: { ...known.user, id, login: `user.${id}` }, ipAddress };
  });
}

/**
 * A user unknown to the app from the address of each of these people, if the guard asks that user. Nobody walks a page
 * as these users, so the guard has no reason to let them in later.
 */
export async function findNewcomers(
  { context, choices, run }: Search,
  guard: InstalledGuard,
  subject: string,
  asked: readonly Person[],
): Promise<Person[]> {
  const tagged = taggedContext(context, { run, subject, id: null, role: SEARCH });
  const newcomers: Person[] = [];
  for (const each of asked) {
    const person = strangerLike(each, context.ids);
    const reply = readGuardReply(await makeFirstCall(tagged, { choices, guard }, person));
    if (asksOrDenies(reply)) newcomers.push(person);
  }
  return newcomers;
}

/** What the search for people needs. */
export interface Search extends Pick<Verification, "choices" | "run"> {
  readonly context: SimulatorContext;
}

/** Tries users and addresses until somebody is let in and somebody is not; at a guard with a page, a few more. */
export async function findPeople(
  { context, choices, run }: Search,
  guard: InstalledGuard,
  subject: string,
): Promise<FoundPeople> {
  const tagged = taggedContext(context, { run, subject, id: null, role: SEARCH });
  const wanted = guard.module.type === "direct" ? 1 : MOST_ASKED;
  let passes: Person | null = null;
  const asked: Person[] = [];
  const turnedAway: Person[] = [];
  let says = "every configured user is exempt from it";
  let before: Exchange | null = null;
  let unanswered = 0;
  const known = configuredCandidates(context.config, guard.module, choices);
  for (const person of [...known, ...strangers(context, known)]) {
    if (passes !== null && asked.length > 0 && !known.includes(person)) break;
    if (passes !== null && asked.length >= wanted) break;
    if (context.signal?.aborted === true) break;
    const answer = await makeFirstCall(tagged, { choices, guard }, person);
    const reply = readGuardReply(answer);
    if (reply.kind === "accepted") passes ??= person;
    else if (asksOrDenies(reply)) asked.push(person);
    else if (isTurnedAway(answer)) turnedAway.push(person);
    if (reply.kind !== "accepted") says = firstCallText(answer, before);
    before = answer;
    if (answer.outcome.kind === "timed-out") unanswered += 1;
    if (reply.kind === "gone" || unanswered === MOST_UNANSWERED) break;
  }
  // If others are let in, such a status is how it denies (choice guard.denial.status).
  const isDenial = passes !== null && asked.length === 0 && guard.module.type === "direct";
  return {
    passes,
    asked: isDenial ? turnedAway.slice(0, 1) : asked,
    turnedAway: passes === null || isDenial ? [] : turnedAway,
    reason: says,
  };
}

/** Whether a first call was answered with `success: false`: the guard asks this user to interact, or denies (interface 3.1). */
export function asksOrDenies({ success }: Reply): boolean {
  return success === false;
}

/** Whether a first call was answered with a status that says that this user may not do it. */
export function isTurnedAway({ response }: Exchange): boolean {
  return [401, 403].includes(response?.status ?? 0);
}

/**
 * Why nobody is let in, if a correct first call was answered like this.
 * @param before the correct first call before it; null: it is the first
 */
export function firstCallText(answer: Exchange, before: Exchange | null): string {
  const reply = readGuardReply(answer);
  if (reply.kind === "gone") {
    const call = `a correct first call to guard ${answer.module} (POST ${answer.request.url})`;
    const isDown = before?.outcome.kind === "disconnected";
    return `${isDown ? WENT_DOWN : "the app was gone before"} ${call}: ${NOTHING_LISTENS}; its own log may say why`;
  }
  const cause =
    answer.response?.status === 401
      ? ": it did not accept the call as authentic; `app-sim doctor` looks for the cause: its secret, its audience or its clock"
      : "";
  return `${replyTo("a correct first call", answer, reply)}${cause}`;
}
