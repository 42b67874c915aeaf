/** The parts of Artillery's engine that tests use; the package has no types of its own. */
declare module "@artilleryio/int-core" {
  /** A test script, as its YAML says. */
  interface Script {
    readonly config: Readonly<Record<string, unknown>>;
  }
  /** What came of a run: sums by name. */
  interface Metrics {
    readonly counters: Readonly<Record<string, number>>;
  }
  interface Run {
    on(event: "done", listener: (metrics: Metrics) => void): void;
    run(): void;
    stop(): Promise<void>;
  }
  export const runner: {
    runner(script: Script, payload: undefined, options: Readonly<Record<string, unknown>>): Promise<Run>;
    readonly runnerFuncs: {
      /** Loads the functions that the script names, as every worker of Artillery does. */
      loadProcessor(script: Script, options: { readonly scriptPath: string }): Promise<Script>;
    };
  };
}
