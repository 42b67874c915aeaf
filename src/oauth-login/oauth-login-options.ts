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
    help: "the app's login link: a path of the app, or a whole URL (default: verify.oauth.start of the configuration)",
    schema: (z) => z.string().min(1),
  },
  user: { help: "role of the user who consents", schema: (z) => z.enum(roles) },
  deny: { flag: "--deny", help: "decline the consent", schema: (z) => z.boolean() },
  use: {
    flag: "--use <url>",
    help: "a page that makes the app call the API (default: the page on which the login ends or, without --start, verify.oauth.use)",
    schema: (z) => z.string().min(1),
  },
  refresh: {
    flag: "--no-refresh",
    help: "do not move the clock to let the access token expire",
    schema: (z) => z.boolean(),
  },
  forge: { help: "whether forged callbacks are sent", schema: (z) => z.boolean() },
  strict: { flag: "--strict", help: "fail on warnings", schema: (z) => z.boolean() },
};
