import type { CommandCall } from "../action/command-call.ts";
import type { CommandDefinition, FlagsOf } from "../action/define-action.ts";
import type { Area } from "../checking/check.ts";
import { UsageError } from "../protocol/usage-error.ts";

interface TamperFlags {
  readonly tamper?: boolean;
  /** Also a flag of the command itself: with it, a warning fails either. */
  readonly strict?: boolean;
  readonly allowPublic?: boolean;
}

/** The flags of a command that select modules. */
interface ModuleOption {
  readonly modules?: readonly string[] | undefined;
}

/**
 * Adds `--tamper` to an action's command: it runs the checks of `verify` for these areas instead.
 * @param others flags that may be combined with it, by the names of their definitions; all others are refused
 */
export function withTamper<Action extends object>(
  action: Action,
  areas: readonly Area[],
  others: readonly string[],
): Action {
  const { command } = action as { readonly command?: CommandDefinition<Readonly<Record<string, unknown>>> };
  if (command === undefined) return action;
  const flags: FlagsOf<Omit<TamperFlags, "strict">> = {
    tamper: {
      flag: "--tamper",
      help: `instead, run the ${areas.join(" and ")} checks of app-sim verify, which send wrong requests`,
    },
    allowPublic: {
      flag: "--allow-public",
      help: "also send wrong requests to an app at a public address, which must be yours",
    },
  };
  return {
    ...action,
    command: {
      ...command,
      examples: [...command.examples, `app-sim ${command.name} --tamper`],
      flags: { ...command.flags, ...flags },
      load: async () => {
        const plain = await command.load();
        return async (call: CommandCall<never, TamperFlags, ModuleOption>) => {
          if (call.flags.tamper !== true) return plain(call as never);
          refuseOthers(call, others);
          const { runVerifyCommand } = await import("./command.ts");
          const { modules } = call.options;
          const { allowPublic, strict } = call.flags;
          const failOn = strict === true ? "warn" : "fail";
          return runVerifyCommand(call as never, { only: areas, modules, allowPublic, failOn });
        };
      },
    },
  };
}

function refuseOthers(
  { flags, options, args }: CommandCall<never, TamperFlags, ModuleOption>,
  others: readonly string[],
) {
  const given = Object.entries({ ...flags, ...options }).filter(([, value]) => value !== undefined && value !== false);
  // Flags that start with `no` are true unless given.
  const [wrong] = given.filter(
    ([name, value]) =>
      !["tamper", "allowPublic", "strict", ...others].includes(name) && !(name === "open" && value === true),
  );
  const what = wrong === undefined ? (args.length === 0 ? null : `the file ${args[0]}`) : `--${kebab(wrong[0])}`;
  if (what === null) return;
  throw new UsageError(
    "tamper-invalid",
    `--tamper and ${what} exclude each other`,
    args.length > 0 && wrong === undefined
      ? "leave the file out: wrong requests are made from verify's own jobs, and from those that verify.fixtures names in the configuration"
      : `leave ${what} out: verify makes the wrong requests itself, and walks the app's pages according to verify.guards in the configuration; app-sim verify has more flags`,
  );
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
