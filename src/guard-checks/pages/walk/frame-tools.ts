import type { Trial } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { Organization } from "../../../config/schema.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import type { SimulatorContext } from "../../../platform/context.ts";
import { type InstalledGuard, letsInWith, makeFirstCall, type Person } from "../../call.ts";
import { strangerLike } from "../../candidates.ts";
import { withTypedIn } from "../frame/spoiled-password.ts";
import { type PagePlatform, platformOf } from "../opening/opened-page.ts";
import { codesIn, codesInPlace } from "./answer.ts";
import { configuredFill, fillOf, othersValues } from "./fill-by-role.ts";
import { openRequest, type WalkedPage } from "./login.ts";
import { peopleWhoFill } from "./people-who-fill.ts";
import {
  codeIn,
  insteadOf,
  prepareAgain,
  type RecordedWalk,
  type RepeatedExchange,
  unlessNotPrepared,
} from "./replay.ts";

/** What the checks of a page's own calls can do. */
export interface FrameTools extends Trial {
  readonly person: Person;
  readonly other: Person;
  /** The configured values for passing the page, by the names of fields. */
  readonly configured: Readonly<Record<string, unknown>>;
  /** What this user fills into the field of this name; null: nothing is configured for that user's role. */
  valueOf(name: string, who: Person): string | null;
  /** What other users fill into the field of this name, and the person who passes the page does not. */
  othersValues(name: string): readonly string[];
  /** A user whom no app has seen before, otherwise like the one who passes the page. */
  newcomer(): Person;
  /** A user of each other role that fills in something of its own, at the address of the person who passes the page. */
  readonly othersWhoFill: readonly Person[];
  /** Makes the first call of a login. */
  ask(role: string, person: Person): Promise<Exchange>;
  /** Like `prepare`, for another login. */
  prepareFor(person: Person): Promise<RequestParts>;
  /** What the page requested between its opening and the call with which it got its code. */
  readonly earlier: readonly Exchange[];
  /**
   * Like `prepare`, with other requests between the opening and the call. What it has from the answers to requests that
   * were not made as they were is made up.
   * @param role the role of these requests
   * @param madeFor the requests in place of one of `earlier`
   * @returns null if the app does not let it get that far
   */
  prepareAfter(role: string, madeFor: (earlier: Exchange) => readonly RepeatedExchange[]): Promise<RequestParts | null>;
  /** Opens the page of a separate login. */
  open(role: string): Promise<Exchange>;
  /** Whether an answer is like the one that brought the page its code: one that asks to come again is not. */
  bringsCode(answer: Exchange): boolean;
  /**
   * Makes the final call of a login with each text of an answer that may be a code; of a refusal, with what stands where
   * a code would.
   * @param at the organization at which the person logs in; default the configured one
   * @returns whether one of them let the person in
   */
  redeemAll(role: string, answer: Exchange, person: Person, at?: Organization): Promise<boolean>;
  /** The key of the page's guard. */
  readonly moduleKey: string;
  /** The other guards of the app. */
  readonly otherGuards: readonly InstalledGuard[];
  /** Like `redeemAll`, for the person who passes the page, at another guard. */
  redeemAllAt(role: string, answer: Exchange, guard: InstalledGuard): Promise<boolean>;
  /** Makes the final call of a login with a code that nobody issued, at this organization. */
  redeemMadeUp(role: string, person: Person, at?: Organization): Promise<void>;
  /** The platform to which the user is to come back. */
  readonly platform: PagePlatform;
  /** The configured organization. */
  readonly organization: Organization;
  /** Another organization, which the app may not know. */
  readonly elsewhere: Organization;
}

/** Maximum number of texts of an answer that are tried. */
const MOST_CODES = 6;

/** Creates the tools for the checks of a page's own calls. */
export function frameTools(
  trial: Trial,
  contextOf: (role: string) => SimulatorContext,
  page: WalkedPage & {
    readonly person: Person;
    readonly other: Person;
    readonly request: RecordedWalk;
    readonly otherGuards: readonly InstalledGuard[];
  },
): FrameTools {
  const { person, other } = page;
  const inRole = (role: string): VerifyContext => ({ ...page.context, journal: contextOf(role).journal });
  const { organization } = page.context.config;
  const fill = configuredFill(page.context.config, page.guard.module.key);
  const letsIn = (role: string, who: Person, code: string, at = organization) => {
    const context = inRole(role);
    return letsInWith({ ...context, config: { ...context.config, organization: at } }, page, who, code);
  };
  const anyLetsIn = async (answer: Exchange, tryCode: (code: string) => Promise<boolean>) => {
    let isLetIn = false;
    for (const code of codesToTry(answer, page.request)) isLetIn = (await tryCode(code)) || isLetIn;
    return isLetIn;
  };
  return {
    ...trial,
    person,
    other,
    configured: fillOf(fill, person.user),
    valueOf: (name, who) => {
      const value = fillOf(fill, who.user)[name];
      return typeof value === "string" ? value : null;
    },
    othersValues: (name) => othersValues(fill, name, person.user),
    newcomer: () => strangerLike(person, page.context.ids),
    othersWhoFill: peopleWhoFill(page),
    ask: (role, who) => makeFirstCall(inRole(role), page, who),
    prepareFor: (who) => prepareAgain({ ...page, context: inRole("step") }, who, filledInBy(page, who)),
    earlier: page.request.before,
    prepareAfter: async (role, madeFor) => {
      const walk = { ...page.request, ...insteadOf(page.request.before, madeFor) };
      return prepareAgain({ ...page, context: inRole(role) }, person, walk).catch(unlessNotPrepared);
    },
    open: async (role) => trial.send(role, await openRequest(inRole("step"), page, person)),
    bringsCode: (answer) => trial.read(answer, page.request.last).kind === "accepted",
    platform: platformOf(page.context),
    organization,
    elsewhere: {
      ...organization,
      id: organization.id + 1,
      domain: organization.domain === null ? null : `${organization.domain}-2`,
    },
    redeemAll: (role, answer, who, at) => anyLetsIn(answer, (code) => letsIn(role, who, code, at)),
    moduleKey: page.guard.module.key,
    otherGuards: page.otherGuards,
    redeemAllAt: (role, answer, guard) =>
      anyLetsIn(answer, (code) => letsInWith(inRole(role), { choices: page.choices, guard }, person, code)),
    redeemMadeUp: async (role, who, at) => void (await letsIn(role, who, page.context.ids.secret(), at)),
  };
}

/** What may be the code in an answer to the last request of a recorded walk. */
function codesToTry(answer: Exchange, recorded: RecordedWalk): readonly string[] {
  // Apps that count wrong codes must not see every text of a refusal.
  if ((answer.response?.status ?? 0) >= 400) return codesInPlace(answer, recorded);
  const known = codeIn(answer, recorded);
  return [...new Set([...(known === null ? [] : [known]), ...codesIn(answer)])].slice(0, MOST_CODES);
}

/** The recorded walk with what somebody else fills in. */
function filledInBy(
  page: WalkedPage & { readonly person: Person; readonly request: RecordedWalk },
  who: Person,
): RecordedWalk {
  const fill = configuredFill(page.context.config, page.guard.module.key);
  const [mine, theirs] = [fillOf(fill, page.person.user), fillOf(fill, who.user)];
  const filledIn = (exchange: Exchange) =>
    Object.entries(mine).reduce((changed, [name, value]) => {
      const other = theirs[name];
      if (typeof value !== "string" || typeof other !== "string" || other === value) return changed;
      return { ...(withTypedIn(changed, { name, value }, { text: other }) ?? changed), isChanged: false };
    }, exchange);
  return { ...page.request, before: page.request.before.map(filledIn), last: filledIn(page.request.last) };
}
