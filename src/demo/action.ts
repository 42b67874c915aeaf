import { defineAction } from "../action/define-action.ts";

/** Flags of `app-sim demo`. */
export interface DemoFlags {
  readonly keep?: boolean;
  readonly details?: boolean;
  readonly broken?: string;
}

export const demoActions = {
  demo: defineAction<never, DemoFlags>({
    command: {
      name: "demo",
      summary: "try everything on a sample app: a login, an import, a webhook and an OAuth login",
      brief: "try everything on a sample app",
      group: "begin",
      startsPlatform: true,
      examples: [
        "app-sim demo",
        "app-sim demo --keep     # keep the sample app running, to try other commands",
        "app-sim demo --details  # with every request and answer",
        "app-sim demo --broken guard-no-expiry",
      ],
      flags: {
        keep: { flag: "--keep", help: "keep the sample app running at --app until Ctrl-C" },
        details: { flag: "--details", help: "also show every request and answer" },
        broken: {
          flag: "--broken <fault>",
          help: "run the sample app with a fault that app-sim verify finds, until Ctrl-C; use list to see all faults",
        },
      },
      load: async () => (await import("./command.ts")).demoCommand,
    },
  }),
};
