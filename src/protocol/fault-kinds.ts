const tokenKinds = ["400", "500", "503", "slow", "html", "garbage"] as const;

/** The kinds of faults at each place; `faultAnswer` makes the answer of each. */
export const faultKinds = {
  token: tokenKinds,
  refresh: ["refused", ...tokenKinds],
  api: ["401", "403", "404", "429", "500", "503", "slow", "html", "garbage"],
  consent: ["denied", "server_error", "temporarily_unavailable"],
} as const satisfies Record<string, readonly string[]>;

/**
 * Where the platform can go wrong: `token` is every request to the token endpoint, `refresh` those with the grant
 * type refresh_token only, `api` the REST API, `consent` the answer to an authorization request.
 */
export type FaultPlace = keyof typeof faultKinds;
