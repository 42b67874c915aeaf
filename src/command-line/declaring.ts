import type { Command } from "commander";
import type { Settings } from "../config/environment.ts";
import type { Invocation } from "../output/invocation.ts";

/** Declares a command. `more` stands after the examples in its help. */
export type Declare = (name: string, description: string, examples: readonly string[], more?: string) => Command;

/** What a command does; returns the exit code. */
export type Run<Options> = (invocation: Invocation, options: Options, args: readonly string[]) => Promise<number>;

/** Makes an action for commander of what a command does with its options and arguments. */
export type MakeAction = <Options extends object>(
  run: Run<Options>,
  settingsOf?: (options: Options) => Settings,
  formats?: readonly string[],
) => (...parameters: unknown[]) => Promise<void>;
