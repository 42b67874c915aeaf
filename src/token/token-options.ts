import type { OptionsOf } from "../action/define-action.ts";
import { type Role, roles } from "../config/roles.ts";

/** Algorithms of a token: those of the choice `guard.jwt.algorithm`, and `none`, which every app has to refuse. */
export const tokenAlgorithms = ["HS256", "HS384", "HS512", "RS256", "ES256", "EdDSA", "none"] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/** Options of `token()`. */
export interface TokenOptions {
  /** Key of the module that the token is for; default the first guard or post-import module of the manifest. */
  readonly module?: string | undefined;
  /** Role of the user in the token; default the setting `login.user`. */
  readonly user?: Role | undefined;
  /** Whether it expired an hour ago; default false. */
  readonly expired?: boolean | undefined;
  /** Algorithm of the signature; default the choice `guard.jwt.algorithm`. `none`: no signature. */
  readonly algorithm?: TokenAlgorithm | undefined;
}

/** Definitions of {@link TokenOptions}. */
export const tokenOptions: OptionsOf<TokenOptions> = {
  module: {
    flag: "--module <key>",
    help: "module that the token is for (default: the manifest's first guard or post-import module)",
    schema: (z) => z.string().min(1),
  },
  user: {
    flag: "--user <role>",
    help: "user that the token is for (default: member)",
    oneOf: roles,
    schema: (z) => z.enum(roles),
  },
  expired: { flag: "--expired", help: "make a token that expired an hour ago", schema: (z) => z.boolean() },
  algorithm: {
    flag: "--alg <algorithm>",
    help: "signature algorithm; none makes an unsigned token",
    oneOf: tokenAlgorithms,
    schema: (z) => z.enum(tokenAlgorithms),
  },
};
