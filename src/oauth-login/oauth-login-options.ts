import type { OptionsOf } from "../action/define-action.ts";
import { type Role, roles } from "../config/roles.ts";

/** Options of `oauthLogin()`, and flags of `app-sim oauth`. */
export interface OAuthLoginOptions {
  /**
   * The app's own login link: relative to the app's url, or a full URL of a configured app; default
   * `verify.oauth.start` of the configuration.
   */
  readonly start?: string | undefined;
  /** Role of the user who consents; default the user who logs in. */
  readonly user?: Role | undefined;
  /** Whether the user declines; default false. */
  readonly deny?: boolean | undefined;
  /**
   * A page of the app that makes it call the API; default the page on which the login ends, or `verify.oauth.use` of
   * the configuration if the start is from there too.
   */
  readonly use?: string | undefined;
  /** Whether the platform's clock is advanced until the access token has expired, twice; default true. */
  readonly refresh?: boolean | undefined;
  /** Whether a second login, in another browser, ends with a forged callback; default true. */
  readonly forge?: boolean | undefined;
  /** Whether a warning fails the login; default false. */
  readonly strict?: boolean | undefined;
}

/** Definitions of {@link OAuthLoginOptions}. */
export const oauthLoginOptions: OptionsOf<OAuthLoginOptions> = {
  start: {
    flag: "--start <url>",
    help: "the app's own login link: a path of the app, or its whole address (default: verify.oauth.start of the config)",
    schema: (z) => z.string().min(1),
  },
  user: { help: "role of the user who consents", schema: (z) => z.enum(roles) },
  deny: { flag: "--deny", help: "the user declines", schema: (z) => z.boolean() },
  use: {
    flag: "--use <url>",
    help: "a page of the app that makes it call the API (default: the one on which the login ends; without --start: verify.oauth.use)",
    schema: (z) => z.string().min(1),
  },
  refresh: {
    flag: "--no-refresh",
    help: "do not turn the platform's clock past the life of the access token",
    schema: (z) => z.boolean(),
  },
  forge: { help: "whether a second login ends with a forged callback", schema: (z) => z.boolean() },
  strict: { flag: "--strict", help: "a warning fails the login, as a fault does", schema: (z) => z.boolean() },
};
