import type { Command } from "commander";
import { shellWord } from "../output/shell-word.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * Parses a command line, and runs its command.
 * @throws UsageError, and what commander throws
 */
export async function runProgram(program: Command, args: readonly string[]): Promise<void> {
  refuseOptionOfChild(program, args);
  await program.parseAsync(args, { from: "user" });
}

/** Commands that run another command. */
export const runners: readonly string[] = ["exec", "dev"];

/**
 * Refuses an option after the command that `exec` or `dev` runs. Commander would treat it as an option of app-sim, and
 * `app-sim exec npm --version` would print the version of app-sim.
 * @throws UsageError
 */
function refuseOptionOfChild(program: Command, all: readonly string[]): void {
  const args = all.includes("--") ? all.slice(0, all.indexOf("--")) : all;
  let runner: Command | undefined;
  let child: number | undefined;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    const [name = ""] = arg.split("=", 1);
    const option = [...program.options, ...(runner?.options ?? [])].find(({ long }) => long === name);
    if (arg.startsWith("-") && runner !== undefined && child !== undefined) {
      const rest = [...args.slice(0, child), "--", ...args.slice(child, index + 1)].map((word) => shellWord(word));
      const line = `app-sim ${rest.join(" ")}${index + 1 < all.length ? " …" : ""}`;
      throw new UsageError(
        "usage",
        `${name} comes after ${args[child]}, the command that ${runner.name()} runs`,
        `put -- before the command, so that its options are its own: ${line}${option === undefined ? "" : `; options of app-sim go before the --`}`,
      );
    }
    if (arg.startsWith("-")) {
      if (option === undefined) return;
      if (option.required && arg === name) index++;
    } else if (runner === undefined) {
      runner = program.commands.find((command) => command.name() === arg && runners.includes(arg));
      if (runner === undefined) return;
    } else child ??= index;
  }
}
