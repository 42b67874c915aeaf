import { type Command, InvalidArgumentError, Option } from "commander";
import type { Settings } from "../config/environment.ts";

/** The options of `app-sim guard`, as commander gives them. */
export interface GuardFlags {
  readonly module?: readonly string[];
  readonly user?: string;
  readonly ip?: string;
  readonly mfa?: boolean;
  readonly deviceTrust?: boolean;
  readonly rememberMe?: boolean;
  readonly fail?: Readonly<Record<string, number>>;
  readonly code?: string;
  readonly error?: string;
  readonly fill?: Readonly<Record<string, string | string[]>>;
  readonly press?: string[];
  readonly browser?: boolean;
  readonly open: boolean;
  readonly yes?: boolean;
  readonly interactionTimeout?: string;
  readonly expect?: "granted" | "denied";
  readonly expectDeniedBy?: string;
  readonly explore?: boolean;
}

/** As often as a stage can be tried at all. */
const ALWAYS = 100;
const failable = ["password", "mfa", "device-trust", "remember-me"];

/** Declares the options of `app-sim guard`. */
export function addGuardFlags(command: Command): Command {
  return command
    .option("--module <key...>", "only these guards, in this order (default: all, as in the manifest)")
    .option("--user <role>", "who logs in: owner, admin, manager, member or outsider (default: member)")
    .option("--ip <address>", "where from, IPv4 or IPv6 (default: 203.0.113.10)")
    .option("--mfa", "ask for a second factor (TOTP)")
    .option("--device-trust", "ask for a trusted device")
    .option("--remember-me", "ask to remember the user")
    .option(
      "--fail <stage[:times]>",
      "fail a stage on purpose: password, mfa, device-trust or remember-me; may be repeated",
      fails,
    )
    .option("--code <code>", "play the app's page: come back with this code")
    .option("--error <text>", "play the app's page: come back with this error")
    .option("--fill <name=value>", "walk the app's page: fill its form and submit it; may be repeated", fills)
    .option(
      "--press <button>",
      "the button to press there, by name, value, id or text; may be repeated (default: the first)",
      presses,
    )
    .option("--browser", "walk the app's page, frames too, in a headless Chromium")
    .option("--no-open", "do not open the browser, only print the link")
    .option("--yes", "ask for no keys: do every stage right, and end")
    .option("--interaction-timeout <seconds>", "that a user may take at a page (default: 600; 30 to walk it)")
    .addOption(new Option("--expect <outcome>", "what the exit code shall call success").choices(["granted", "denied"]))
    .option("--expect-denied-by <key>", "the guard that is expected to say no")
    .option("--explore", "take every transition that the guards allow, and list those seen");
}

/** What the flags say of the configuration. */
export function guardSettings(flags: GuardFlags): Settings {
  const { user, ip, mfa, deviceTrust, rememberMe, interactionTimeout } = flags;
  const settings = { user, ip, mfa: text(mfa), deviceTrust: text(deviceTrust), rememberMe: text(rememberMe) };
  const given = Object.entries({ ...settings, interactionTimeout }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

function text(flag: boolean | undefined): string | undefined {
  return flag === undefined ? undefined : String(flag);
}

function fails(value: string, earlier: GuardFlags["fail"] = {}): GuardFlags["fail"] {
  const [, stage = "", times] = /^([a-z-]+)(?::([1-9]\d?))?$/.exec(value) ?? [];
  if (!failable.includes(stage)) {
    throw new InvalidArgumentError(`Expected ${failable.join(", ")}, and how often, such as mfa:1.`);
  }
  return { ...earlier, [stage]: times === undefined ? ALWAYS : Number(times) };
}

/** A name may be repeated, where fields of a form share it. */
function fills(text: string, earlier: GuardFlags["fill"] = {}): GuardFlags["fill"] {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected name=value, such as pin=1234.");
  const name = text.slice(0, at);
  const value = text.slice(at + 1);
  const before = Object.hasOwn(earlier, name) ? [earlier[name] ?? ""].flat() : [];
  return { ...earlier, [name]: before.length === 0 ? value : [...before, value] };
}

/** Several are for pages that follow one another. */
function presses(button: string, earlier: readonly string[] = []): string[] {
  return [...earlier, button];
}
