import { defineAction } from "../action/define-action.ts";
import { redirectUriFlag } from "../action/flags.ts";
import { areas } from "../checking/check.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { VerifyResult } from "../checking/verify-result.ts";
import type { ProposedConfig } from "./propose-config.ts";
import { type VerifyOptions, verifyOptions } from "./verify-options.ts";

/** What the library can do to verify apps. */
export interface VerifyMethods {
  /**
   * Verifies that the installed apps check what the interface requires, and answer as it says: every wrong request is
   * the twin of a right one that the app accepts before and after it, and differs in one property.
   * @throws UsageError for a name that selects no check
   */
  verify(options?: VerifyOptions): Promise<VerifyResult>;
  /**
   * Works out settings for `verify`: whom each guard lets in and whom it denies, how its page is passed and failed, and
   * where a login by OAuth starts.
   * @throws UsageError for an app at a public address, or an invalid manifest
   */
  proposeVerify(): Promise<ProposedConfig>;
}

/** Flags of `app-sim verify` that are not options of the method. */
export interface VerifyFlags {
  readonly list?: boolean;
  readonly explain?: string;
  readonly init?: boolean;
  readonly write?: boolean;
  readonly again?: boolean;
  readonly redirectUri?: readonly string[];
}

const services = ["logins", "chromium", "oauth", "files", "previews", "patterns"];

export const verifyActions = {
  verify: defineAction<VerifyMethods["verify"], VerifyFlags, VerifyContext>({
    options: verifyOptions,
    services,
    run: async (context, options) => (await import("./run-verify.ts")).runVerify(context, options),
    command: {
      name: "verify",
      summary: "verify that the app refuses wrong requests and accepts correct ones",
      brief: "verify that the app refuses wrong requests",
      group: "check",
      examples: [
        "app-sim verify",
        "app-sim verify --only guard,webhook.signature",
        "app-sim verify --explain guard.token.expired",
        "app-sim verify --fuzz 100                      # also sends random jobs, deliveries and logins",
        "app-sim verify --format junit > verify.xml     # or tap, sarif, github, markdown, json",
        "app-sim verify --baseline known.json --update-baseline",
      ],
      formats: ["text", "json", "junit", "tap", "sarif", "github", "markdown"],
      flags: {
        list: {
          flag: "--list",
          help: "list the checks without running them",
          conflictsWith: ["explain", "init", "again", "module", "watch"],
        },
        explain: {
          flag: "--explain <id>",
          help: "explain what a check does, why it matters, and how to fix what it finds",
          conflictsWith: ["init", "again", "module", "watch"],
          suggested: async () => (await import("./checks.ts")).allChecks.map(({ id }) => id),
        },
        init: {
          flag: "--init",
          help: "print a verify block for your configuration, with everything that can be found out",
          conflictsWith: "again",
        },
        write: { flag: "--write", help: "with --init: add the block to the config file without replacing anything" },
        redirectUri: redirectUriFlag,
        again: { flag: "--again", help: "judge the last recorded run again; sends nothing" },
      },
      watches: () => [],
      flagFor: (value) => {
        if (/^https?:/.test(value)) return null;
        const namesChecks = /[.*]/.test(value) || areas.some((area) => area === value);
        return `${namesChecks ? "--only" : "--module"} ${value}`;
      },
      load: async () => (await import("./command.ts")).verifyCommand,
    },
  }),
  proposeVerify: defineAction<VerifyMethods["proposeVerify"], unknown, VerifyContext>({
    services,
    run: async (context) => (await import("./propose-config.ts")).proposeConfig(context),
  }),
};
