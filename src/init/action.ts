import { defineAction } from "../action/define-action.ts";

/** Flags of `app-sim init`. */
export interface InitFlags {
  readonly yes?: boolean;
}

export const initActions = {
  init: defineAction<never, InitFlags>({
    command: {
      name: "init",
      group: "begin",
      brief: "set app-sim up in your app's folder",
      summary: "set app-sim up in your app's folder: config file, environment, fixture, contract test, CI",
      examples: ["app-sim init", "app-sim init --yes", "app-sim init --app http://127.0.0.1:8080 --yes --format json"],
      help: `
Looks at the folder (framework, port, language, manifest, localization files,
test runner), shows each file that it would write, and asks before it writes
one. Without a terminal it writes only with --yes, and otherwise exits with 1. What is
there stays as it is: lines are added to .env and .gitignore, and no other file
is touched.`,
      flags: { yes: { flag: "--yes", help: "write the files without asking" } },
      load: async () => (await import("./command.ts")).initProjectCommand,
    },
  }),
};
