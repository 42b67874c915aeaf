const tokenKinds = ["400", "500", "503", "slow", "html", "garbage"] as const;

/** The kinds of faults at each place; `faultAnswer` creates the answers. */
export const faultKinds = {
  token: tokenKinds,
  refresh: ["refused", ...tokenKinds],
  api: ["401", "403", "404", "429", "500", "503", "slow", "html", "garbage"],
  consent: ["denied", "server_error", "temporarily_unavailable"],
} as const satisfies Record<string, readonly string[]>;

/**
 * Where the platform can fail: `token` is every request to the token endpoint, `refresh` only those with the grant type
 * refresh_token, `api` the REST API, `consent` the answer to an authorization request.
 */
export type FaultPlace = keyof typeof faultKinds;

/** A fault as an object: `token=500x2` is `{ place: "token", kind: "500", times: 2 }`. */
export interface FaultRequest {
  /** Where the platform fails. */
  readonly place: FaultPlace;
  /** How it fails; each place has its own kinds. */
  readonly kind: (typeof faultKinds)[FaultPlace][number];
  /** How long `slow` waits, such as `3s`; default 5 seconds. */
  readonly duration?: string | undefined;
  /** How many requests it affects, from 1; default all. Not together with `percent`. */
  readonly times?: number | undefined;
  /** Percentage of the requests that it affects, chosen at random, above 0 and up to 100; default all. */
  readonly percent?: number | undefined;
}
