import { defineAction } from "../action/define-action.ts";

/** Flags of `app-sim config`. */
export interface ConfigFlags {
  readonly schema?: boolean;
}

/** Flags of `app-sim env`. */
export interface EnvFlags {
  readonly prefix?: string;
}

const envFormats = ["dotenv", "json", "shell", "powershell"];

export const settingsActions = {
  choices: defineAction<never>({
    command: {
      name: "choices",
      summary: "list the choices: what the platform's interface leaves open, and what app-sim does",
      brief: "list what the platform's interface leaves open",
      group: "prepare",
      examples: [
        "app-sim choices",
        "app-sim choices guard.jwt.claims",
        "app-sim choices --profile base64-signature --choose guard.jwt.algorithm=HS512",
      ],
      arguments: [
        {
          name: "[id...]",
          help: "only choices with these ids or prefixes, such as guard.jwt",
          suggested: async () => (await import("../config/choices.ts")).choiceIds,
        },
      ],
      load: async () => (await import("./choices-command.ts")).choicesCommand,
    },
  }),
  config: defineAction<never, ConfigFlags>({
    command: {
      name: "config",
      summary: "show every value of the configuration and where it came from",
      group: "prepare",
      examples: [
        "app-sim config",
        "app-sim config port apps[0].url",
        "app-sim config --schema > app-sim.config.schema.json",
      ],
      arguments: [
        {
          name: "[setting...]",
          help: "only these settings, and those below them, such as organization",
          suggested: async () => (await import("./setting-paths.ts")).settingPaths(),
        },
      ],
      flags: { schema: { flag: "--schema", help: "print the JSON Schema of the config file" } },
      load: async () => (await import("./config-command.ts")).configCommand,
    },
  }),
  env: defineAction<never, EnvFlags>({
    command: {
      name: "env",
      summary: "print the addresses and secrets that your app needs (--format dotenv, json, shell or powershell)",
      brief: "print the addresses and secrets that your app needs",
      group: "prepare",
      examples: [
        "app-sim env > .env.app-sim",
        'eval "$(app-sim env --format shell)"',
        "app-sim env --format powershell | Out-String | Invoke-Expression",
        "app-sim env --prefix ACME_ --format json",
      ],
      flags: { prefix: { flag: "--prefix <text>", help: "prefix of each variable", default: "PLATFORM_" } },
      formats: envFormats,
      argumentsHint: ([word = ""]) =>
        envFormats.includes(word)
          ? null
          : `env takes no argument: --format is ${envFormats.join(", ")}; --profile names a profile`,
      flagFor: (value) => `--format ${value}`,
      load: async () => (await import("./env-command.ts")).envCommand,
    },
  }),
};
