import type { Explanation } from "../../app-client/explain-outcome.ts";
import type { Role } from "../../config/roles.ts";
import type { GuardResult } from "../guard-result.ts";
import type { LoginView } from "../login/login-view.ts";

/** What the walk through a login shows, changed by a pure function of what happens (`nextState`). */
export interface WalkState {
  /** How often a stage that is not a guard may be tried. */
  readonly attempts: number;
  /** Whether links are opened in the browser, or only shown. */
  readonly canOpen: boolean;
  /** How many logins have been started, this one included. */
  readonly round: number;
  /** When the login was started, on the monotonic clock. */
  readonly askedAt: number;
  /** null: it is still starting, or could not start. */
  readonly login: LoginView | null;
  /** The result of a login that could not start. */
  readonly refused: GuardResult | null;
  /** The address of the login's own page; `url` null: it has not been needed yet. */
  readonly link: { readonly url: string | null; readonly isOpened: boolean; readonly trouble: Explanation | null };
  /** Index of the selected stage, Access being the last; null: the stage that the login is at. */
  readonly selected: number | null;
  /** The page shown instead of the stages. */
  readonly page: WalkPage | null;
  /** What the user is typing. */
  readonly prompt: WalkPrompt | null;
  /** How the next login differs from the one requested on the command line. */
  readonly wish: LoginWish;
}

/** A question answered with a line of text. `trouble`: what is wrong with the entered line. */
export interface WalkPrompt {
  readonly what: "code" | "error" | "address";
  readonly text: string;
  readonly trouble: string | null;
}

/** How a login differs from the one requested on the command line. */
export interface LoginWish {
  readonly user?: Role;
  readonly ipAddress?: string;
  /** Key of the only guard to run. */
  readonly only?: string;
}

/** Text that fills the screen. `scroll`: rows above the first visible one. `id` null: the latest exchange. */
export type WalkPage =
  | { readonly type: "help" | "link"; readonly scroll: number }
  | { readonly type: "exchange"; readonly id: string | null; readonly scroll: number };

const moves = ["up", "down", "page-up", "page-down", "top", "bottom"] as const;
type Move = (typeof moves)[number];
type PageAction = "help" | "link" | "details" | "close" | "earlier" | "later";
type PromptAction = "ask-code" | "ask-error" | "ask-address";
type LoginAction =
  | "do-right"
  | "do-wrong"
  | "open"
  | "retry"
  | "next-user"
  | "only-guard"
  | "all-guards"
  | "quit"
  | "interrupt";

/** What a key can do. */
export type WalkAction = Move | PageAction | PromptAction | LoginAction;

/** Rows of the page: those on the screen, and all of them. */
interface Extent {
  readonly seen: number;
  readonly all: number;
}

export type WalkEvent =
  | { readonly type: "login-asked"; readonly at: number }
  | { readonly type: "wished"; readonly wish: LoginWish }
  | { readonly type: "typed"; readonly prompt: WalkPrompt | null }
  | { readonly type: "login-changed"; readonly view: LoginView }
  | { readonly type: "login-refused"; readonly result: GuardResult }
  | { readonly type: "link-found"; readonly url: string; readonly isOpened: boolean }
  | { readonly type: "link-failed"; readonly trouble: Explanation }
  | { readonly type: "acted"; readonly action: WalkAction; readonly extent: Extent };

/** The state before the first login is started. */
export function beginWalk({ attempts, canOpen }: Pick<WalkState, "attempts" | "canOpen">): WalkState {
  const link = { url: null, isOpened: false, trouble: null };
  const nothing = { login: null, refused: null, selected: null, page: null, prompt: null };
  return { attempts, canOpen, round: 0, askedAt: 0, link, wish: {}, ...nothing };
}

/** The next state. An action that makes no sense in the state, or affects only the login, changes nothing. */
export function nextState(state: WalkState, event: WalkEvent): WalkState {
  switch (event.type) {
    case "login-asked":
      return { ...beginWalk(state), wish: state.wish, round: state.round + 1, askedAt: event.at };
    case "wished":
      return { ...state, wish: event.wish };
    case "typed":
      return { ...state, prompt: event.prompt };
    case "login-changed":
      return { ...state, login: event.view, prompt: stillAsked(state, event.view) };
    case "login-refused":
      return { ...state, refused: event.result };
    case "link-found":
      return { ...state, link: { url: event.url, isOpened: event.isOpened || state.link.isOpened, trouble: null } };
    case "link-failed":
      return { ...state, link: { ...state.link, trouble: event.trouble } };
    case "acted":
      return afterAction(state, event.action, event.extent);
  }
}

/** A code is asked for only while the guard waits for one. */
function stillAsked({ prompt }: WalkState, { interaction }: LoginView): WalkPrompt | null {
  return prompt !== null && prompt.what !== "address" && interaction === null ? null : prompt;
}

/** Whether a guard has just started waiting for the user, who needs the link. */
export function needsLink(before: WalkState, after: WalkState): boolean {
  // The browser page that was opened for one guard continues to the next by itself.
  return after.login?.interaction != null && before.login?.interaction == null && !after.link.isOpened;
}

/** Whether the stages before the guards were passed, so that another login needs no keys for them. */
export function hasPassedPlainStages({ login }: WalkState): boolean {
  const before = login?.stages.filter(({ stage }) => stage !== "guard" && stage !== "remember-me") ?? [];
  return before.length > 0 && before.every(({ status }) => status === "passed" || status === "skipped");
}

/** Index of the stage that the login is at; of Access, after the last stage, once it has ended; 0 before it starts. */
export function currentStage({ login }: WalkState): number {
  return login === null ? 0 : (login.current ?? login.stages.length);
}

/** Index of the stage that the panel describes. */
export function shownStage(state: WalkState): number {
  return state.selected ?? currentStage(state);
}

/** The guard shown; after the login has ended, the one that ended it, or else the last. */
export function shownGuard(state: WalkState): string | null {
  const { login, selected } = state;
  const shown = login?.stages[shownStage(state)]?.module;
  if (shown !== undefined || selected !== null || login === null || login.result === null) return shown ?? null;
  const asked = login.stages.filter(({ stage, status }) => stage === "guard" && status !== "waiting");
  const ending = asked.find(({ status }) => status !== "passed" && status !== "skipped");
  return (ending ?? asked.at(-1))?.module ?? null;
}

/** The ids of the login's exchanges, in order. */
export function exchangeIds({ login }: WalkState): readonly string[] {
  return login?.stages.flatMap(({ exchanges }) => exchanges) ?? [];
}

/** The exchange on the details page; null if that page is not open, or there is no exchange. */
export function openExchange(state: WalkState): string | null {
  const { page } = state;
  return page?.type === "exchange" ? (page.id ?? exchangeIds(state).at(-1) ?? null) : null;
}

/** The exchange worth showing next to the stages: the latest of the selected stage, or of the whole login. */
export function latestExchange(state: WalkState): string | null {
  const { login, selected } = state;
  return (selected === null ? exchangeIds(state) : login?.stages[selected]?.exchanges)?.at(-1) ?? null;
}

const prompts: Readonly<Record<PromptAction, WalkPrompt["what"]>> = {
  "ask-code": "code",
  "ask-error": "error",
  "ask-address": "address",
};

function afterAction(state: WalkState, action: WalkAction, extent: Extent): WalkState {
  const { page, selected } = state;
  const asked = prompts[action as PromptAction];
  if (asked !== undefined) return { ...state, page: null, prompt: { what: asked, text: "", trouble: null } };
  if (action === "help" || action === "link") return toggle(state, { type: action, scroll: 0 });
  if (action === "details") {
    const id = selected === null ? null : latestExchange(state);
    return toggle(state, { type: "exchange", id, scroll: 0 });
  }
  if (action === "close") return page === null ? { ...state, selected: null } : { ...state, page: null };
  if (action === "earlier" || action === "later") return otherExchange(state, action === "earlier" ? -1 : 1);
  const move = moves.find((each) => each === action);
  if (move === undefined) return state;
  return page === null ? select(state, move) : { ...state, page: scrolled(page, move, extent) };
}

/** The key that opened a page closes it again. */
function toggle(state: WalkState, page: WalkPage): WalkState {
  return { ...state, page: state.page?.type === page.type ? null : page };
}

function otherExchange(state: WalkState, by: number): WalkState {
  const shown = openExchange(state);
  const all = exchangeIds(state);
  const next = shown === null ? undefined : all[all.indexOf(shown) + by];
  return next === undefined ? state : { ...state, page: { type: "exchange", id: next, scroll: 0 } };
}

function select(state: WalkState, move: Move): WalkState {
  const last = state.login?.stages.length ?? 0;
  const target = moved(shownStage(state), move, { last, page: last });
  return { ...state, selected: target === currentStage(state) ? null : target };
}

function scrolled(page: WalkPage, move: Move, { seen, all }: Extent): WalkPage {
  const last = Math.max(0, all - seen);
  // A larger window leaves less to scroll.
  const from = Math.min(page.scroll, last);
  return { ...page, scroll: moved(from, move, { last, page: Math.max(1, seen - 1) }) };
}

function moved(from: number, move: Move, { last, page }: { readonly last: number; readonly page: number }): number {
  const by = { up: -1, down: 1, "page-up": -page, "page-down": page, top: -last, bottom: last };
  return Math.min(last, Math.max(0, from + by[move]));
}
