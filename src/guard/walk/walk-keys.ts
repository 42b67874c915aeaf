import type { Key } from "ink";
import type { PlainStage } from "../rules/login.ts";
import { currentStage, exchangeIds, shownGuard, type WalkAction, type WalkState } from "./walk-state.ts";

/** What a key does now. */
export interface Binding {
  /** Names of the keys, as `keyNames` gives them. */
  readonly keys: readonly string[];
  readonly action: WalkAction;
  /** The key as shown in the footer and the page of keys; empty: shown together with another. */
  readonly shown: string;
  /** What it does, in a word or two, for the footer. */
  readonly label: string;
  /** What it does, for the page of keys; not wider than 32 columns. */
  readonly help: string;
}

interface Entry extends Pick<Binding, "keys" | "action"> {
  readonly when: (state: WalkState) => boolean;
  readonly shown?: string;
  readonly label?: string | Record<PlainStage, string>;
  /** Without it, the label says enough. */
  readonly help?: string;
}

const rightLabels = {
  password: "right password",
  mfa: "right code",
  "device-trust": "trust",
  "remember-me": "remember",
};
const wrongLabels = {
  password: "wrong password",
  mfa: "wrong code",
  "device-trust": "do not trust",
  "remember-me": "do not remember",
};

const always = () => true;
const hasPage = ({ page }: WalkState) => page !== null;
const isRunning = ({ login }: WalkState) => login !== null && login.result === null;
const isAtHome = ({ page, selected }: WalkState) => page === null && selected === null;
const hasEnded = (state: WalkState) => isAtHome(state) && (state.refused !== null || state.login?.result != null);
const isPlain = (state: WalkState) => isAtHome(state) && isRunning(state) && plainStage(state) !== null;
const canOpen = (state: WalkState) => isAtHome(state) && isRunning(state) && state.canOpen;
const isWaiting = (state: WalkState) => canOpen(state) && state.login?.interaction !== null;
const atPage = (state: WalkState) => isAtHome(state) && isRunning(state) && state.login?.interaction !== null;
const canBeginAnew = ({ page, login, refused }: WalkState) => page === null && (login !== null || refused !== null);
const canTryOne = (state: WalkState) => canBeginAnew(state) && shownGuard(state) !== null && !isAlone(state);
const isAlone = ({ wish }: WalkState) => wish.only !== undefined;
const hasStages = ({ page, login }: WalkState) => page === null && login !== null;
const canTurn = (state: WalkState) => state.page?.type === "exchange" && exchangeIds(state).length > 1;
const canMove = (state: WalkState) => hasPage(state) || hasStages(state);

/** Every key of the walk, most important first. */
const table: readonly Entry[] = [
  { when: isPlain, keys: ["enter"], action: "do-right", shown: "Enter", label: rightLabels },
  { when: isPlain, keys: ["x"], action: "do-wrong", shown: "x", label: wrongLabels },
  { when: hasEnded, keys: ["r"], action: "retry", shown: "r", label: "log in again" },
  { when: hasEnded, keys: ["enter"], action: "quit", shown: "Enter", label: "finish" },
  { when: (state) => !isAtHome(state), keys: ["escape", "enter"], action: "close", shown: "Esc", label: "back" },
  {
    when: canOpen,
    keys: ["o"],
    action: "open",
    shown: "o",
    label: "open in browser",
    help: "open the login in your browser",
  },
  { when: atPage, keys: ["c"], action: "ask-code", shown: "c", label: "code", help: "come back with a code you type" },
  {
    when: atPage,
    keys: ["e"],
    action: "ask-error",
    shown: "e",
    label: "error",
    help: "come back with an error you type",
  },
  { when: isWaiting, keys: ["enter", "r"], action: "open" },
  {
    when: canTurn,
    keys: ["left", "p"],
    action: "earlier",
    shown: "←→",
    label: "exchange",
    help: "previous or next exchange",
  },
  { when: canTurn, keys: ["right", "n"], action: "later" },
  { when: hasPage, keys: ["up", "k"], action: "up", shown: "↑↓", label: "scroll" },
  {
    when: (state) => exchangeIds(state).length > 0,
    keys: ["d"],
    action: "details",
    shown: "d",
    label: "details",
    help: "show requests and answers",
  },
  { when: hasStages, keys: ["up", "k"], action: "up", shown: "↑↓", label: "stages", help: "choose a stage" },
  { when: canMove, keys: ["down", "j"], action: "down" },
  { when: canMove, keys: ["page-up"], action: "page-up" },
  { when: canMove, keys: ["page-down", " "], action: "page-down" },
  { when: canMove, keys: ["home"], action: "top" },
  { when: canMove, keys: ["end"], action: "bottom" },
  {
    when: canTryOne,
    keys: ["g"],
    action: "only-guard",
    shown: "g",
    label: "only this guard",
    help: "log in with this guard only",
  },
  { when: (state) => canBeginAnew(state) && isAlone(state), keys: ["g"], action: "only-guard" },
  {
    when: (state) => canBeginAnew(state) && isAlone(state),
    keys: ["a"],
    action: "all-guards",
    shown: "a",
    label: "all guards",
    help: "log in with all guards again",
  },
  {
    when: canBeginAnew,
    keys: ["u"],
    action: "next-user",
    shown: "u",
    label: "another user",
    help: "log in as another user",
  },
  {
    when: canBeginAnew,
    keys: ["i"],
    action: "ask-address",
    shown: "i",
    label: "address",
    help: "log in from another IP address",
  },
  { when: isRunning, keys: ["l"], action: "link", shown: "l", label: "link", help: "show the link" },
  { when: (state) => isRunning(state) && !state.canOpen, keys: ["o"], action: "link" },
  { when: always, keys: ["q"], action: "quit", shown: "q", label: "quit" },
  { when: always, keys: ["?"], action: "help", shown: "?", label: "keys", help: "show the keys" },
  { when: always, keys: ["ctrl-c"], action: "interrupt", shown: "Ctrl-C", label: "interrupt" },
];

/** While a line is typed, every other key is part of it. */
const promptBindings: readonly Binding[] = [
  { keys: [], action: "close", shown: "Enter", label: "send", help: "send" },
  { keys: [], action: "close", shown: "Esc", label: "back", help: "back" },
  { keys: ["ctrl-c"], action: "interrupt", shown: "Ctrl-C", label: "interrupt", help: "interrupt" },
];

/** What the keys do now, most important first. */
export function bindings(state: WalkState): readonly Binding[] {
  if (state.prompt !== null) return promptBindings;
  const stage = plainStage(state);
  return table
    .filter(({ when }) => when(state))
    .map(({ keys, action, shown = "", label = "", help }) => {
      const words = typeof label === "string" ? label : stage === null ? "" : label[stage];
      return { keys, action, shown, label: words, help: help ?? words };
    });
}

/** What a key does now; null: nothing. */
export function actionOf(state: WalkState, key: string): WalkAction | null {
  return bindings(state).find(({ keys }) => keys.includes(key))?.action ?? null;
}

function plainStage(state: WalkState): PlainStage | null {
  const stage = state.login?.stages[currentStage(state)]?.stage;
  return stage === undefined || stage === "guard" ? null : stage;
}

const arrows = { upArrow: "up", downArrow: "down", leftArrow: "left", rightArrow: "right" };
const pageKeys = { pageUp: "page-up", pageDown: "page-down", home: "home", end: "end" };
const specialKeys: Partial<Record<keyof Key, string>> = { return: "enter", escape: "escape", ...arrows, ...pageKeys };
const controls: Readonly<Record<string, string>> = { "\r": "enter", "\n": "enter", "\u0003": "ctrl-c" };

/** The names of the keys in one input of Ink, which holds several if somebody types fast. */
export function keyNames(input: string, key: Key): string[] {
  const special = Object.entries(specialKeys).find(([name]) => key[name as keyof Key]);
  if (special !== undefined) return [special[1]];
  if (key.ctrl) return [`ctrl-${input}`];
  return [...input].map((character) => controls[character] ?? character.toLowerCase());
}

/** What one input of Ink does to a line that is typed: characters, or the end of the line. */
export function typedIn(input: string, key: Key): readonly (string | "enter" | "erase" | "escape")[] {
  if (key.return) return ["enter"];
  if (key.escape) return ["escape"];
  if (key.backspace || key.delete) return ["erase"];
  if (key.ctrl || key.meta) return [];
  return [...input].flatMap((character) => {
    if (character === "\r" || character === "\n") return ["enter"];
    if (character === "\u007f" || character === "\b") return ["erase"];
    return character < " " ? [] : [character];
  });
}
