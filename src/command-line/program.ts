import { Command, InvalidArgumentError, Option } from "commander";
import type { Settings } from "../config/environment.ts";
import type { FixtureOptions } from "../fixture/command.ts";
import { addGuardFlags, type GuardFlags, guardSettings } from "../guard/guard-flags.ts";
import type { InstallOptions } from "../install/run-install.ts";
import { addOAuthFlags, type OAuthFlags, oauthSettings } from "../oauth-login/oauth-flags.ts";
import type { Invocation } from "../output/invocation.ts";
import { collect, wholeNumber, withoutUndefined } from "../output/options.ts";
import { addImportFlags, type ImportFlags, importSettings } from "../post-import/import-flags.ts";
import { declareServing } from "../serve/serve-commands.ts";
import { addPrefixFlag, type PrefixFlag } from "../serve/serve-flags.ts";
import { declareWebhooks } from "../webhook/webhook-commands.ts";
import type { Declare, MakeAction, Run } from "./declaring.ts";

/** Options that every command understands, before or after its name. */
export interface GlobalOptions {
  readonly app?: string;
  readonly manifest?: string;
  readonly config?: string;
  readonly profile?: string;
  readonly choose?: readonly string[];
  readonly journal?: string;
  readonly port?: string;
  /** Seconds. */
  readonly wait?: number;
  readonly format?: string;
  readonly color: "auto" | "always" | "never";
}

/** A command that was read from the command line and can now be run. */
export interface ParsedCommand {
  readonly globals: GlobalOptions;
  /** What the flags say of the configuration. */
  readonly settings: Settings;
  /** Allowed values of --format, the default first. */
  readonly formats: readonly string[];
  readonly run: (invocation: Invocation) => Promise<number>;
}

/**
 * Declares the whole command line. The module of a command is loaded only when it runs, so that `--help` and
 * `--version` stay quick.
 */
export function buildProgram(version: string, runCommand: (command: ParsedCommand) => Promise<void>): Command {
  const program = new Command("app-sim")
    .description(
      "Plays the localization platform against the app you are building: real JWTs, real signatures, offline.",
    )
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .option("--app <url>", "where your app listens (default: http://127.0.0.1:3000)")
    .option("--manifest <file|url>", "the app's manifest (default: {app}/manifest.json)")
    .option("--config <file>", "config file (default: the nearest app-sim.config.json, .js, .mjs or .cjs)")
    .option("--profile <name|file>", "a named set of choices")
    .option("--choose <id=value>", "decide one choice; may be repeated", collect)
    .option("--journal <dir>", "where exchanges are kept (default: .app-sim)")
    .option("--port <port>", "of the platform itself; 0 takes a free one (default: 7410)")
    .option("--wait <seconds>", "wait until the app listens, at most so long", seconds)
    .option("--format <format>", "of the result on stdout: text or json")
    .addOption(new Option("--color <when>", "colours").choices(["auto", "always", "never"]).default("auto"))
    .addHelpText("after", examplesHelp + exitCodeHelp);

  const declare: Declare = (name, description, examples, more = "") =>
    program
      .command(name)
      .description(description)
      .addHelpText("after", `\nExamples:\n${examples.map((line) => `  $ ${line}`).join("\n")}${more}`);

  /** An action for commander, which gives the arguments, the options and the command itself. */
  const action: MakeAction =
    <Options extends object>(
      run: Run<Options>,
      settingsOf: (options: Options) => Settings = () => ({}),
      formats: readonly string[] = ["text", "json"],
    ) =>
    (...parameters) => {
      const command = parameters.at(-1) as Command;
      const options = command.opts<Options>();
      const globals = program.opts<GlobalOptions>();
      const args = command.processedArgs.flat().filter((argument) => argument !== undefined) as string[];
      return runCommand({
        globals,
        formats,
        settings: { ...globalSettings(globals), ...settingsOf(options) },
        run: (invocation) => run(invocation, options, args),
      });
    };

  declare("demo", "do everything once on an embedded sample app: a login, an import, a webhook, a login by OAuth", [
    "app-sim demo",
    "app-sim demo --keep     # leave the sample app running, to try the other commands on it",
  ])
    .option("--keep", "leave the sample app running at --app until Ctrl-C")
    .action(
      action<{ keep?: boolean }>(async (invocation, options) =>
        (await import("../demo/command.ts")).demo(invocation, options),
      ),
    );

  addGuardFlags(
    declare("guard", "log a user in: call the app's auth guards one after another", [
      "app-sim guard",
      "app-sim guard --module network --user admin --ip 2001:db8::7",
      "app-sim guard --ip 198.51.100.7 --expect denied",
      "app-sim guard --user manager --press accept --format json | jq .outcome",
      "app-sim guard --explore",
    ]),
  ).action(
    action<GuardFlags>(
      async (invocation, flags) => (await import("../guard/command.ts")).guard(invocation, flags),
      guardSettings,
    ),
  );

  addImportFlags(
    declare(
      "post-import",
      "import files: send their strings to the app's post-import module, show what it changed",
      [
        "app-sim post-import fixtures/jobs/greetings.json",
        "app-sim post-import fixtures/jobs --details",
        "app-sim post-import fixtures/jobs/greetings.json --via url --occasion source-upload",
        "app-sim post-import fixtures/jobs --update     # accept the answers; later runs compare",
        "app-sim post-import fixtures/jobs/greetings.json --format json | jq '.jobs[].changes.changed'",
      ],
      fixtureHelp,
    ).argument("<file...>", "fixtures (whole jobs, or the short form), directories of them, or patterns"),
  ).action(
    action<ImportFlags>(
      async (invocation, flags, files) =>
        (await import("../post-import/command.ts")).postImport(invocation, files, flags),
      importSettings,
    ),
  );

  declare("fixture", "make fixtures for post-import of localization files: JSON, YAML, strings.xml, PO, XLIFF …", [
    "app-sim fixture locales/en.json --translations uk=locales/uk.json --translations pl=locales/pl.json",
    "app-sim fixture app/src/main/res/values/strings.xml --out fixtures/jobs",
    "app-sim fixture locale --format json | jq '.fixtures[].notes'",
  ])
    .argument(
      "<file...>",
      "files of json, yaml, android, strings, stringsdict, gettext, xliff, arb or properties, directories, or patterns",
    )
    .option("--out <dir>", "where the fixtures go (default: fixtures/jobs if it is there, else beside the file)")
    .option("--source <language>", "language of the source texts (default: as file or path says, else en)")
    .option("--translations <language=file>", "a file with the translations of the one file; may be repeated", collect)
    .option("--type <format>", "the format, where the ending does not tell")
    .option("--force", "replace fixtures that exist")
    .action(
      action<FixtureOptions>(async (invocation, options, files) =>
        (await import("../fixture/command.ts")).fixture(invocation, options, files),
      ),
    );

  declareWebhooks(declare, action);

  declareServing(declare, action);

  addOAuthFlags(
    declare("oauth", "log in to the app by OAuth without a person: consent, callback, exchange, API, refresh", [
      "app-sim oauth --start /login --redirect-uri http://127.0.0.1:3000/oauth/callback",
      "app-sim oauth --start /login --deny",
      "app-sim oauth --start http://127.0.0.1:3000/login --use /projects --format json | jq .steps",
    ]),
  ).action(
    action<OAuthFlags>(
      async (invocation, flags) => (await import("../oauth-login/command.ts")).oauth(invocation, flags),
      oauthSettings,
    ),
  );

  declare("manifest", "read the app's manifest and show what the platform makes of it", [
    "app-sim manifest",
    "app-sim manifest --manifest ./manifest.json --format json",
  ]).action(action(async (invocation) => (await import("../manifest/command.ts")).manifest(invocation)));

  for (const name of ["install", "uninstall"] as const) {
    declare(name, installations[name], [
      `app-sim ${name} --choose install.event=on`,
      `app-sim ${name} --profile installation --user admin --format json | jq '.apps[].grant.outcome'`,
    ])
      .option("--user <role>", "who does it: owner, admin, manager, member or outsider (default: owner)")
      .action(
        action<InstallOptions>(async (invocation, options) =>
          (await import("../install/command.ts")).install(invocation, name, options),
        ),
      );
  }

  declare("choices", "list what the platform's interface leaves open, and how app-sim decides it", [
    "app-sim choices",
    "app-sim choices --profile base64-signature --choose guard.jwt.algorithm=HS512",
  ]).action(action(async (invocation) => (await import("../settings/choices-command.ts")).choices(invocation)));

  declare("config", "show every value of the configuration and where it came from", [
    "app-sim config",
    "app-sim config --schema > app-sim.config.schema.json",
  ])
    .option("--schema", "print the JSON Schema of the config file")
    .action(
      action<{ schema?: boolean }>(async (invocation, options) =>
        (await import("../settings/config-command.ts")).config(invocation, options),
      ),
    );

  addPrefixFlag(
    declare("env", "print what the app must know: addresses and secrets (--format dotenv, json or shell)", [
      "app-sim env > .env.app-sim",
      'eval "$(app-sim env --format shell)"',
      "app-sim env --prefix ACME_ --format json",
    ]),
  ).action(
    action<PrefixFlag>(
      async (invocation, options) => (await import("../settings/env-command.ts")).env(invocation, options),
      undefined,
      ["dotenv", "json", "shell"],
    ),
  );

  declare("log", "show the journal: every exchange with the app", [
    "app-sim log",
    "app-sim log 7h2k         # one exchange in full; the beginning of its id is enough",
    "app-sim log last --format json",
    "app-sim log last --curl  # the same request as a shell command",
  ])
    .argument("[id]", "an id, its beginning, or last")
    .option("--last <n>", "how many records (default: 20)", wholeNumber)
    .option("--curl", "the request as a command for curl; secrets stay out of it")
    .action(
      action<{ last?: number; curl?: boolean }>(async (invocation, options, [id]) =>
        (await import("../log/command.ts")).log(invocation, id, options),
      ),
    );

  return program;
}

const installations = {
  install: "tell the app that it was installed, and let it ask for a token meanwhile (choice install.event)",
  uninstall: "tell the app that it is installed no more, and revoke its tokens (choice install.event)",
};

const examplesHelp = `
Examples:
  $ app-sim demo
  $ app-sim guard --app http://localhost:3000
  $ app-sim guard --help
`;

const exitCodeHelp = `
Exit codes:
  0  as expected                          3  the app cannot be reached
  1  denied, failed or nothing was sent   4  the app took too long
  2  wrong usage or configuration         70 a bug of app-sim
  129 the terminal was closed             130 interrupted (143 by SIGTERM)`;

const fixtureHelp = `

A fixture in the short form:
  { "file": { "path": "en.json" }, "targetLanguages": ["uk"],
    "strings": [{ "identifier": "hello", "text": "Hello", "translations": { "uk": { "text": "Привіт" } } }] }
A whole job (what the platform sends) is sent as it is.`;

function globalSettings({ app, manifest, config, profile, choose, journal, port }: GlobalOptions): Settings {
  return withoutUndefined<Settings>({ app, manifest, config, profile, choose, journal, port });
}

function seconds(text: string): number {
  const [, digits] = /^(\d+(?:\.\d+)?)s?$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError("Expected seconds, such as 30.");
  return Number(digits);
}
