import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { Settings } from "../config/environment.ts";
import { faultKinds } from "../oauth/rules/faults.ts";
import { collect } from "../output/options.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** The options of `app-sim serve`, as commander gives them; `app-sim exec` has them as well. */
export interface ServeFlags {
  readonly redirectUri?: readonly string[];
  readonly consent?: "ask" | "approve" | "deny";
  readonly fault?: readonly string[];
  readonly seed?: number;
}

/** The beginning of the names of an app's variables. */
export interface PrefixFlag {
  readonly prefix: string;
}

/** Declares how the platform is to be that stays up. */
export function addServeFlags(command: Command): Command {
  return command
    .option("--redirect-uri <url>", "where the app's users may be sent back to; may be repeated", collect)
    .addOption(
      new Option("--consent <how>", "who answers when an app asks for access (default: ask)").choices([
        "ask",
        "approve",
        "deny",
      ]),
    )
    .option("--fault <fault>", "what shall go wrong, such as token=500x2; may be repeated", collect)
    .option("--seed <n>", "for faults that strike by chance (default: 1)", wholeNumber);
}

/** Declares the option of commands that give an app its variables. */
export function addPrefixFlag(command: Command): Command {
  return command.option("--prefix <text>", "beginning of each name", "PLATFORM_");
}

/** What the flags say of the configuration. */
export function serveSettings({ redirectUri, consent }: ServeFlags): Settings {
  return { ...(redirectUri === undefined ? {} : { redirectUri }), ...(consent === undefined ? {} : { consent }) };
}

/** What `app-sim clock` can be told to do. */
const clockActions = ["show", "advance", "set", "freeze", "resume", "reset"] as const;
export type ClockAction = (typeof clockActions)[number];

/** Declares what `app-sim clock` takes. */
export function addClockArguments(command: Command): Command {
  return command
    .addArgument(new Argument("[action]", "what to do").choices(clockActions).argParser(clockAction))
    .argument("[value]", "a duration such as 2h or 1h30m, or a time such as 2031-05-06T07:08:09Z");
}

function clockAction(text: string): ClockAction {
  const action = clockActions.find((known) => known === text);
  if (action !== undefined) return action;
  const meant = /^\d{4}-/.test(text) ? "set" : /^\d/.test(text) ? "advance" : null;
  throw new UsageError(
    "clock-invalid",
    `clock ${text}: there is no such action.${meant === null ? didYouMean(text, clockActions) : ""}`,
    meant === null ? `allowed: ${clockActions.join(", ")}` : `app-sim clock ${meant} ${text}`,
  );
}

/** For the help of commands that take faults. */
export const faultsHelp = `

Faults are written PLACE=KIND, then x and how often, or @ and how likely; with
neither they strike each time:
${Object.entries(faultKinds)
  .map(([place, kinds]) => `  ${place.padEnd(8)} ${kinds.join(", ")}`)
  .join("\n")}
token is every request to the token endpoint, refresh only those for a new
token, api the REST API, consent the answer to an authorization request. slow
takes a duration, as in token=slow:3s.`;

export const execHelp = `

CMD gets the variables of app-sim env, and with APP_SIM_PORT and APP_SIM_JOURNAL
the way to this platform for app-sim clock, fault and log within it. The exit
code is that of CMD: 128 + n if signal n ended it, 127 if there is no such
command, 126 if it cannot be run.`;

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}
