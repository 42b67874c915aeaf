import { render, useInput, useIsScreenReaderEnabled, useStdout } from "ink";
import { useEffect, useLayoutEffect, useMemo, useReducer, useSyncExternalStore } from "react";
import { type LoginParts, Walk, type Walked } from "./walk-control.ts";
import { actionOf, keyNames, typedIn } from "./walk-keys.ts";
import { pageHeight, pageRows, type Size, WalkScreen } from "./walk-screen.tsx";
import { currentStage, latestExchange, openExchange, type WalkState } from "./walk-state.ts";
import { type Abilities, AbilitiesContext } from "./walk-text.tsx";

/** A login, and the terminal to walk through it in. */
export interface WalkParts extends LoginParts {
  /** An exchange as lines without secrets, by its id: in full, and in short. */
  details(id: string): readonly string[];
  summary(id: string): readonly string[];
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly abilities: Abilities;
  /** Calls the listener when the process continues after it was stopped (SIGCONT); returns what ends that. */
  onResume?(listener: () => void): () => void;
}

/** The alternate screen, without wrapping; and back to what was there before. */
const ENTER = "\u001b[?1049h\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?1049l";
/** Clears the screen, hides the cursor and moves it to the first row. */
const CLEAR = "\u001b[?25l\u001b[2J\u001b[H";

/**
 * Lets the user walk through a login (interface 3.1) with keys, on the full screen of a terminal, which is restored
 * afterwards.
 * @throws UsageError if a login cannot be started
 */
export async function walkLogin(parts: WalkParts): Promise<Walked> {
  const { stdin, stdout } = parts;
  const walk = new Walk(parts);
  stdout.write(ENTER);
  let isEntered = true;
  const leave = () => {
    if (isEntered) stdout.write(LEAVE);
    isEntered = false;
  };
  const screen = () => <LoginWalk walk={walk} parts={parts} size={sizeOf(stdout)} onGone={leave} />;
  // Before Ink's own listener, so that Ink redraws with the new size.
  const resize = () => app.rerender(screen());
  stdout.on("resize", resize);
  const app = render(screen(), { stdin, stdout: withoutHeight(stdout), exitOnCtrlC: false, patchConsole: false });
  const gone = app.waitUntilExit();
  gone.catch(walk.fail);
  try {
    return await walk.ended;
  } finally {
    stdout.off("resize", resize);
    app.unmount();
    await gone.catch(() => {});
    leave();
  }
}

/**
 * The terminal as Ink sees it. If its output is as high as the terminal, which happens whenever the terminal shrinks,
 * Ink erases the scrollback. So Ink gets no height.
 */
function withoutHeight(terminal: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(terminal, {
    get: (target, name) => (name === "rows" ? Number.POSITIVE_INFINITY : Reflect.get(target, name)),
  });
}

/** The drawing area: Ink leaves the cursor in the last row. Some terminals report 0 until they know their size. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { cols: columns || 80, rows: (rows || 24) - 1 };
}

interface LoginWalkProps {
  readonly walk: Walk;
  readonly parts: WalkParts;
  readonly size: Size;
  readonly onGone: () => void;
}

function LoginWalk({ walk, parts, size, onGone }: LoginWalkProps) {
  const { details, summary, clock, abilities } = parts;
  const state = useSyncExternalStore(walk.subscribe, walk.state);
  const [open, latest] = [openExchange(state), latestExchange(state)];
  const exchange = useMemo(() => (open === null ? [] : details(open)), [open, details]);
  const inShort = useMemo(() => (latest === null ? [] : summary(latest)), [latest, summary]);
  const page = useMemo(() => pageRows(state, exchange, size.cols), [state, exchange, size.cols]);
  useTicks(tickMs(state));
  // Ink unmounts also when a signal ends the process.
  useEffect(() => onGone, [onGone]);
  useResume(parts);
  useInput((input, key) => {
    // Fast typing may arrive as one input: first keys, then a line that one of them opened.
    for (const each of input === "" ? [""] : input) {
      if (walk.state().prompt !== null && !(key.ctrl && each === "c")) {
        for (const typed of typedIn(each, key)) walk.type(typed);
        continue;
      }
      for (const name of keyNames(each, key)) {
        const action = actionOf(walk.state(), name);
        const extent = { seen: pageHeight(size), all: page.length };
        if (action !== null) walk.dispatch({ type: "acted", action, extent });
      }
    }
  });
  const code = isAtSecondFactor(state) ? walk.authenticator() : null;
  const moment = { now: clock.now(), monotonic: clock.monotonic(), code };
  return (
    <AbilitiesContext value={abilities}>
      <WalkScreen state={state} moment={moment} page={page} latest={inShort} size={size} />
    </AbilitiesContext>
  );
}

/** Redraws everything when the process continues: another program may have changed the terminal. */
function useResume({ stdin, stdout, onResume }: WalkParts): void {
  // Ink redraws everything after text written this way.
  const { write } = useStdout();
  // Together with the first drawing: from then on the process may be stopped.
  useLayoutEffect(
    () =>
      onResume?.(() => {
        // Node does not set a mode that it believes to be current.
        stdin.setRawMode(false);
        stdin.setRawMode(true);
        stdout.write(ENTER);
        write(CLEAR);
      }),
    [stdin, stdout, onResume, write],
  );
}

/** Redraws at an interval while a clock runs, but not for a screen reader, which would read nothing else. */
function useTicks(milliseconds: number | null): void {
  const isRead = useIsScreenReaderEnabled();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (milliseconds === null || isRead) return undefined;
    const timer = setInterval(draw, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds, isRead]);
}

/** How often the screen changes by itself; null: never. */
function tickMs(state: WalkState): number | null {
  const { login, refused, page, selected } = state;
  if (page !== null || selected !== null || refused !== null) return null;
  if (login === null || login.call !== null) return 100;
  return login.interaction !== null || isAtSecondFactor(state) ? 250 : null;
}

function isAtSecondFactor(state: WalkState): boolean {
  return state.login?.result === null && state.login.stages[currentStage(state)]?.stage === "mfa";
}
