/** Terminals known to make OSC 8 text clickable, by TERM_PROGRAM. */
const programs = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"];
/** The first version of the VTE library (GNOME Terminal and others) that does it without crashing. */
const MIN_VTE_VERSION = 5002;

/**
 * Whether the terminal is known to make text clickable (OSC 8). Not within tmux and screen: whether they pass it on
 * cannot be seen from inside.
 */
export function hasHyperlinks(env: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM = "", TERM_PROGRAM = "", VTE_VERSION, WT_SESSION, TMUX, STY } = env;
  if (TMUX !== undefined || STY !== undefined) return false;
  if (programs.includes(TERM_PROGRAM) || TERM === "xterm-kitty" || WT_SESSION !== undefined) return true;
  return Number(VTE_VERSION ?? 0) >= MIN_VTE_VERSION;
}
