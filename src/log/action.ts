import { defineAction } from "../action/define-action.ts";
import { wholeNumber } from "../action/flags.ts";

/** Flags of `app-sim log`. */
export interface LogFlags {
  readonly last?: number;
  /** The request of one exchange as a shell command. */
  readonly curl?: boolean;
  /** Removes every record. */
  readonly clear?: boolean;
}

export const logActions = {
  log: defineAction<never, LogFlags>({
    command: {
      name: "log",
      summary: "show the journal: every exchange with the app",
      examples: [
        "app-sim log",
        "app-sim log 7h2k         # one exchange in full; the beginning of its id is enough",
        "app-sim log last --format json",
        "app-sim log --clear",
        "app-sim log last --curl  # the same request as a shell command",
      ],
      arguments: [{ name: "[id]", help: "an id, its beginning, or last" }],
      flags: {
        last: { flag: "--last <n>", help: "how many records (default: 20)", read: wholeNumber },
        clear: { flag: "--clear", help: "remove every record, and show nothing" },
        curl: { flag: "--curl", help: "the request as a command for curl; secrets stay out of it" },
      },
      load: async () => (await import("./command.ts")).logCommand,
    },
  }),
};
