import { defineAction } from "../action/define-action.ts";

/** Flags of `app-sim inspect`. */
export interface InspectFlags {
  readonly open?: boolean;
}

export const inspectorActions = {
  inspect: defineAction<never, InspectFlags>({
    command: {
      name: "inspect",
      summary: "see every exchange in the browser: of the running platform, or of a saved journal",
      brief: "see every exchange in the browser",
      group: "show",
      examples: [
        "app-sim inspect --open           # of app-sim serve, if it runs, else of .app-sim",
        "app-sim inspect ci/.app-sim      # a journal from elsewhere, such as a pipeline",
        "app-sim inspect journal.ndjson",
      ],
      help: `
The link that is printed opens once: that browser can then read the journal
and, of a running platform, do what the commands do, until app-sim ends.`,
      arguments: [{ name: "[journal]", help: "a directory with a journal, or its file" }],
      flags: { open: { flag: "--open", help: "open it in a browser" } },
      load: async () => (await import("./command.ts")).inspectCommand,
    },
  }),
};
