import { harmlessLine } from "../protocol/harmless.ts";

/** Terminals known to make OSC 8 text clickable, by TERM_PROGRAM. */
const linkPrograms = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"];
/** The first version of the VTE library (GNOME Terminal and others) that supports them without crashing. */
const MIN_VTE_VERSION = 5002;

/** Whether the terminal is known to make text clickable. tmux and screen are not: they may not pass it on. */
export function hasHyperlinks(env: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM, TERM_PROGRAM = "", VTE_VERSION, WT_SESSION, TMUX, STY } = env;
  if (TMUX !== undefined || STY !== undefined) return false;
  if (linkPrograms.includes(TERM_PROGRAM) || TERM === "xterm-kitty" || WT_SESSION !== undefined) return true;
  return Number(VTE_VERSION ?? 0) >= MIN_VTE_VERSION;
}

/** A text that links to an address (OSC 8). */
export function hyperlink(url: string, text: string): string {
  return `\u001b]8;;${harmlessLine(url)}\u0007${text}\u001b]8;;\u0007`;
}
