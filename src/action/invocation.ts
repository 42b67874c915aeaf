import type { Settings } from "../config/environment.ts";
import type { Paint } from "../output/paint.ts";

interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Calls the listener when the program goes on after it was stopped; the returned function ends that. */
  readonly onResume: (listener: () => void) => () => void;
}

/** How much of a report is printed. */
export interface ReportAmount {
  /** Nothing where the run ended as expected. */
  readonly quiet: boolean;
  /** Also what the result rests on: every choice, and the seed. */
  readonly verbose: boolean;
  /** Also every string and every exchange, in full. */
  readonly details: boolean;
}

/** What a command gets from the command line: no command reads the process by itself. */
export interface Invocation {
  /** Of app-sim. */
  readonly version: string;
  readonly settings: Settings;
  /** One of the formats that the command was declared with. */
  readonly format: string;
  /** The arguments as they were typed. */
  readonly typed: readonly string[];
  /** Files that a report of the command is to be written into (`--evidence`). */
  readonly evidence: readonly string[];
  /** How much of its report is wanted (`--quiet`, `--verbose`, `--details`). */
  readonly report: ReportAmount;
  /** How long to wait for the app to listen before anything is sent; 0: not at all. */
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
  /** Hears of the warnings that are written to stderr. */
  readonly onWarning?: (warning: string) => void;
  /** Columns of stderr's terminal at this moment; Infinity where it is none. */
  readonly errWidth: () => number;
  /** Whether stderr is a terminal that can redraw a line. */
  readonly isInteractive: boolean;
  /** Whether any of stdin, stdout and stderr is a terminal: then its Ctrl-C is for all programs that run in it. */
  readonly isInTerminal: boolean;
  /** The terminal for a screen with keys; null where stdin, stdout or stderr is none. */
  readonly terminal: Terminal | null;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** From now on Ctrl-C is the normal end: the exit code is what the command resolves with. */
  readonly expectInterrupt: () => void;
  /** For what goes on until it is ended: aborted by Ctrl-C and SIGTERM, and where nobody reads stdout any more. */
  readonly ended: AbortSignal;
  /** From now on signals are given to the taker, and end nothing by themselves, until the returned function is called. */
  readonly takeSignals: (taker: (signal: NodeJS.Signals) => void) => () => void;
}
