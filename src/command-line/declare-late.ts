import type { Command } from "commander";

/** Declares the arguments and options of a command only when they are first read: only one of many commands runs. */
export function declareLate(command: Command, declareParts: () => void): void {
  const { options, registeredArguments } = command;
  const get = (name: "options" | "registeredArguments") => () => {
    Object.defineProperty(command, "options", { value: options });
    Object.defineProperty(command, "registeredArguments", { value: registeredArguments });
    declareParts();
    return command[name];
  };
  for (const name of ["options", "registeredArguments"] as const)
    Object.defineProperty(command, name, { configurable: true, get: get(name) });
}
