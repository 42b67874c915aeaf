import type { Settings } from "../config/environment.ts";
import type { Paint } from "../output/paint.ts";

interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Calls the listener when the program is resumed after it was suspended; the returned function stops that. */
  readonly onResume: (listener: () => void) => () => void;
}

/** How much of a report is printed. */
export interface ReportAmount {
  /** Nothing if the run ended as expected. */
  readonly quiet: boolean;
  /** Also what the result depends on: every choice, and the seed. */
  readonly verbose: boolean;
  /** Also every string and every exchange, in full. */
  readonly details: boolean;
}

/** What a command gets from the process, which no command reads itself. */
export interface Invocation {
  /** Of app-sim. */
  readonly version: string;
  readonly settings: Settings;
  /** One of the command's declared formats. */
  readonly format: string;
  /** The arguments as they were typed. */
  readonly typed: readonly string[];
  /** Files to write a report of the command to (`--evidence`). */
  readonly evidence: readonly string[];
  /** How much of its report is wanted (`--quiet`, `--verbose`, `--details`). */
  readonly report: ReportAmount;
  /** How long to wait for the app to listen before anything is sent; 0: do not wait. */
  readonly waitMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly paint: Paint;
  /** All of stdin. */
  readonly readIn: () => Promise<Uint8Array>;
  /** Writes to stdout: the result and nothing else; bytes as they are. */
  readonly out: (text: string | Uint8Array) => void;
  /** Writes to stderr: everything else. */
  readonly err: (text: string) => void;
  /** Called with each warning that is written to stderr. */
  readonly onWarning?: (warning: string) => void;
  /** Current width of stderr's terminal in columns; Infinity if it is not a terminal. */
  readonly errWidth: () => number;
  /** Whether stderr is a terminal that can redraw a line. */
  readonly isInteractive: boolean;
  /** Whether stdin, stdout or stderr is a terminal: then its Ctrl-C goes to all programs that run in it. */
  readonly isInTerminal: boolean;
  /** The terminal for a screen with keys; null if stdin, stdout or stderr is not one. */
  readonly terminal: Terminal | null;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** From now on Ctrl-C is the normal end: the exit code is the one the command resolves with. */
  readonly expectInterrupt: () => void;
  /** For commands that run until stopped: aborted by Ctrl-C and SIGTERM, and when nobody reads stdout any more. */
  readonly ended: AbortSignal;
  /** From now on signals go to the taker and end nothing themselves, until the returned function is called. */
  readonly takeSignals: (taker: (signal: NodeJS.Signals) => void) => () => void;
}
