import type { Key } from "ink";
import type { PlainStage } from "../rules/login.ts";
import { exchangesOf, placeOf, type WalkAction, type WalkState } from "./walk-state.ts";

/** What a key does at this moment. */
export interface Binding {
  /** Names of the keys, as `keyNames` gives them. */
  readonly keys: readonly string[];
  readonly action: WalkAction;
  /** The key as it is shown; empty: it is shown together with another. */
  readonly shown: string;
  /** What it does, in a few words. */
  readonly label: string;
}

const right: Record<PlainStage, string> = {
  password: "right password",
  mfa: "right code",
  "device-trust": "trust",
  "remember-me": "remember",
};
const wrong: Record<PlainStage, string> = {
  password: "wrong password",
  mfa: "wrong code",
  "device-trust": "do not trust",
  "remember-me": "do not remember",
};

const interrupt: Binding = { keys: ["ctrl-c"], action: "interrupt", shown: "Ctrl-C", label: "interrupt" };
const quit: Binding = { keys: ["q"], action: "quit", shown: "q", label: "quit" };
const help: Binding = { keys: ["?"], action: "help", shown: "?", label: "keys" };
const details: Binding = { keys: ["d"], action: "details", shown: "d", label: "details" };
const back: Binding = { keys: ["escape", "enter"], action: "close", shown: "Esc", label: "back" };
const turning: readonly Binding[] = [
  { keys: ["left", "p"], action: "earlier", shown: "←→", label: "exchange" },
  { keys: ["right", "n"], action: "later", shown: "", label: "" },
];
const paging: readonly Binding[] = [
  { keys: ["page-up"], action: "page-up", shown: "", label: "" },
  { keys: ["page-down", " "], action: "page-down", shown: "", label: "" },
  { keys: ["home"], action: "top", shown: "", label: "" },
  { keys: ["end"], action: "bottom", shown: "", label: "" },
];

/** What can be done now, the most needed first. */
export function bindings(state: WalkState): readonly Binding[] {
  const { cover } = state;
  if (cover?.type === "help") return [{ ...back, keys: [...back.keys, "?"] }, quit, interrupt];
  const end = [quit, help, interrupt];
  const canTurn = exchangesOf(state).length > 1;
  if (cover?.type === "exchange") {
    return [{ ...back, keys: [...back.keys, "d"] }, ...(canTurn ? turning : []), ...upAndDown("scroll"), ...end];
  }
  const more = [
    ...(exchangesOf(state).length > 0 ? [details] : []),
    ...(state.login === null ? [] : upAndDown("stages")),
    ...end,
  ];
  return [...(state.selected === null ? atThisStage(state) : [back]), ...more];
}

/** What a key does now; null: nothing. */
export function actionOf(state: WalkState, key: string): WalkAction | null {
  return bindings(state).find(({ keys }) => keys.includes(key))?.action ?? null;
}

function upAndDown(label: string): readonly Binding[] {
  return [
    { keys: ["up", "k"], action: "up", shown: "↑↓", label },
    { keys: ["down", "j"], action: "down", shown: "", label: "" },
    ...paging,
  ];
}

function atThisStage(state: WalkState): readonly Binding[] {
  const { login } = state;
  if (login === null ? state.refused !== null : login.result !== null) {
    return [
      { keys: ["r"], action: "retry", shown: "r", label: "log in again" },
      { keys: ["enter"], action: "quit", shown: "Enter", label: "finish" },
    ];
  }
  if (login === null) return [];
  if (login.interaction !== null) return link(state, ["o", "enter", "r"]);
  const stage = login.stages[placeOf(state)]?.stage;
  if (stage === undefined || stage === "guard") return link(state, ["o"]);
  return [
    { keys: ["enter"], action: "do-right", shown: "Enter", label: right[stage] },
    { keys: ["x"], action: "do-wrong", shown: "x", label: wrong[stage] },
    ...link(state, ["o"]),
  ];
}

function link({ canOpen, link: { url } }: WalkState, keys: readonly string[]): readonly Binding[] {
  if (canOpen) return [{ keys, action: "open", shown: "o", label: "open in browser" }];
  return url === null ? [{ keys, action: "open", shown: "o", label: "show link" }] : [];
}

const specialKeys = {
  return: "enter",
  escape: "escape",
  upArrow: "up",
  downArrow: "down",
  leftArrow: "left",
  rightArrow: "right",
  pageUp: "page-up",
  pageDown: "page-down",
  home: "home",
  end: "end",
} as const satisfies Partial<Record<keyof Key, string>>;

const controls: Readonly<Record<string, string>> = { "\r": "enter", "\n": "enter", "\u0003": "ctrl-c" };

/** The names of the keys that came in one piece: quick fingers press several. */
export function keyNames(input: string, key: Key): string[] {
  const special = Object.entries(specialKeys).find(([name]) => key[name as keyof typeof specialKeys]);
  if (special !== undefined) return [special[1]];
  if (key.ctrl) return [`ctrl-${input}`];
  return [...input].map((character) => controls[character] ?? character.toLowerCase());
}
