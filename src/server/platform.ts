import type { HostedFiles } from "../simulator/hosted-files.ts";
import type { PlatformClock } from "../simulator/platform-clock.ts";
import type { Previews } from "../simulator/previews.ts";
import type { Simulator } from "../simulator/simulator.ts";

/** The side of the simulator that the platform's addresses show. */
export type Platform = Pick<Simulator, "config" | "jwks" | "logins" | "oauth" | "underWay"> & {
  readonly clock: PlatformClock;
  readonly files: HostedFiles;
  readonly previews: Previews;
};
