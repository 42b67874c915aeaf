import type { Invocation } from "../../action/invocation.ts";
import { followListener, listenerOf } from "../../app-client/listener.ts";
import { systemClock } from "../../app-client/ports.ts";
import type { Config } from "../../config/schema.ts";
import { hasHyperlinks, hyperlink } from "../../output/hyperlink.ts";
import { fold, indent } from "../../output/layout.ts";
import { openInBrowser } from "../../output/open-in-browser.ts";
import { messageText } from "../../output/tell.ts";
import { type ClockState, offsetText } from "../../platform/platform-clock.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { faultsLine } from "../steer-text.ts";
import { type KeyAction, type KeyedPlatform, keyActions } from "./key-actions.ts";
import type { Drawing, Transcript } from "./transcript.ts";

interface KeyboardParts {
  readonly invocation: Invocation;
  readonly terminal: NonNullable<Invocation["terminal"]>;
  /** What was printed before. */
  readonly transcript: Transcript;
  readonly config: Config;
  readonly url: string;
  /** The page on which a login begins. */
  readonly loginLink: string;
  readonly platform: KeyedPlatform;
  /** The current clock and faults. */
  readonly steered: () => { readonly clock: ClockState; readonly faults: Parameters<typeof faultsLine>[0] };
  /** A new link to the inspector. */
  readonly inspector: () => Promise<string | null>;
  /** Redacts secrets. */
  readonly redact: (text: string) => string;
  /** Called on Ctrl-C or q. */
  readonly onEnd: () => void;
}

/** The keys of a platform that is served in a terminal. */
export interface Keyboard extends AsyncDisposable {
  /** Prints whole lines above the footer. */
  readonly write: (written: Drawing | string) => void;
  /** Called when the clock or the faults may have changed. */
  readonly steered: () => void;
  /** Whether single exchanges are currently hidden. */
  readonly isBusy: () => boolean;
}

const otherKeys = [
  { key: "r", label: "again", help: "repeats the last of these" },
  { key: "b", label: "inspector", help: "prints a link to the inspector, and opens it in the browser" },
  { key: "c", label: "clear", help: "clears the terminal" },
  { key: "?", label: "help", help: "shows this help" },
  { key: "q", label: "end", help: "ends the platform, like Ctrl-C" },
];
const allKeys = [...keyActions, ...otherKeys];

/** What each key does, in lines of at most this width. */
function helpLines(width: number): string[] {
  return allKeys.flatMap(({ key, help }) => {
    const [first = "", ...rest] = fold(help, width - 3);
    return [`${key}  ${first}`, ...indent(rest, 3)];
  });
}

/** Shows the footer of a served platform, and runs the actions of its keys. */
export async function startKeyboard(parts: KeyboardParts): Promise<Keyboard> {
  const { invocation, terminal, config, url, loginLink, steered } = parts;
  const over = new AbortController();
  const state: { last: KeyAction | null; running: KeyAction | null } = { last: null, running: null };
  const { showKeys } = await import("./show-keys.tsx");
  const app = config.apps[0]?.url ?? "";
  const screen = showKeys({
    ...terminal,
    paint: invocation.paint,
    transcript: parts.transcript,
    start: {
      ...{ url, app, isUp: (await listenerOf(app)) !== null, running: null, ...steeredText(steered()) },
      keys: allKeys.map(({ key, label }) => ({ key, label })),
    },
    onKey: (key) => {
      const action = key === "r" ? state.last : (keyActions.find((each) => each.key === key) ?? null);
      if (action !== null) void runAction(action, key);
      else pressed(key, parts, { clear: screen.clear, help, say, showLink });
    },
  });
  const say = (text: string) => screen.write((width) => messageText(width, parts.redact(text)));
  const help = () => screen.write((width) => `${helpLines(width).join("\n")}\n`);
  const hasLinks = hasHyperlinks(invocation.env);
  const showLink = (link: string) => screen.write(`  ${hasLinks ? hyperlink(link, link) : link}\n`);
  const runAction = async (action: KeyAction, key: string) => {
    if (state.running !== null) return say(`${key} is ignored: ${state.running.label} is still running`);
    state.running = action;
    state.last = action;
    screen.change({ running: action.label });
    const { said, link } = await action
      .run(parts.platform, {
        ...{ config, loginLink, cwd: invocation.cwd },
        onProgress: (done) => screen.change({ running: `${action.label}: ${done}` }),
      })
      .catch((error: unknown) => ({ said: errorText(error), link: null }));
    state.running = null;
    if (over.signal.aborted) return;
    screen.change({ running: null });
    say(said);
    if (link !== null) showLink(link);
  };
  const followed = followListener(app, {
    clock: systemClock,
    signal: over.signal,
    onChange: (change) => screen.change({ isUp: change !== "down" }),
  });
  return {
    write: screen.write,
    steered: () => screen.change(steeredText(steered())),
    isBusy: () => state.running?.isLong === true,
    async [Symbol.asyncDispose]() {
      over.abort();
      await followed;
      await screen.end();
    },
  };
}

interface Said {
  readonly clear: () => void;
  readonly help: () => void;
  readonly say: (text: string) => void;
  readonly showLink: (link: string) => void;
}

function pressed(key: string, { inspector, onEnd }: KeyboardParts, { clear, help, say, showLink }: Said): void {
  if (key === "q" || key === "ctrl-c") onEnd();
  if (key === "c") clear();
  if (key === "?") help();
  if (key === "b")
    void inspector().then((link) => (link === null ? undefined : openInspector(link, { say, showLink })));
}

/** Whether a browser opens is not known: the link is printed in any case. */
function openInspector(link: string, { say, showLink }: Pick<Said, "say" | "showLink">): void {
  say("inspector: this link opens it, once");
  showLink(link);
  openInBrowser(link);
}

function errorText(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}${error.hint === "" ? "" : ` (${error.hint})`}`;
  return `a bug in app-sim, please report it: ${String(error)}`;
}

function steeredText({ clock, faults }: ReturnType<KeyboardParts["steered"]>) {
  const isReal = !clock.frozen && Math.abs(clock.offsetMs) < 1000;
  return {
    clock: isReal ? "" : `${clock.frozen ? "frozen, " : ""}${offsetText(clock.offsetMs)}`,
    faults: faults.length === 0 ? "" : faultsLine(faults),
  };
}
