import { defineAction } from "../action/define-action.ts";
import { InvalidFlagError, isLanguageOption, milliseconds, moduleFlagFor, repeated } from "../action/flags.ts";
import { roles } from "../config/roles.ts";
import { type ExplainTokenOptions, explainTokenOptions } from "./explain/explain-token-options.ts";
import type { TokenExplanation } from "./explain/token-explanation.ts";
import type { GuardContext } from "./guard-context.ts";
import type { GuardResult } from "./guard-result.ts";
import { type GuardOptions, guardOptions } from "./login/guard-options.ts";
import { type LoginOptions, loginOptions } from "./login/login-options.ts";
import type { Begun } from "./login/logins.ts";

/** What the library can do with auth guards. */
export interface GuardMethods {
  /**
   * Logs a user in: password, second factor, device trust, each guard, remember-me (interface 3.1).
   * @throws UsageError for a guard that no manifest declares
   */
  guard(options?: GuardOptions): Promise<GuardResult>;
  /** Starts the same login and resolves with it immediately: to watch it, and to act as its user. */
  login(options?: LoginOptions): Promise<Begun>;
  /** Shows how the JWT of a call to a module is made, with code that verifies it (interface 5.1); nothing is sent. */
  explainToken(options?: ExplainTokenOptions): Promise<TokenExplanation>;
}

/** Flags of `app-sim guard` that are not options of the method. */
export interface GuardFlags {
  readonly user?: string;
  readonly ip?: string;
  readonly mfa?: boolean;
  readonly deviceTrust?: boolean;
  readonly rememberMe?: boolean;
  readonly code?: string;
  readonly error?: string;
  readonly fill?: Readonly<Record<string, string | string[]>>;
  readonly press?: string[];
  readonly browser?: boolean;
  readonly open?: boolean;
  readonly yes?: boolean;
  readonly from?: "password" | "guards";
  readonly waitForUser?: boolean;
  readonly interactionTimeout?: string;
  readonly expect?: "granted" | "denied" | "refused";
  readonly expectDeniedBy?: string;
  readonly strict?: boolean;
  /** true: in the default language. */
  readonly explain?: string | true;
}

/** Flags about how a login goes or ends: without one, they would do nothing. */
const flagsOfLogin = [
  ...["code", "error", "fill", "press", "browser", "yes", "from", "waitForUser", "interactionTimeout", "fail"],
  ...["expect", "expectDeniedBy", "strict", "watch"],
];

export const guardActions = {
  guard: defineAction<GuardMethods["guard"], GuardFlags, GuardContext>({
    options: guardOptions,
    services: ["logins", "chromium"],
    run: async (context, options) => (await import("./login/run-login.ts")).runLogin(context, context.logins, options),
    command: {
      name: "guard",
      summary: "log a user in through the app's auth guards",
      group: "play",
      examples: [
        "app-sim guard",
        "app-sim guard --module network --user admin --ip 2001:db8::7",
        "app-sim guard --ip 198.51.100.7 --expect denied",
        "app-sim guard --user manager --press accept --format json | jq .outcome",
        "app-sim guard --explain python    # sends nothing",
      ],
      flags: {
        user: {
          flag: "--user <role>",
          help: "who logs in: owner, admin, manager, member or outsider (default: member)",
          suggested: roles,
          setting: "user",
        },
        ip: {
          flag: "--ip <address>",
          help: "IP address of the user, IPv4 or IPv6 (default: 203.0.113.10)",
          setting: "ip",
        },
        mfa: { flag: "--mfa", help: "turn on the second factor (TOTP)", setting: "mfa" },
        deviceTrust: { flag: "--device-trust", help: "turn on the device trust stage", setting: "deviceTrust" },
        rememberMe: { flag: "--remember-me", help: "turn on the remember-me stage", setting: "rememberMe" },
        code: { flag: "--code <code>", help: "skip the guard's page, and return with this code" },
        error: { flag: "--error <text>", help: "skip the guard's page, and return with this error" },
        fill: {
          flag: "--fill <name=value>",
          help: "fill in and submit the form of the guard's page; KEY:name=value for one guard; may be repeated",
          read: filledField,
        },
        press: {
          flag: "--press <button>",
          help: "press this button of the guard's page, by name, value, id or text; KEY=button for one guard; may be repeated (default: the first button)",
          read: repeated,
        },
        browser: { flag: "--browser", help: "open the guard's page in headless Chromium, also for frame guards" },
        open: { flag: "--no-open", help: "print the link without opening a browser" },
        yes: { flag: "--yes", help: "pass every stage without asking" },
        from: {
          flag: "--from <stage>",
          help: "stage at which the terminal view starts (default: guards)",
          oneOf: ["password", "guards"],
        },
        waitForUser: {
          flag: "--wait-for-user",
          help: "wait for a person to open the printed link, even without a terminal",
        },
        interactionTimeout: {
          flag: "--interaction-timeout <duration>",
          help: "time limit for a user at a page, such as 2m; a plain number means seconds (default: 10m, or 30s with --press, --fill or --browser)",
          read: durationText,
          setting: "interactionTimeout",
        },
        expect: {
          flag: "--expect <outcome>",
          help: "exit 0 only if the login ends this way; refused means that a guard answers 401 or 403",
          oneOf: ["granted", "denied", "refused"],
        },
        strict: { flag: "--strict", help: "fail on warnings, such as those about a guard's page" },
        expectDeniedBy: { flag: "--expect-denied-by <key>", help: "exit 0 only if this guard denies the login" },
        explain: {
          flag: "--explain [language]",
          help: "show the JWT of a call and print code that verifies it; sends nothing",
          suggested: async () => (await import("../platform/verifier-language.ts")).verifierLanguages,
          conflictsWith: flagsOfLogin,
        },
      },
      watches: () => [],
      optionHint: (option) =>
        isLanguageOption(option) ? "a login has no language; --explain takes a programming language" : null,
      flagFor: (value) => (roles.some((role) => role === value) ? `--user ${value}` : moduleFlagFor(value)),
      load: async () => (await import("./command.ts")).guardCommand,
    },
  }),
  login: defineAction<GuardMethods["login"], unknown, GuardContext>({
    options: loginOptions,
    isLocal: true,
    services: ["logins", "chromium"],
    run: async (context, options) =>
      (await import("./login/run-login.ts")).beginLogin(context, context.logins, options),
  }),
  explainToken: defineAction<GuardMethods["explainToken"]>({
    options: explainTokenOptions,
    run: async (context, options) => (await import("./explain/explain-token.ts")).explainToken(context, options),
  }),
};

/** A duration as given: the configuration parses it, because it may come from a variable too. */
function durationText(text: string): string {
  milliseconds(text);
  return text;
}

/** Reads `name=value`; a name may be repeated if form fields share it. */
function filledField(text: string, earlier: GuardFlags["fill"] = {}): Readonly<Record<string, string | string[]>> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidFlagError("Expected name=value, such as pin=1234.");
  const name = text.slice(0, at);
  const value = text.slice(at + 1);
  const before = Object.hasOwn(earlier, name) ? [earlier[name] ?? ""].flat() : [];
  return { ...earlier, [name]: before.length === 0 ? value : [...before, value] };
}
