import { defineAction } from "../action/define-action.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { InstallExpectation } from "./exit-code.ts";
import { type InstallOptions, installOptions } from "./install-options.ts";
import type { InstallResult, ResetResult } from "./install-result.ts";

/** What the library can do with installation events. */
export interface InstallMethods {
  /**
   * Tells the apps that they were installed, and waits for their reactions (choice `install.event`).
   * @throws UsageError if the choice is off, or nobody has the role
   */
  install(options?: InstallOptions): Promise<InstallResult>;
  /** Tells the apps that they were uninstalled; afterwards they get no tokens (choice `install.event`). */
  uninstall(options?: InstallOptions): Promise<InstallResult>;
  /**
   * Forgets all tokens and codes of the platform, including what `keepsState` keeps; every app counts as installed
   * again, as at the start. The journal, the clock and faults stay as they are, and nothing is sent.
   */
  reset(): Promise<ResetResult>;
}

/** Flags of `app-sim install` and `app-sim uninstall` that are not options of the methods. */
export interface InstallFlags {
  readonly expect?: InstallExpectation;
}

/** What installations need. */
export interface InstallContext extends SimulatorContext {
  readonly oauth: OAuth;
}

export const installActions = {
  install: installAction(
    "install",
    "send an installation event to the app",
    "send an installation event, and let the app request a token (choice install.event)",
  ),
  uninstall: installAction(
    "uninstall",
    "send an uninstallation event to the app",
    "send an uninstallation event, and revoke the app's tokens (choice install.event)",
  ),
  reset: defineAction<InstallMethods["reset"], unknown, InstallContext>({
    services: ["oauth"],
    run: async ({ oauth }) => {
      oauth.reset();
      return { command: "reset", warnings: [] };
    },
    command: {
      name: "reset",
      summary: "forget the installations and tokens that are stored next to the journal",
      brief: "forget installations and tokens",
      group: "keep",
      examples: ["app-sim reset", "app-sim reset --port 7411"],
      load: async () => (await import("./command.ts")).resetCommand,
    },
  }),
};

function installAction(name: "install" | "uninstall", brief: string, summary: string) {
  return defineAction<InstallMethods[typeof name], InstallFlags, InstallContext>({
    options: installOptions,
    services: ["oauth"],
    run: async (context, options) =>
      (await import("./run-install.ts")).runInstall(context, context.oauth, name, options),
    command: {
      name,
      summary,
      brief,
      group: "play",
      examples: [
        `app-sim ${name} --choose install.event=on`,
        `app-sim ${name} --profile installation --user admin --format json | jq '.apps[].${name === "install" ? "grant.outcome" : "state"}'`,
      ],
      flags: {
        expect: {
          flag: "--expect <end>",
          help: "exit 0 only with this result; failed means that an app answers with a status other than 2XX (default: accepted)",
          oneOf: ["accepted", "failed"],
        },
      },
      load: async () => (await import("./command.ts")).installCommand(name),
    },
  });
}
