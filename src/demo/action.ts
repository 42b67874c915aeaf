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
      summary: "do everything once on an embedded sample app: a login, an import, a webhook, a login by OAuth",
      brief: "do everything once on an embedded sample app",
      group: "begin",
      startsPlatform: true,
      examples: [
        "app-sim demo",
        "app-sim demo --keep     # leave the sample app running, to try the other commands on it",
        "app-sim demo --details  # with all that was sent and came back",
        "app-sim demo --broken guard-no-expiry",
      ],
      flags: {
        keep: { flag: "--keep", help: "leave the sample app running at --app until Ctrl-C" },
        details: { flag: "--details", help: "show all that was sent and came back" },
        broken: {
          flag: "--broken <fault>",
          help: "start the sample app with a fault for app-sim verify to find, until Ctrl-C; list shows them",
        },
      },
      load: async () => (await import("./command.ts")).demoCommand,
    },
  }),
};
