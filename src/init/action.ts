import { defineAction } from "../action/define-action.ts";
import type { ConfigFormat } from "./config-text.ts";

/** Flags of `app-sim init`. */
export interface InitFlags {
  readonly yes?: boolean;
  readonly configFormat?: ConfigFormat;
}

export const initActions = {
  init: defineAction<never, InitFlags>({
    command: {
      name: "init",
      group: "begin",
      brief: "set up app-sim in your app's folder",
      summary: "set up app-sim in your app's folder: config file, environment, fixture, contract test, CI",
      examples: [
        "app-sim init",
        "app-sim init --yes",
        "app-sim init --config-format yaml",
        "app-sim init --app http://127.0.0.1:8080 --yes --format json",
      ],
      help: `
Detects the framework, port, language, manifest, localization files and test
runner. Shows each proposed file, and asks before it writes it. Without a
terminal, it needs --yes, and otherwise exits with 1. It adds lines to .env and
.gitignore, and changes no other existing file.`,
      flags: {
        yes: { flag: "--yes", help: "write the files without asking" },
        configFormat: {
          flag: "--config-format <format>",
          help: "format of the new config file; json can have comments, ts needs Node 22.18 or newer (default: json)",
          oneOf: ["json", "yaml", "ts"] satisfies ConfigFormat[],
        },
      },
      load: async () => (await import("./command.ts")).initProjectCommand,
    },
  }),
};
