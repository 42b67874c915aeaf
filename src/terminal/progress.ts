import { harmlessLine } from "../protocol/harmless.ts";

interface Call {
  readonly method: string;
  readonly url: string;
  readonly timeoutMs: number;
}

interface Screen {
  readonly err: (text: string) => void;
  readonly isInteractive: boolean;
}

export interface Progress {
  readonly callStarted: (call: Call) => void;
  readonly callEnded: () => void;
  readonly stop: () => void;
}

/** A call that takes longer than this is worth a line. */
const PATIENCE_MS = 1000;

/**
 * Says on stderr that a call to the app takes its time: on a terminal a line that counts the seconds and goes
 * away, elsewhere one plain line per call.
 */
export function showProgress({ err, isInteractive }: Screen): Progress {
  let timer: NodeJS.Timeout | undefined;
  let shown = false;
  const clear = () => {
    clearInterval(timer);
    if (shown && isInteractive) err("\r\u001b[K");
    shown = false;
  };
  return {
    callStarted: ({ method, url, timeoutMs }) => {
      clear();
      let seconds = 0;
      timer = setInterval(() => {
        seconds++;
        const text = `waiting for the app: ${method} ${harmlessLine(url.split("?")[0] ?? "")}, at most ${timeoutMs / 1000} s`;
        if (isInteractive) err(`\r\u001b[K${text}, ${seconds} s gone`);
        else if (!shown) err(`${text}\n`);
        shown = true;
      }, PATIENCE_MS);
      timer.unref();
    },
    callEnded: clear,
    stop: clear,
  };
}
