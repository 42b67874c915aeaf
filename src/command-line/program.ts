import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { CommandCall } from "../action/command-call.ts";
import type { ActionDefinition, CommandDefinition, FlagDefinition } from "../action/define-action.ts";
import { InvalidFlagError, milliseconds, repeated, withoutUndefined } from "../action/flags.ts";
import type { Invocation, ReportAmount } from "../action/invocation.ts";
import { allActions, formatsOf } from "../actions.ts";
import type { Settings } from "../config/environment.ts";
import { exitCodes } from "../output/exit-code.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { readReportFile } from "../report/report-file.ts";
import type { LazyPlatform } from "../start-platform.ts";
import { helpAfter } from "./help-after.ts";
import { completionExamples, completionHelp, groupHeadings, helpFormat } from "./overview.ts";
import type { CommandPlatform } from "./remote-platform.ts";
import { requireHyphens } from "./usage-hint.ts";

/** Flags that every command understands, before or after its name. */
export interface GlobalFlags {
  readonly app?: string;
  readonly manifest?: string;
  readonly config?: string;
  readonly profile?: string;
  readonly choose?: readonly string[];
  readonly journal?: string;
  readonly port?: string;
  /** Milliseconds. */
  readonly wait?: number;
  readonly format?: string;
  readonly color?: "auto" | "always" | "never";
}

/** A command that was read from the command line and can now be run. */
export interface ParsedCommand {
  readonly globals: GlobalFlags;
  /** What the flags say of the configuration. */
  readonly settings: Settings;
  /** Allowed values of --format, the default first. */
  readonly formats: readonly string[];
  readonly run: (invocation: Omit<Invocation, "evidence" | "report">) => Promise<number>;
}

type Flags = Readonly<Record<string, FlagDefinition>>;

/** Of every command that talks to the app, or starts a platform that does. */
const evidenceFlag: FlagDefinition<readonly string[]> = {
  flag: "--evidence <file>",
  help: "also write a report of this command: .html, .har, .ndjson or .md; may be repeated",
  read: readReportFile,
};

/** Of every command that prints a report of what it did. */
const reportFlags: Flags = {
  quiet: { flag: "--quiet", help: "print the report only if the run does not end as expected" },
  verbose: { flag: "--verbose", help: "also print what the result depends on: every choice, and the seed" },
  details: { flag: "--details", help: "also print everything in full: each string, each request and its answer" },
};

/** Of every command that can run again. */
const watchFlag: FlagDefinition<boolean> = {
  flag: "--watch",
  help: "run again whenever the app restarts or a file that it uses changes, until Ctrl-C",
};

const globalFlags: Flags = {
  app: { flag: "--app <url>", help: "where your app listens (default: http://127.0.0.1:3000)", setting: "app" },
  manifest: {
    flag: "--manifest <file|url>",
    help: "the app's manifest (default: {app}/manifest.json)",
    setting: "manifest",
  },
  appId: {
    flag: "--app-id <id>",
    help: "id of the installed app, in installation events (default: the manifest's identifier)",
    setting: "appId",
  },
  config: {
    flag: "--config <file>",
    help: "config file (default: the nearest app-sim.config.json, .jsonc, .js, .mjs or .cjs)",
    setting: "config",
  },
  profile: { flag: "--profile <name|file>", help: "a named set of choices", setting: "profile" },
  choose: { flag: "--choose <id=value>", help: "decide one choice; may be repeated", read: repeats, setting: "choose" },
  journal: { flag: "--journal <dir>", help: "where exchanges are kept (default: .app-sim)", setting: "journal" },
  port: {
    flag: "--port <port>",
    help: "port of the platform; 0 picks a free one (default: 7410)",
    setting: "port",
  },
  tls: {
    flag: "--tls",
    help: "the platform speaks TLS, with a certificate that app-sim makes for this machine",
    setting: "tls",
  },
  cert: { flag: "--cert <file>", help: "the platform's own certificate for TLS (PEM); with --key", setting: "cert" },
  key: { flag: "--key <file>", help: "the private key of --cert (PEM)", setting: "key" },
  publicUrl: {
    flag: "--public-url <url>",
    help: "where apps and browsers reach the platform, by a proxy, a tunnel or a name",
    setting: "publicUrl",
  },
  allowOrigin: {
    flag: "--allow-origin <origin>",
    help: "the app's modules and the files of its answers may be there too; may be repeated",
    read: repeats,
    setting: "allowOrigin",
  },
  allowPath: {
    flag: "--allow-path <path>",
    help: "a file or folder elsewhere that a fixture or scenario may name; may be repeated",
    read: repeats,
    setting: "allowPath",
  },
  wait: {
    flag: "--wait <duration>",
    help: "wait until the app listens, but no longer than this, such as 30s; a plain number is of seconds",
    read: milliseconds,
  },
  format: { flag: "--format <format>", help: "format of the result on stdout: text or json" },
  color: { flag: "--color <when>", help: "colours", oneOf: ["auto", "always", "never"], default: "auto" },
};

/**
 * Declares the whole command line. What runs a command is loaded only when it runs, so that `--help` and `--version`
 * stay quick.
 */
export function buildProgram(version: string, runCommand: (command: ParsedCommand) => Promise<void>): Command {
  const program = new Command("app-sim")
    .description(
      "Plays the localization platform against the app you are building: real JWTs, real signatures, offline.",
    )
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .configureHelp(helpFormat)
    .showSuggestionAfterError()
    .addHelpText("after", helpAfter(["app-sim guard --app http://localhost:3000"], ""));
  for (const flag of Object.values(globalFlags)) program.addOption(optionOf(flag));
  for (const action of allActions) {
    if (action.command !== undefined) declare(program, action, action.command, runCommand);
  }
  declareCompletion(program, runCommand);
  declareHelp(program);
  return program;
}

/** In place of commander's own, which answers a command that it does not know with the help of the program. */
function declareHelp(program: Command): void {
  program
    .command("help")
    .description("print the help of a command, with all of its options")
    .helpGroup(groupHeadings.begin)
    .argument("[command]")
    .action((name?: string) => {
      if (name === undefined) return program.help();
      const commands = program.createHelp().visibleCommands(program);
      const command = commands.find((each) => each.name() === name);
      if (command !== undefined) return command.help();
      const names = commands.map((each) => each.name());
      program.error(`error: unknown command '${name}'.${didYouMean(name, names)}`, {
        code: "commander.unknownCommand",
      });
    });
}

/** The two commands of completion: one that a user runs once, and one that the script of a shell runs. */
function declareCompletion(program: Command, runCommand: (command: ParsedCommand) => Promise<void>): void {
  const runIn = (run: ParsedCommand["run"]) =>
    runCommand({ globals: program.opts<GlobalFlags>(), formats: ["text"], settings: {}, run });
  program
    .command("completion")
    .summary("print a script that completes commands and flags in your shell")
    .description("print a script that completes commands and flags in your shell")
    .helpGroup(groupHeadings.prepare)
    .addArgument(new Argument("<shell>", "yours").choices(["bash", "zsh", "fish", "powershell"]))
    .addHelpText("after", helpAfter(completionExamples, completionHelp))
    .action((shell: string) =>
      runIn(async ({ out }) => {
        (await import("./completion.ts")).printCompletionScript(shell, out);
        return exitCodes.asExpected;
      }),
    );
  program
    .command("complete", { hidden: true })
    .argument("[word...]")
    .action((words: readonly string[]) =>
      runIn(async ({ out }) => {
        const { completionLines } = await import("./completion.ts");
        out(`${(await completionLines(program, words)).join("\n")}\n`);
        return exitCodes.asExpected;
      }),
    );
}

function declare(
  program: Command,
  action: ActionDefinition<never>,
  definition: CommandDefinition,
  runCommand: (command: ParsedCommand) => Promise<void>,
): void {
  const { name, summary, brief = summary, group, examples, help = "" } = definition;
  const options: Flags = Object.fromEntries(
    Object.entries<Partial<FlagDefinition>>(action.options ?? {}).filter(([, { flag }]) => flag !== undefined),
  ) as Flags;
  const flags = (definition.flags ?? {}) as Flags;
  const command = program
    .command(name)
    .description(summary)
    .summary(brief)
    .helpGroup(groupHeadings[group])
    .addHelpText("after", helpAfter(examples, help));
  for (const argument of definition.arguments ?? []) command.addArgument(argumentOf(argument));
  const talksToApp = action.run !== undefined || definition.startsPlatform === true;
  const { hasReport = action.run !== undefined } = definition;
  const own = [
    ...Object.values(options),
    ...Object.values(flags),
    ...(definition.watches === undefined ? [] : [watchFlag]),
    ...(hasReport ? Object.values(reportFlags) : []),
    ...(talksToApp ? [evidenceFlag] : []),
  ];
  for (const flag of own) command.addOption(optionOf(flag as FlagDefinition));
  command.action(() => {
    const given = command.opts<Record<string, unknown>>();
    const globals = program.opts<GlobalFlags>();
    const args = command.processedArgs.flat().filter((argument) => argument !== undefined) as string[];
    const known = [...command.options, ...program.options].flatMap(({ long }) => long ?? []);
    requireHyphens(args, { name, options: known });
    const settings = {
      ...settingsOf(globalFlags, { ...globals }),
      ...definition.settings,
      ...settingsOf(flags, valuesOf(flags, given)),
    };
    return runCommand({
      globals,
      formats: formatsOf(name),
      settings,
      run: async (surroundings) => {
        const run = await definition.load();
        const evidence = (given.evidence ?? []) as readonly string[];
        const runWith = (
          invocation: Invocation,
          own: Partial<CommandCall<CommandPlatform, unknown, unknown, LazyPlatform>> = {},
        ) => {
          const call: CommandCall<CommandPlatform, unknown, unknown, LazyPlatform> = {
            invocation,
            args,
            flags: valuesOf(flags, given),
            options: valuesOf(options, given),
            onSimulator: async (...parts) => (await import("./session.ts")).runOnSimulator(invocation, ...parts),
            startSimulator: async (runOptions) => (await import("../start-platform.ts")).startPlatform(runOptions),
            ...own,
          };
          return run(call as never);
        };
        const isEvident = definition.startsPlatform === true && evidence.length > 0;
        const runIn = async (invocation: Invocation) =>
          isEvident
            ? (await import("./evidence-of-run.ts")).runWithEvidence(invocation, (own) => runWith(own.invocation, own))
            : runWith(invocation);
        const { quiet = false, verbose = false, details = false } = given as Partial<ReportAmount>;
        const invocation = { ...surroundings, evidence, report: { quiet, verbose, details } };
        if (given.watch !== true) return runIn(invocation);
        const names = definition.watches?.(args, valuesOf(options, given)) ?? [];
        return (await import("./watch.ts")).runWatched(invocation, names, runIn);
      },
    });
  });
}

function argumentOf({ name, help, oneOf, read }: NonNullable<CommandDefinition["arguments"]>[number]): Argument {
  const argument = new Argument(name, help);
  if (oneOf !== undefined) argument.choices(oneOf);
  if (read !== undefined) argument.argParser(read);
  return argument;
}

function optionOf({ flag, help, read, oneOf, conflictsWith, default: value, isRequired }: FlagDefinition): Option {
  const option = new Option(flag, help);
  if (oneOf !== undefined) option.choices(oneOf);
  if (value !== undefined) option.default(value);
  if (conflictsWith !== undefined) option.conflicts(conflictsWith);
  if (read !== undefined) {
    option.argParser((text: string, earlier: unknown) => {
      try {
        return read(text, earlier);
      } catch (error) {
        throw error instanceof InvalidFlagError ? new InvalidArgumentError(error.message) : error;
      }
    });
  }
  return option.makeOptionMandatory(isRequired === true);
}

/** What the flags with these definitions were given, by the names of the definitions. */
function valuesOf(flags: Flags, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return withoutUndefined(
    Object.fromEntries(
      Object.entries(flags).map(([name, { flag, help }]) => [name, given[new Option(flag, help).attributeName()]]),
    ),
  );
}

/** The settings that flags decide. */
function settingsOf(flags: Flags, values: Readonly<Record<string, unknown>>): Settings {
  const settings = Object.entries(flags).flatMap(([name, { setting }]) => {
    const value = values[name];
    if (setting === undefined || value === undefined) return [];
    return [[setting, typeof value === "boolean" ? String(value) : value]];
  });
  return Object.fromEntries(settings);
}

function repeats(text: string, earlier: unknown): string[] {
  return repeated(text, earlier as string[] | undefined);
}
