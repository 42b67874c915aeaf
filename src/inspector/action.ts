import { defineAction } from "../action/define-action.ts";

/** Flags of `app-sim inspect`. */
export interface InspectFlags {
  readonly open?: boolean;
}

export const inspectorActions = {
  inspect: defineAction<never, InspectFlags>({
    command: {
      name: "inspect",
      summary: "show every exchange in the browser, from the running platform or a saved journal",
      brief: "show every exchange in the browser",
      group: "show",
      examples: [
        "app-sim inspect --open           # of a running platform, otherwise of .app-sim",
        "app-sim inspect ci/.app-sim      # a journal from elsewhere, such as a pipeline",
        "app-sim inspect journal.ndjson",
      ],
      help: `
The printed link works once. Until app-sim ends, the browser that opens it can
read the journal and, for a running platform, run the same actions as the
commands.`,
      arguments: [{ name: "[journal]", help: "a directory with a journal, or a journal file" }],
      flags: { open: { flag: "--open", help: "open the inspector in a browser" } },
      load: async () => (await import("./command.ts")).inspectCommand,
    },
  }),
};
