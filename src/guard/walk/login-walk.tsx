import { render, useInput, useIsScreenReaderEnabled, useStdout } from "ink";
import { useEffect, useLayoutEffect, useMemo, useReducer, useSyncExternalStore } from "react";
import { Canvas, sizeOf } from "./canvas.ts";
import { type LoginParts, startWalk, type Walk, type Walked } from "./walk-control.ts";
import { exchangeRows } from "./walk-exchange.ts";
import { actionOf, keyNames } from "./walk-keys.ts";
import { exchangeHeight, picture, type Size } from "./walk-picture.ts";
import { WalkScreen } from "./walk-screen.tsx";
import { placeOf, shownExchange, type WalkState } from "./walk-state.ts";

/** A login, and the terminal to walk it in. */
export interface WalkParts extends LoginParts {
  /** What was sent and answered, as lines without secrets, by the id of the exchange. */
  exchange(id: string): readonly string[];
  /** Terminals both. */
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly color: boolean;
  /** Calls the listener where the process goes on after it was stopped (SIGCONT); gives what ends that. */
  onResume?(listener: () => void): () => void;
}

/** The alternate screen, in which nothing goes on in the next row by itself; and back to what was there before. */
const ENTER = "\u001b[?1049h\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?1049l";
/** An empty screen without a cursor, to be drawn on from its first row. */
const EMPTY = "\u001b[?25l\u001b[2J\u001b[H";

/**
 * Lets somebody walk a login (interface 3.1) with keys, on the whole screen of a terminal, which afterwards is as it
 * was before.
 * @throws UsageError where a login cannot be begun
 */
export async function walkLogin(parts: WalkParts): Promise<Walked> {
  const { stdin, stdout } = parts;
  const walk = startWalk(parts);
  const canvas = new Canvas(stdout);
  stdout.write(ENTER);
  let isEntered = true;
  const leave = () => {
    if (isEntered) stdout.write(LEAVE);
    isEntered = false;
  };
  const screen = () => <LoginWalk walk={walk} parts={parts} size={sizeOf(stdout)} onGone={leave} />;
  // Ink asks nothing of its terminal that the canvas has not.
  const drawnOn = canvas as unknown as NodeJS.WriteStream;
  const app = render(screen(), { stdin, stdout: drawnOn, exitOnCtrlC: false, patchConsole: false });
  const gone = app.waitUntilExit();
  gone.catch(walk.fail);
  const resize = () => {
    // What Ink draws again at once has to be of the new size already.
    app.rerender(screen());
    canvas.emit("resize");
  };
  stdout.on("resize", resize);
  try {
    return await walk.ended;
  } finally {
    stdout.off("resize", resize);
    app.unmount();
    await gone.catch(() => {});
    leave();
  }
}

interface LoginWalkProps {
  readonly walk: Walk;
  readonly parts: WalkParts;
  readonly size: Size;
  readonly onGone: () => void;
}

function LoginWalk({ walk, parts, size, onGone }: LoginWalkProps) {
  const { exchange, clock, color } = parts;
  const state = useSyncExternalStore(walk.subscribe, walk.state);
  const id = shownExchange(state);
  const exchanged = useMemo(
    () => (id === null ? [] : exchangeRows(exchange(id), size.cols)),
    [id, exchange, size.cols],
  );
  useTicks(tickMs(state));
  // Ink takes its components down even where a signal ends the process.
  useEffect(() => onGone, [onGone]);
  useResume(parts);
  useInput((input, key) => {
    for (const name of keyNames(input, key)) {
      const action = actionOf(walk.state(), name);
      const extent = { seen: exchangeHeight(size), all: exchanged.length };
      if (action !== null) walk.happen({ type: "acted", action, extent });
    }
  });
  const code = isAtSecondFactor(state) ? (walk.login()?.authenticator() ?? null) : null;
  const moment = { now: clock.now(), monotonic: clock.monotonic(), code };
  return <WalkScreen rows={picture(state, moment, exchanged, size)} hasColor={color} />;
}

/** Whoever had the terminal while the process was stopped may have changed all of it. */
function useResume({ stdin, stdout, onResume }: WalkParts): void {
  // Ink draws everything again after what is written by the way.
  const { write } = useStdout();
  // With the first picture, and not after it: from then on the process may be stopped.
  useLayoutEffect(
    () =>
      onResume?.(() => {
        // Node sets no mode that it takes for the present one.
        stdin.setRawMode(false);
        stdin.setRawMode(true);
        stdout.write(ENTER);
        write(EMPTY);
      }),
    [stdin, stdout, onResume, write],
  );
}

/** Draws again and again where a clock runs; somebody who listens to the screen would hear nothing else. */
function useTicks(milliseconds: number | null): void {
  const isRead = useIsScreenReaderEnabled();
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (milliseconds === null || isRead) return undefined;
    const timer = setInterval(draw, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds, isRead]);
}

/** How often what is shown changes by itself; null: never. */
function tickMs(state: WalkState): number | null {
  const { login, refused, cover, selected } = state;
  if (cover !== null || selected !== null || refused !== null) return null;
  if (login === null || login.call !== null) return 100;
  return login.interaction !== null || isAtSecondFactor(state) ? 250 : null;
}

function isAtSecondFactor(state: WalkState): boolean {
  return state.login?.result === null && state.login.stages[placeOf(state)]?.stage === "mfa";
}
