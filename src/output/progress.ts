import { clip, harmlessLine } from "../protocol/harmless.ts";

interface Call {
  readonly method: string;
  readonly url: string;
  readonly timeoutMs: number;
}

interface Advance {
  readonly what: string;
  readonly done: number;
  readonly of?: number;
}

interface Screen {
  readonly err: (text: string) => void;
  readonly errWidth: () => number;
  readonly isInteractive: boolean;
}

export interface Progress {
  /** Something begins that takes at most so long; it replaces what was under way. */
  readonly started: (what: string, limitMs: number) => void;
  readonly callStarted: (call: Call) => void;
  readonly callEnded: () => void;
  /**
   * What is under way has come so far; nothing else is said to begin or to end. With `of`, the whole of it is known, and
   * the calls that it is made of are not worth a word.
   */
  readonly advanced: (progress: Advance) => void;
  readonly stop: () => void;
  /** Somebody else has the screen from now on: nothing more is said. */
  readonly silence: () => void;
}

/** What takes longer than this is worth a line. */
const PATIENCE_MS = 1000;
/** Where lines stay, one now and then says how far it has come. */
const PLAIN_EVERY_SECONDS = 10;

/**
 * Says on stderr that something takes its time: on a terminal a line that counts the seconds and goes
 * away, elsewhere a plain line, and further ones now and then about what tells how far it has come.
 */
export function showProgress({ err, errWidth, isInteractive }: Screen): Progress {
  let timer: NodeJS.Timeout | undefined;
  let shown = false;
  let silent = false;
  /** How far it has come, in words. */
  let advance = "";
  let isOfCalls = false;
  const clear = () => {
    clearInterval(timer);
    timer = undefined;
    advance = "";
    if (shown && isInteractive) err("\r\u001b[K");
    shown = false;
  };
  const begin = (what: string, limit: string) => {
    clear();
    if (silent) return;
    let seconds = 0;
    timer = setInterval(() => {
      seconds++;
      const said = advance || what;
      if (isInteractive) err(`\r\u001b[K${fitting(said, `${limit}, ${seconds} s gone`, errWidth())}`);
      else if (!shown) err(`${what}${limit}\n`);
      else if (advance !== "" && seconds % PLAIN_EVERY_SECONDS === 0) err(`${advance}\n`);
      shown = true;
    }, PATIENCE_MS);
    timer.unref();
  };
  const started = (what: string, limitMs: number) => {
    if (!isOfCalls) begin(what, `, at most ${limitMs / 1000} s`);
  };
  return {
    started,
    callStarted: ({ method, url, timeoutMs }) =>
      started(`waiting for the app: ${method} ${harmlessLine(url.split("?")[0] ?? "")}`, timeoutMs),
    callEnded: () => {
      if (!isOfCalls) clear();
    },
    advanced: ({ what, done, of }) => {
      if (of !== undefined && !isOfCalls) clear();
      isOfCalls = of !== undefined;
      if (timer === undefined) begin(`working: ${what}`, "");
      advance = `${done.toLocaleString("en-US")}${of === undefined ? "" : ` of ${of.toLocaleString("en-US")}`} ${what}`;
    },
    stop: () => {
      isOfCalls = false;
      clear();
    },
    silence: () => {
      clear();
      silent = true;
    },
  };
}

/** On one row of the terminal, or what redraws it would leave the rest behind; the end stays, which changes. */
function fitting(start: string, end: string, width: number): string {
  // A terminal may go on to the next row when its last column is filled.
  return Number.isFinite(width) ? clip(start, Math.max(1, width - 1 - end.length)) + end : start + end;
}
