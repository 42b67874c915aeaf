import type { OptionsOf } from "../../action/define-action.ts";
import { type LoginOptions, loginOptions, type PageOption } from "../login/login-options.ts";

/** Options of `explore()`. */
export interface ExploreOptions extends Pick<LoginOptions, "interactionTimeout"> {
  /** Keys of the guards to explore; default all. */
  readonly modules?: LoginOptions["modules"];
  /** Role of the user who is tried first, before every other user. */
  readonly user?: LoginOptions["user"];
  /** The address that is tried first, before those of the exploration; IPv4 or IPv6. */
  readonly ipAddress?: LoginOptions["ipAddress"];
  /** How the app's own page is walked to a code that the app accepts; default `{ fill: {} }` for redirect. */
  readonly page?: PageOption | undefined;
  /** Whether an app at a public address, which has to be yours, is explored; default false. */
  readonly allowPublic?: boolean | undefined;
}

/** Definitions of {@link ExploreOptions}. */
export const exploreOptions: OptionsOf<ExploreOptions> = {
  modules: loginOptions.modules,
  user: { ...loginOptions.user, help: "role of the user who is tried first, before every other user" },
  ipAddress: { ...loginOptions.ipAddress, help: "the address that is tried first, IPv4 or IPv6" },
  interactionTimeout: loginOptions.interactionTimeout,
  page: {
    help: "how the app's own page is walked to a code that the app accepts",
    schema: (z) =>
      loginOptions.page
        .schema(z)
        .refine(
          (page) => page !== "wait" && !("error" in page),
          "expected { code }, { fill } or { browser }: an exploration waits for no user",
        ),
  },
  allowPublic: { help: "explore an app at a public address, which has to be yours", schema: (z) => z.boolean() },
};
