import type { Command } from "commander";
import type { Settings } from "../config/environment.ts";
import { collect } from "../output/options.ts";

/** The options of `app-sim oauth`, as commander gives them. */
export interface OAuthFlags {
  readonly start: string;
  readonly user?: string;
  readonly deny?: boolean;
  readonly use?: string;
  readonly redirectUri?: readonly string[];
  readonly refresh: boolean;
  readonly strict?: boolean;
}

/** Declares the options of `app-sim oauth`. */
export function addOAuthFlags(command: Command): Command {
  return command
    .requiredOption("--start <url>", "the app's own login link: a path of the app, or its whole address")
    .option("--user <role>", "who consents: owner, admin, manager, member or outsider (default: member)")
    .option("--deny", "the user declines")
    .option("--use <url>", "a page of the app that makes it call the API (default: the one on which the login ends)")
    .option("--redirect-uri <url>", "where the app's users may be sent back to; may be repeated", collect)
    .option("--no-refresh", "do not turn the platform's clock past the life of the access token")
    .option("--strict", "a warning fails the login, as a fault does");
}

/** What the flags say of the configuration. The login decides, whoever answers in place of the user elsewhere. */
export function oauthSettings({ user, redirectUri }: OAuthFlags): Settings {
  return {
    consent: "ask",
    ...(user === undefined ? {} : { user }),
    ...(redirectUri === undefined ? {} : { redirectUri }),
  };
}
