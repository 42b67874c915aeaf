import type { GuardResult } from "../guard-result.ts";
import type { LoginView, Trouble } from "../login/login-view.ts";

/**
 * What somebody who walks a login in the terminal has before them, as a pure state machine: what happens to the
 * login, and what they do, gives the next state and what is to be done.
 */
export interface WalkState {
  /** How often a stage that is not a guard may be tried. */
  readonly attempts: number;
  /** Whether links are opened in the browser, or only shown. */
  readonly canOpen: boolean;
  /** How many logins were asked for, this one included. */
  readonly round: number;
  /** When the login was asked for, on the monotonic clock. */
  readonly askedAt: number;
  /** null: it is being begun, or it could not begin. */
  readonly login: LoginView | null;
  /** The result of a login that could not begin. */
  readonly refused: GuardResult | null;
  readonly link: Link;
  /** Place among the stages, Access being the last, of the one that is looked at; null: where the login is. */
  readonly selected: number | null;
  /** What lies over the stages. */
  readonly cover: Cover | null;
}

/** The address of the login's page. */
interface Link {
  /** null: it was not needed yet. */
  readonly url: string | null;
  readonly isOpened: boolean;
  readonly trouble: Trouble | null;
}

export type Cover =
  | { readonly type: "help" }
  /** `id` null: the latest one. */
  | { readonly type: "exchange"; readonly id: string | null; readonly scroll: number };

/** What somebody can do with a key. */
export type WalkAction =
  | "do-right"
  | "do-wrong"
  | "open"
  | "retry"
  | "details"
  | "help"
  | "close"
  | "earlier"
  | "later"
  | Move
  | "quit"
  | "interrupt";
type Move = "up" | "down" | "page-up" | "page-down" | "top" | "bottom";

/** How much of the exchange is seen, and how much there is, in rows. */
interface Extent {
  readonly seen: number;
  readonly all: number;
}

export type WalkEvent =
  | { readonly type: "login-asked"; readonly at: number }
  | { readonly type: "login-changed"; readonly view: LoginView }
  | { readonly type: "login-refused"; readonly result: GuardResult }
  | { readonly type: "link-found"; readonly url: string; readonly isOpened: boolean }
  | { readonly type: "link-failed"; readonly trouble: Trouble }
  | { readonly type: "acted"; readonly action: WalkAction; readonly extent: Extent };

export type WalkEffect =
  /** Begin another login; `again`: the stages before the guards have been passed once, and need no keys. */
  | { readonly type: "begin"; readonly again: boolean }
  | { readonly type: "enter"; readonly isRight: boolean }
  /** Find out the link, and open it where links are opened. */
  | { readonly type: "link" }
  | { readonly type: "leave"; readonly isInterrupted: boolean };

export interface WalkStep {
  readonly state: WalkState;
  readonly effects: readonly WalkEffect[];
}

const noLink: Link = { url: null, isOpened: false, trouble: null };

/** The state before anything has happened. */
export function beginWalk({ attempts, canOpen }: Pick<WalkState, "attempts" | "canOpen">): WalkState {
  return {
    attempts,
    canOpen,
    round: 0,
    askedAt: 0,
    login: null,
    refused: null,
    link: noLink,
    selected: null,
    cover: null,
  };
}

/** The next state and what is to be done. Total: what does not fit changes nothing. */
export function step(state: WalkState, event: WalkEvent): WalkStep {
  switch (event.type) {
    case "login-asked":
      return to({ ...beginWalk(state), round: state.round + 1, askedAt: event.at });
    case "login-changed": {
      const next = { ...state, login: event.view };
      const isUserWanted = event.view.interaction !== null && state.login?.interaction == null;
      // The page that was opened for one guard goes on to the next by itself.
      return isUserWanted && !state.link.isOpened ? to(next, { type: "link" }) : to(next);
    }
    case "login-refused":
      return to({ ...state, refused: event.result });
    case "link-found": {
      const isOpened = event.isOpened || state.link.isOpened;
      return to({ ...state, link: { url: event.url, isOpened, trouble: null } });
    }
    case "link-failed":
      return to({ ...state, link: { ...state.link, trouble: event.trouble } });
    case "acted":
      return act(state, event.action, event.extent);
  }
}

function to(state: WalkState, ...effects: WalkEffect[]): WalkStep {
  return { state, effects };
}

function act(state: WalkState, action: WalkAction, extent: Extent): WalkStep {
  switch (action) {
    case "interrupt":
    case "quit":
      return to(state, { type: "leave", isInterrupted: action === "interrupt" });
    case "do-right":
    case "do-wrong":
      return to(state, { type: "enter", isRight: action === "do-right" });
    case "open":
      return to(state, { type: "link" });
    case "retry":
      return to(state, { type: "begin", again: hasPassedPlainStages(state.login) });
    case "help":
      return to({ ...state, cover: { type: "help" } });
    case "details":
      return to({ ...state, cover: { type: "exchange", id: selectedExchange(state), scroll: 0 } });
    case "close":
      return to(state.cover === null ? { ...state, selected: null } : { ...state, cover: null });
    case "earlier":
    case "later":
      return to(otherExchange(state, action === "earlier" ? -1 : 1));
    default:
      return to(state.cover === null ? select(state, action) : scroll(state, action, extent));
  }
}

/** Where the login is, among the stages and Access after them; 0 before it has begun. */
export function placeOf({ login }: WalkState): number {
  return login === null ? 0 : (login.current ?? login.stages.length);
}

/** The place that somebody looks at. */
export function lookedAt(state: WalkState): number {
  return state.selected ?? placeOf(state);
}

/** The ids of the login's exchanges, in their order. */
export function exchangesOf({ login }: WalkState): readonly string[] {
  return login?.stages.flatMap(({ exchanges }) => exchanges) ?? [];
}

/** The exchange that is shown, if any. */
export function shownExchange(state: WalkState): string | null {
  const { cover } = state;
  return cover?.type === "exchange" ? (cover.id ?? exchangesOf(state).at(-1) ?? null) : null;
}

function hasPassedPlainStages(login: LoginView | null): boolean {
  const before = login?.stages.filter(({ stage }) => stage !== "guard" && stage !== "remember-me") ?? [];
  return before.length > 0 && before.every(({ status }) => status === "passed" || status === "skipped");
}

function selectedExchange({ login, selected }: WalkState): string | null {
  return selected === null ? null : (login?.stages[selected]?.exchanges.at(-1) ?? null);
}

function otherExchange(state: WalkState, by: number): WalkState {
  const shown = shownExchange(state);
  const all = exchangesOf(state);
  const next = shown === null ? undefined : all[all.indexOf(shown) + by];
  return next === undefined ? state : { ...state, cover: { type: "exchange", id: next, scroll: 0 } };
}

function select(state: WalkState, move: Move): WalkState {
  const last = state.login?.stages.length ?? 0;
  const target = moved(lookedAt(state), move, { last, page: last });
  return { ...state, selected: target === placeOf(state) ? null : target };
}

function scroll(state: WalkState, move: Move, { seen, all }: Extent): WalkState {
  if (state.cover?.type !== "exchange") return state;
  const last = Math.max(0, all - seen);
  // Where the window has grown, less can be scrolled than was.
  const from = Math.min(state.cover.scroll, last);
  return { ...state, cover: { ...state.cover, scroll: moved(from, move, { last, page: Math.max(1, seen - 1) }) } };
}

function moved(from: number, move: Move, { last, page }: { readonly last: number; readonly page: number }): number {
  const by = { up: -1, down: 1, "page-up": -page, "page-down": page, top: -last, bottom: last };
  return Math.min(last, Math.max(0, from + by[move]));
}
