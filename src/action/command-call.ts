import type { ChoiceId } from "../config/choices.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { ProgressDisplay } from "../output/progress.ts";
import type { ExchangeLines } from "../output/text.ts";
import type { SimulatorOptions } from "../platform/simulator-options.ts";
import type { Invocation } from "./invocation.ts";

/** What a command may need besides the simulator that it runs on. */
export interface Session {
  readonly loaded: LoadedConfig;
  /** Whether the simulator is that of `app-sim serve` or `dev`, which has read the config file before. */
  readonly isRemote: boolean;
  /** What must never be shown (hardening S27). */
  readonly secrets: readonly string[];
  /** Lines of an exchange, in short and in full. */
  readonly exchanges: ExchangeLines;
  readonly details: ExchangeLines;
  readonly progress: ProgressDisplay;
}

/** How a command prints its result, and how it ends. */
export interface Ending<Result, Simulator> {
  /** The result as lines of text. */
  readonly text: (result: Result, exchanges: ExchangeLines, simulator: Simulator) => string[];
  readonly exitCode: (result: Result) => number;
  /** Whether the text is for a program, so that no line may be folded. */
  readonly isVerbatim?: boolean;
  /** Runs after the result is printed; the platform stays up until it is done. */
  readonly afterwards?: (result: Result) => Promise<void>;
}

/**
 * A command as given on the command line, and what it may use: the platform that its action runs on, in this process or
 * another, or one that it starts.
 */
export interface CommandCall<Simulator, Flags = unknown, Options = unknown, Started = Simulator> {
  readonly invocation: Invocation;
  readonly args: readonly string[];
  /** The flags that are not options of the method. */
  readonly flags: Flags;
  /** The options of the method that flags give. */
  readonly options: Options;
  /**
   * Runs an action on the platform that already runs at the configured port, or else starts one with the user's
   * configuration; prints its result, and resolves with the exit code.
   */
  readonly onSimulator: <
    Result extends { readonly warnings: readonly string[]; readonly choices?: readonly ChoiceId[] },
  >(
    action: (simulator: Simulator, session: Session) => Promise<Result>,
    ending: Ending<Result, Simulator>,
    invocation?: Invocation,
  ) => Promise<number>;
  /** Starts a simulator that the command itself closes. */
  readonly startSimulator: (options: SimulatorOptions) => Promise<Started>;
}
