import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { ActionDefinition, CommandDefinition, FlagDefinition } from "../action/define-action.ts";
import { InvalidFlagError, milliseconds, repeated, withoutUndefined } from "../action/flags.ts";
import type { Invocation } from "../action/invocation.ts";
import { allActions, formatsOf } from "../actions.ts";
import type { Settings } from "../config/environment.ts";
import { exitCodes } from "../output/exit-code.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { readReportFile } from "../report/report-file.ts";
import { declareLate } from "./declare-late.ts";
import { helpAfter } from "./help-after.ts";
import { completionExamples, completionHelp, groupHeadings, helpFormat } from "./overview.ts";
import { runDefinition } from "./run-definition.ts";
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

/** A command that was parsed from the command line and can now be run. */
export interface ParsedCommand {
  readonly globals: GlobalFlags;
  /** The settings given by flags. */
  readonly settings: Settings;
  /** Allowed values of --format, the default first. */
  readonly formats: readonly string[];
  readonly run: (invocation: Omit<Invocation, "evidence" | "report">) => Promise<number>;
}

type Flags = Readonly<Record<string, FlagDefinition>>;

/** For every command that talks to the app, or starts a platform that does. */
const evidenceFlag: FlagDefinition<readonly string[]> = {
  flag: "--evidence <file>",
  help: "also write a report of this command: .html, .har, .ndjson or .md; may be repeated",
  read: readReportFile,
};

/** For every command that prints a report of what it did. */
const reportFlags: Flags = {
  quiet: { flag: "--quiet", help: "print the report only if the result is not as expected" },
  verbose: {
    flag: "--verbose",
    help: "also print the seed, every choice that the result depends on, and the checks of verify that passed or were skipped",
  },
  details: { flag: "--details", help: "also print every string, and every request with its answer" },
};

/** For every command that can be repeated. */
const watchFlag: FlagDefinition<boolean> = {
  flag: "--watch",
  help: "run again whenever the app restarts or an input file changes, until Ctrl-C",
};

const globalFlags: Flags = {
  app: { flag: "--app <url>", help: "address of your app (default: http://127.0.0.1:3000)", setting: "app" },
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
    help: "config file: JSON, YAML, TypeScript or JavaScript (default: the nearest app-sim.config.*)",
    setting: "config",
  },
  profile: { flag: "--profile <name|file>", help: "a named set of choices and defaults", setting: "profile" },
  choose: { flag: "--choose <id=value>", help: "set a choice; may be repeated", read: repeats, setting: "choose" },
  journal: { flag: "--journal <dir>", help: "directory of the journal (default: .app-sim)", setting: "journal" },
  port: {
    flag: "--port <port>",
    help: "port of the platform; 0 picks a free one (default: 7410)",
    setting: "port",
  },
  tls: {
    flag: "--tls",
    help: "serve the platform over TLS, with a certificate that app-sim creates for this machine",
    setting: "tls",
  },
  cert: { flag: "--cert <file>", help: "your own TLS certificate for the platform (PEM)", setting: "cert" },
  key: { flag: "--key <file>", help: "the private key of --cert (PEM)", setting: "key" },
  publicUrl: {
    flag: "--public-url <url>",
    help: "address at which apps and browsers reach the platform through a proxy, a tunnel or a host name",
    setting: "publicUrl",
  },
  allowOrigin: {
    flag: "--allow-origin <origin>",
    help: "also allow modules, and files that answers name, at this origin; may be repeated",
    read: repeats,
    setting: "allowOrigin",
  },
  allowPath: {
    flag: "--allow-path <path>",
    help: "also allow fixtures and scenarios to name files at or below this path; may be repeated",
    read: repeats,
    setting: "allowPath",
  },
  wait: {
    flag: "--wait <duration>",
    help: "wait until the app listens, at most this long, such as 30s; a plain number means seconds",
    read: milliseconds,
  },
  format: { flag: "--format <format>", help: "format of the result on stdout: text or json" },
  color: { flag: "--color <when>", help: "when to use colours", oneOf: ["auto", "always", "never"], default: "auto" },
};

/**
 * Declares the whole command line. The code of a command is loaded only when it runs, so that `--help` and `--version`
 * stay fast.
 */
export function buildProgram(version: string, runCommand: (command: ParsedCommand) => Promise<void>): Command {
  const program = new Command("app-sim")
    .description(
      "Simulates the localization platform for the app that you are building, with real JWTs and signatures, offline.",
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

/** Replaces commander's own, which answers an unknown command with the help of the program. */
function declareHelp(program: Command): void {
  program
    .command("help")
    .description("print the help of a command, with all its options")
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

/** The two commands for completion: one that a user runs once, and one that the shell's script runs. */
function declareCompletion(program: Command, runCommand: (command: ParsedCommand) => Promise<void>): void {
  const runIn = (run: ParsedCommand["run"]) =>
    runCommand({ globals: program.opts<GlobalFlags>(), formats: ["text"], settings: {}, run });
  program
    .command("completion")
    .summary("print a script that completes commands and flags in your shell")
    .description("print a script that completes commands and flags in your shell")
    .helpGroup(groupHeadings.prepare)
    .addArgument(new Argument("<shell>", "your shell").choices(["bash", "zsh", "fish", "powershell"]))
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
  const talksToApp = action.run !== undefined || definition.startsPlatform === true;
  const { hasReport = action.run !== undefined } = definition;
  const own = [
    ...Object.values(options),
    ...Object.values(flags),
    ...(definition.watches === undefined ? [] : [watchFlag]),
    ...(hasReport ? Object.values(reportFlags) : []),
    ...(talksToApp ? [evidenceFlag] : []),
  ];
  declareLate(command, () => {
    for (const argument of definition.arguments ?? []) command.addArgument(argumentOf(argument));
    for (const flag of own) command.addOption(optionOf(flag as FlagDefinition));
  });
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
      run: (surroundings) =>
        runDefinition(definition, surroundings, {
          args,
          flags: valuesOf(flags, given),
          options: valuesOf(options, given),
          given,
        }),
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
  if (conflictsWith !== undefined) option.conflicts([conflictsWith].flat());
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

/** The values of the flags with these definitions, by the names of the definitions. */
function valuesOf(flags: Flags, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return withoutUndefined(
    Object.fromEntries(
      Object.entries(flags).map(([name, { flag, help }]) => [name, given[new Option(flag, help).attributeName()]]),
    ),
  );
}

/** The settings given by flags. */
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
