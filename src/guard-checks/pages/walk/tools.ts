import type { Trial } from "../../../checking/check.ts";
import { encodeRequest, type RequestParts, withHeader } from "../../../checking/request-parts.ts";
import { sendTo } from "../../../checking/subject.ts";
import type { VerifyContext } from "../../../checking/verify-context.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import type { SimulatorContext } from "../../../platform/context.ts";
import { claimsNow } from "../../../platform/module-token.ts";
import { guardCall, guardRequest, letsInWith, makeFirstCall, type Person } from "../../call.ts";
import { strangerLike } from "../../candidates.ts";
import { labelOf, saysNo, submitButtonsIn } from "../form/buttons.ts";
import { returnOf } from "./answer.ts";
import { configuredFill, type FillByRole, fillOf, othersFills, othersValues } from "./fill-by-role.ts";
import { type LoginChanges, openRequest, type ReadyForm, type WalkedPage, walkToForm } from "./login.ts";
import { peopleWhoFill } from "./people-who-fill.ts";
import { insteadOf, prepareAgain, type RepeatedExchange, unlessNotPrepared, walkWithToken } from "./replay.ts";
import { type PageWay, walkPage } from "./walk.ts";

/** What the checks of a page's URL can do. */
export interface OpenPageTools extends Trial {
  /** The request for the page of a new login. */
  open(changes: LoginChanges): Promise<RequestParts>;
  /** Makes the final call with this code for the person who opens the page. */
  redeem(role: string, code: string): Promise<Exchange>;
  /** A value that the app has neither issued nor seen before. */
  madeUp(): string;
}

/** What is unusual in a login, and whose login it is. */
type Login = LoginChanges & { readonly person?: Person };

/** What the checks of a page's form can do. */
export interface FormTools extends Trial {
  /** Somebody other than the person who passes the page. */
  readonly other: Person;
  /** The claim `context` of that person's tokens. */
  readonly contextClaim: Readonly<Record<string, unknown>>;
  /**
   * Makes a login, and walks its page up to the request that would bring the user back. Its requests are recorded in
   * this role. Null if the app does not let the walk get that far.
   */
  login(role: string, login?: Login): Promise<ReadyForm | null>;
  /** Like `login`, but so that the user fails the page; also null if it is unknown how. */
  failing(role: string, login?: Login): Promise<ReadyForm | null>;
  /** Sends that request. */
  submit(role: string, form: ReadyForm | null): Promise<Exchange | null>;
  /**
   * Makes the final call of a login with the code with which an answer sent the user back, if there is one.
   * @returns whether it let the person in
   */
  redeem(role: string, landing: Exchange | null, person: Person): Promise<boolean>;
  /** Makes the final call of a login with this text as its code. @returns whether it let the person in */
  redeemText(role: string, text: string, person: Person): Promise<boolean>;
  /** Makes the final call of a login with a code that nobody issued. */
  redeemMadeUp(role: string, person: Person): Promise<void>;
  /** How long the tokens of pages are valid, in seconds. */
  readonly tokenSeconds: number;
  /** A value that no app has seen before. */
  madeUp(): string;
  /** A user whom no app has seen before, otherwise like the one who passes the page. */
  newcomer(): Person;
  /** The configured values for passing the page, by the names of fields. */
  readonly configured: Readonly<Record<string, unknown>>;
  /** What this person fills in to pass the page, by the names of fields. */
  valuesOf(person: Person): Readonly<Record<string, unknown>>;
  /** What other users fill into the field of this name, and the person who passes the page does not. */
  othersValues(name: string): readonly string[];
  /** What other users fill in altogether, if it differs in more than one field. */
  othersFills(): readonly FillByRole[];
  /** A user of each other role that fills in something of its own, at the address of the person who passes the page. */
  readonly othersWhoFill: readonly Person[];
  /** Makes the first call of a login. */
  ask(role: string, person: Person): Promise<Exchange>;
  /** Opens the page of a separate login. */
  open(role: string, login?: Pick<Login, "person" | "cookies" | "state">): Promise<Exchange>;
  /** Walks the page so that the user fails. */
  fail(role: string, login?: Pick<Login, "state">): Promise<void>;
  /**
   * Walks the page as if to pass it, but with other values in these fields.
   * @returns the code with which the user came back; null: without one
   */
  passWith(role: string, fill: FillByRole, person?: Person): Promise<string | null>;
  /**
   * Passes the page, and prepares the request that brought the user back for somebody else, who has opened the page and
   * made other requests in between. What it has from the answers to requests that were not made as they were is made up.
   * @param madeFor the requests that this person makes for one of those in between
   * @returns null if the app does not let either of them get that far
   */
  lastRequest(
    person: Person,
    madeFor: (between: Exchange) => readonly RepeatedExchange[],
  ): Promise<RequestParts | null>;
  /**
   * Walks the page and presses the button of its first page that says no, if it has one.
   * @param asConfigured the role if the user fails the page with this button; default the same
   */
  decline(role: string, asConfigured?: string): Promise<void>;
  /** Walks the page as if to pass it, but presses the button of its first page that says no, if it has one. */
  passDeclining(role: string): Promise<void>;
}

/** The form of a page, and how a user passes and fails it. */
export interface PassedPage extends WalkedPage {
  readonly context: VerifyContext;
  readonly person: Person;
  readonly other: Person;
  readonly way: PageWay;
  /** Requests of a walk before the one that brings the user back. */
  readonly before: number;
  readonly fail: PageWay | null;
  /** Requests of a walk that fails the page, before the one that brings the user back. */
  readonly beforeFailing: number;
}

/** Creates the tools for the checks of a page's URL. */
export function openPageTools(
  trial: Trial,
  contextOf: (role: string) => SimulatorContext,
  page: WalkedPage & { readonly person: Person },
): OpenPageTools {
  const { choices, guard, person } = page;
  return {
    ...trial,
    open: (changes) => openRequest(contextOf("step"), page, person, changes),
    redeem: async (role, code) => {
      const request = await guardRequest(contextOf(role), choices, guard, { ...person, code });
      return sendTo({ module: guard.module.key, call: guardCall }, contextOf(role), request);
    },
    madeUp: () => page.context.ids.secret(),
  };
}

/** Creates the tools for the checks of a page's form. */
export function formTools(trial: Trial, contextOf: (role: string) => SimulatorContext, page: PassedPage): FormTools {
  const { choices, guard, way, before } = page;
  const fill = configuredFill(page.context.config, guard.module.key);
  const inRole = (role: string): VerifyContext => ({ ...page.context, journal: contextOf(role).journal });
  const walk = async (role: string, by: PageWay, { person = page.person, ...changes }: Login = {}) => {
    const context = inRole(role);
    await makeFirstCall(inRole("step"), page, person);
    const { state, ...request } = await openRequest(context, page, person, changes);
    const { outcome } = await walkPage(context, { guard, url: encodeRequest(request).url, state, way: by, person });
    return outcome !== null && "code" in outcome ? outcome.code : null;
  };
  const ready = async (
    role: string,
    by: { readonly way: PageWay; readonly before: number },
    { person = page.person, ...changes }: Login = {},
  ) => {
    if (changes.again === undefined) await makeFirstCall(inRole("step"), page, person);
    return walkToForm({ context: inRole(role), choices, guard }, person, by, changes);
  };
  const redeemText = (role: string, text: string, person: Person) => letsInWith(inRole(role), page, person, text);
  return {
    ...trial,
    other: page.other,
    contextClaim: contextClaimOf(page),
    tokenSeconds: choices.get("guard.jwt.lifetime"),
    madeUp: () => page.context.ids.secret(),
    newcomer: () => strangerLike(page.person, page.context.ids),
    configured: fillOf(fill, page.person.user),
    valuesOf: (person) => fillOf(fill, person.user),
    othersFills: () => othersFills(fill, page.person.user),
    othersValues: (name) => othersValues(fill, name, page.person.user),
    othersWhoFill: peopleWhoFill(page),
    ask: (role, person) => makeFirstCall(inRole(role), page, person),
    open: async (role, { person, cookies, ...changes } = {}) => {
      if (person !== undefined) await makeFirstCall(inRole("step"), page, person);
      const request = await openRequest(inRole("step"), page, person ?? page.person, changes);
      return trial.send(role, withHeader(request, "Cookie", cookies ?? null));
    },
    login: (role, login) => ready(role, { way, before }, login),
    failing: async (role, login) =>
      page.fail?.by === "forms" ? ready(role, { way: page.fail, before: page.beforeFailing }, login) : null,
    submit: async (role, form) => (form === null ? null : trial.send(role, form.request)),
    redeem: async (role, landing, person) => {
      const [code] = (landing && returnOf(landing)?.code) ?? [];
      return code !== undefined && code !== "" && (await letsInWith(inRole(role), page, person, code));
    },
    redeemText,
    redeemMadeUp: async (role, person) => void (await redeemText(role, page.context.ids.secret(), person)),
    fail: async (role, login) => {
      if (page.fail !== null) await walk(role, page.fail, login);
    },
    passWith: (role, fill, person = page.person) =>
      walk(role, { ...way, answers: { ...way.answers, fill: { ...way.answers.fill, ...fill } } }, { person }),
    lastRequest: async (person, madeFor) => {
      const inSteps = { ...page, context: inRole("step") };
      const passed = await walkWithToken(inSteps, page.person, way);
      const [opened, last] = [passed.exchanges[0], passed.exchanges[before]];
      if (opened === undefined || last === undefined) return null;
      const requested = passed.exchanges.slice(1, before);
      const walk = { ...passed, ...insteadOf(requested, madeFor), opened, last };
      return prepareAgain(inSteps, person, walk).catch(unlessNotPrepared);
    },
    ...decliningTools(page, {
      walk,
      shown: async () => trial.send("shown", await openRequest(inRole("step"), page, page.person)),
    }),
  };
}

/** What the checks of a page's form can do with the button that says no. */
function decliningTools(
  { way, fail }: PassedPage,
  { walk, shown }: { walk(role: string, by: PageWay): Promise<unknown>; shown(): Promise<Exchange> },
): Pick<FormTools, "decline" | "passDeclining"> {
  const buttonThatSaysNo = async () => {
    const page = await shown();
    return submitButtonsIn(page).find((button) => saysNo(labelOf(button)));
  };
  return {
    decline: async (role, asConfigured = role) => {
      const button = await buttonThatSaysNo();
      if (button === undefined) return;
      const { text, value, id, name } = button;
      const failing = [fail?.answers.press ?? []].flat();
      const isConfigured = [text, value, id, name].some((each) => each !== "" && failing.includes(each));
      await walk(isConfigured ? asConfigured : role, { ...way, answers: { fill: {}, press: labelOf(button) } });
    },
    passDeclining: async (role) => {
      const button = await buttonThatSaysNo();
      if (button === undefined) return;
      const further = [way.answers.press ?? []].flat().slice(1);
      await walk(role, { ...way, answers: { ...way.answers, press: [labelOf(button), ...further] } });
    },
  };
}

/** The claim `context` of the tokens of somebody who opens the page. */
export function contextClaimOf({ context, choices, guard, person }: WalkedPage & { readonly person: Person }) {
  const about = { app: guard.installed.app, user: person.user, module: guard.module.key };
  return claimsNow(context, choices, about).context as FormTools["contextClaim"];
}
