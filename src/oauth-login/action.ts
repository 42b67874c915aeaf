import { defineAction } from "../action/define-action.ts";
import { redirectUriFlag } from "../action/flags.ts";
import { roles } from "../config/roles.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { PlatformClock } from "../platform/platform-clock.ts";
import type { OAuthLoginResult } from "./login-result.ts";
import { type OAuthLoginOptions, oauthLoginOptions } from "./oauth-login-options.ts";

/** What the library can do with an app that logs its users in by OAuth. */
export interface OAuthLoginMethods {
  /**
   * Logs a user in at the app by OAuth and uses the tokens (interface 5.2 to 5.4), without a person: it plays the
   * user's browser, starting from the app's own login link. The platform's clock is advanced past the lifetime of the
   * access token, twice, and set back, so that tokens that expired in between are valid again. A second login, in
   * another browser, ends with a forged callback, which the app must refuse.
   * @throws UsageError for a start that belongs to no configured app, or is given neither here nor in the configuration
   */
  oauthLogin(options?: OAuthLoginOptions): Promise<OAuthLoginResult>;
}

/** Flags of `app-sim oauth` that are not options of the method. */
export interface OAuthLoginFlags {
  readonly user?: string;
  readonly redirectUri?: readonly string[];
}

/** What a login by OAuth needs. */
export interface OAuthLoginContext extends SimulatorContext {
  readonly oauth: OAuth;
  /** null: the clock of this platform cannot be advanced. */
  readonly clockFace: PlatformClock | null;
}

export const oauthLoginActions = {
  oauthLogin: defineAction<OAuthLoginMethods["oauthLogin"], OAuthLoginFlags, OAuthLoginContext>({
    options: oauthLoginOptions,
    services: ["oauth"],
    run: async (context, options) => (await import("./run-oauth-login.ts")).runOAuthLogin(context, options),
    command: {
      name: "oauth",
      summary: "log in to the app by OAuth without a person, and check every step up to the token refresh",
      brief: "log in to the app by OAuth, and check every step",
      group: "play",
      examples: [
        "app-sim oauth --start /login --redirect-uri http://127.0.0.1:3000/oauth/callback",
        "app-sim oauth --start /login --deny",
        "app-sim oauth     # starts at verify.oauth.start of the config file",
        "app-sim oauth --start http://127.0.0.1:3000/login --use /projects --format json | jq .steps",
      ],
      flags: {
        user: {
          flag: "--user <role>",
          help: "who consents: owner, admin, manager, member or outsider (default: member)",
          suggested: roles,
          setting: "user",
        },
        redirectUri: redirectUriFlag,
      },
      settings: { consent: "ask" },
      flagFor: (value) => `--start ${value}`,
      load: async () => (await import("./command.ts")).oauthCommand,
    },
  }),
};
