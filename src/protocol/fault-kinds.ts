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

/** A fault as an object: what `token=500x2` says as `{ place: "token", kind: "500", times: 2 }`. */
export interface FaultRequest {
  /** Where the platform goes wrong. */
  readonly place: FaultPlace;
  /** How it goes wrong; each place has kinds of its own. */
  readonly kind: (typeof faultKinds)[FaultPlace][number];
  /** How long `slow` waits, such as `3s`; default 5 seconds. */
  readonly duration?: string | undefined;
  /** How many requests it affects, from 1; default all. Not together with `percent`. */
  readonly times?: number | undefined;
  /** Share of the requests that it affects by chance, above 0 and up to 100; default all. */
  readonly percent?: number | undefined;
}
