import { defineAction } from "../action/define-action.ts";
import { redirectUriFlag } from "../action/flags.ts";
import { roles } from "../config/roles.ts";
import type { ScenarioResult } from "./scenario-result.ts";
import type { ScenarioContext } from "./take-step.ts";

/** What the library can do with scenarios. */
export interface ScenarioMethods {
  /**
   * Runs the steps of scenario files, one file after another.
   * @throws UsageError for a file that is not a scenario
   */
  run(files: string | readonly string[]): Promise<ScenarioResult>;
}

/** Flags of `app-sim run`. */
export interface ScenarioFlags {
  readonly user?: string;
  readonly redirectUri?: readonly string[];
}

const stepsHelp = `
A scenario:
  name: an expired token
  seed: 7
  steps:
    - login: /login                       # a user logs in to the app by OAuth; or { start, user, deny, use }
    - deliver: project.translated         # or { events: […], count, batch, set, data, tamper, … }
      expect: acknowledged                # or refused, or { result, status, within: 2s, attempts: 1 }
    - expect: { call: GET /api/v2/projects, within: 10s, times: 1, status: 200 }
    - expect: { token: refresh_token }    # the grant type of a token request
    - expect: { no: POST /oauth/token, within: 2s }
    - wait: 2s
    - advance: 2h                         # the platform's clock
    - fault: token=500x2                  # as in app-sim fault
    - guard: { user: admin }              # or true; expect: granted, denied or refused
    - import: ../jobs/greetings.json      # or { file, via, occasion, user }; expect: imported, not-modified, failed
    - install: true                       # or uninstall; needs --choose install.event=on
With fixtures/scenario.schema.json, your editor completes scenarios.`;

export const scenarioActions = {
  run: defineAction<ScenarioMethods["run"], ScenarioFlags, ScenarioContext>({
    services: ["oauth"],
    run: async (context, files) => (await import("./run-scenario.ts")).runScenarios(context, [files].flat()),
    command: {
      name: "run",
      summary: "run scenarios: deliver events, wait, move the clock, expect requests of the app",
      brief: "run scenarios from files",
      group: "play",
      examples: [
        "app-sim run fixtures/scenarios/translation-round.yml",
        "app-sim run fixtures/scenarios --format json | jq '.scenarios[].outcome'",
      ],
      help: stepsHelp,
      arguments: [{ name: "<file...>", help: "scenario files (YAML or JSON), directories of scenarios, or patterns" }],
      flags: {
        user: {
          flag: "--user <role>",
          help: "who logs in, unless a step says otherwise: owner, admin, manager, member or outsider (default: member)",
          suggested: roles,
          setting: "user",
        },
        redirectUri: redirectUriFlag,
      },
      watches: (files) => files,
      load: async () => (await import("./command.ts")).scenarioCommand,
    },
  }),
};
