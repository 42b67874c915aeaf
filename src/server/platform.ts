import type { PlatformClock } from "../simulator/platform-clock.ts";
import type { Simulator } from "../simulator/simulator.ts";

/** The side of the simulator that the platform's addresses show. */
export type Platform = Pick<Simulator, "config" | "jwks" | "logins" | "oauth" | "underWay"> & {
  readonly clock: PlatformClock;
};
