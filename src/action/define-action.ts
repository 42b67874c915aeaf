import type { ZodType } from "zod";
import type { Settings } from "../config/environment.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { SchemaParts } from "../protocol/schema-parts.ts";
import type { CommandCall } from "./command-call.ts";

/** Values; a function if only shell completion needs to load them. */
export type Suggestions = readonly string[] | (() => Promise<readonly string[]>);

/** A flag of a command. */
export interface FlagDefinition<Value = unknown> {
  /** As shown in help, such as `--count <n>`. */
  readonly flag: string;
  readonly help: string;
  /**
   * Parses the text after the flag; default: the text itself, or true for a flag without one.
   * @param earlier the value so far, for a flag that may be repeated
   * @throws InvalidFlagError
   */
  read?(text: string, earlier: Value | undefined): Value;
  /** The only values allowed. */
  readonly oneOf?: readonly string[];
  /**
   * Values that shell completion offers, if others are allowed too or are refused with a better message than `oneOf`
   * gives.
   */
  readonly suggested?: Suggestions;
  /** Names of flags that cannot be given together with this one. */
  readonly conflictsWith?: string | readonly string[];
  readonly default?: Value;
  readonly isRequired?: boolean;
  /** The configuration's setting that it sets. */
  readonly setting?: keyof Settings;
}

/** An option of a method of the library; with `flag`, also a flag of its command. */
export interface OptionDefinition<Value = unknown> extends Partial<FlagDefinition<Value>> {
  readonly help: string;
  /** What is allowed. Zod is passed in, because most commands need not load it for this. */
  schema(z: SchemaParts): ZodType<Value>;
}

/** A definition for each flag of a command. */
export type FlagsOf<Flags> = { readonly [Name in keyof Flags]-?: FlagDefinition<Exclude<Flags[Name], undefined>> };

/** A definition for each option of a method. */
export type OptionsOf<Options> = {
  readonly [Name in keyof Options]-?: OptionDefinition<Exclude<Options[Name], undefined>>;
};

/** A positional argument of a command. */
interface ArgumentDefinition {
  /** As shown in help: `<file...>`, `[id]`. */
  readonly name: string;
  readonly help: string;
  /** The only values allowed. */
  readonly oneOf?: readonly string[];
  /** Values that shell completion offers, if others are allowed too. */
  readonly suggested?: Suggestions;
  /** @throws UsageError for a text that is not allowed */
  read?(text: string): string;
}

/**
 * What commands are for: first steps, acting as the platform, checks, a running platform, looking at what happened,
 * preparation.
 */
export type CommandGroup = "begin" | "play" | "check" | "keep" | "show" | "prepare";

/** A command of the command line. */
export interface CommandDefinition<Flags = unknown> {
  readonly name: string;
  readonly summary: string;
  /** The summary in at most 65 characters, for the list of all commands; default the summary. */
  readonly brief?: string;
  /** The group that lists it. */
  readonly group: CommandGroup;
  /** Command lines, shown by --help. */
  readonly examples: readonly string[];
  /** Further help, shown after the examples. */
  readonly help?: string;
  readonly arguments?: readonly ArgumentDefinition[];
  /** Flags that are not options of the method. */
  readonly flags?: FlagsOf<Flags>;
  /** Settings of the command that override the configuration. */
  readonly settings?: Settings;
  /**
   * Gives it `--watch`: the files, folders and patterns that it reads, by its arguments and the options of the method.
   * The app, the config file and the manifest are always watched.
   */
  watches?(args: readonly string[], options: Readonly<Record<string, unknown>>): readonly string[];
  /** Whether it starts its own platform, on which `--evidence` then writes a report. */
  readonly startsPlatform?: boolean;
  /** Gives it `--quiet`, `--verbose` and `--details`; default: whether the action has a method. */
  readonly hasReport?: boolean;
  /** Allowed values of --format, the default first; default text and json. */
  readonly formats?: readonly string[];
  /** The hint for an option that it does not have; null: none. */
  optionHint?(option: string): string | null;
  /** The hint for the arguments after its name if they are too many; null: none. */
  argumentsHint?(words: readonly string[]): string | null;
  /** The flag for a value that was given as an argument; null: none. */
  flagFor?(value: string): string | null;
  /** Loads the code of the command, which resolves with its exit code. */
  load(): Promise<(call: CommandCall<never, never, never>) => Promise<number>>;
}

type AnyMethod = (...args: never[]) => Promise<unknown>;
type LastOf<List extends readonly unknown[]> = List extends readonly [...unknown[], infer Last] ? Last : never;

/** What can be done with the platform, defined once: the library's method and the command with its flags. */
export interface ActionDefinition<
  Method extends AnyMethod = AnyMethod,
  Flags = unknown,
  Context extends SimulatorContext = SimulatorContext,
> {
  /** Options of the method, its last argument. */
  readonly options?: OptionsOf<LastOf<Required<Parameters<Method>>>>;
  /** Names of the services that the method needs in its context. */
  readonly services?: readonly string[];
  /** Whether its result cannot leave this process, so that no command in another process can run it. */
  readonly isLocal?: boolean;
  /** The method; its options are checked first. */
  run?(context: Context, ...args: Required<Parameters<Method>>): ReturnType<Method>;
  readonly command?: CommandDefinition<Flags>;
}

/**
 * Defines an action.
 * ```ts
 * manifest: defineAction<ManifestMethods["manifest"]>({
 *   run: async (context) => (await import("./run-manifest.ts")).runManifest(context),
 *   command: { name: "manifest", summary: "…", examples: ["app-sim manifest"], load: async () => (await import("./command.ts")).manifestCommand },
 * })
 * ```
 */
export function defineAction<
  Method extends AnyMethod,
  Flags = unknown,
  Context extends SimulatorContext = SimulatorContext,
>(definition: ActionDefinition<Method, Flags, Context>): ActionDefinition<Method, Flags, Context> {
  return definition;
}
