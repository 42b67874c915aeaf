import { clip, harmlessLine } from "../protocol/harmless.ts";
import { withCommas } from "../protocol/with-commas.ts";

interface Screen {
  readonly err: (text: string) => void;
  readonly errWidth: () => number;
  readonly isInteractive: boolean;
}

export interface ProgressDisplay {
  /** Shows the start of something with a time limit; replaces what was in progress. */
  readonly started: (what: string, limitMs: number) => void;
  readonly callStarted: (call: { readonly method: string; readonly url: string; readonly timeoutMs: number }) => void;
  readonly callEnded: () => void;
  /** Shows the start of work in this process, which has no time limit. */
  readonly working: (what: string) => void;
  /** Shows how much is done; with `of`, the total is known, and single calls are no longer shown. */
  readonly advanced: (progress: { readonly what: string; readonly done: number; readonly of?: number }) => void;
  /** Makes room for other lines; the progress is shown again below them. */
  readonly erase: () => void;
  readonly stop: () => void;
  /** Shows nothing from now on, because something else uses the screen. */
  readonly silence: () => void;
}

/** Anything that takes longer than this gets a line. */
const PATIENCE_MS = 1000;
/** How often a progress line is printed if lines cannot be redrawn. */
const PLAIN_EVERY_SECONDS = 10;

/**
 * Shows progress on stderr: on a terminal one line that counts the seconds and disappears, elsewhere a plain line, and
 * further ones at intervals if the progress is known.
 */
export function showProgress({ err, errWidth, isInteractive }: Screen): ProgressDisplay {
  let timer: NodeJS.Timeout | undefined;
  let shown = false;
  let silent = false;
  /** The progress, in words. */
  let advance = "";
  let isOfCalls = false;
  const erase = () => {
    if (shown && isInteractive) err("\r\u001b[K");
  };
  const clear = () => {
    clearInterval(timer);
    timer = undefined;
    advance = "";
    erase();
    shown = false;
  };
  const begin = (what: string, limit: string) => {
    clear();
    if (silent) return;
    let seconds = 0;
    timer = setInterval(() => {
      seconds++;
      const said = advance || what;
      if (isInteractive) err(`\r\u001b[K${fitting(said, `${limit}, ${seconds} s elapsed`, errWidth())}`);
      else if (!shown) err(`${fitting(what, limit, errWidth())}\n`);
      else if (advance !== "" && seconds % PLAIN_EVERY_SECONDS === 0) err(`${fitting(advance, "", errWidth())}\n`);
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
    working: (what) => begin(`in progress: ${what}`, ""),
    callEnded: () => {
      if (!isOfCalls) clear();
    },
    advanced: ({ what, done, of }) => {
      if (of !== undefined && !isOfCalls) clear();
      isOfCalls = of !== undefined;
      if (timer === undefined) begin(`in progress: ${what}`, "");
      advance = `${withCommas(done)}${of === undefined ? "" : ` of ${withCommas(of)}`} ${what}`;
    },
    erase,
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

/** Fits a text into one terminal row, or redrawing would leave the rest behind; the end, which changes, is kept. */
function fitting(start: string, end: string, width: number): string {
  // A terminal may wrap to the next row when its last column is filled.
  return Number.isFinite(width) ? clip(start, Math.max(1, width - 1 - end.length)) + end : start + end;
}
