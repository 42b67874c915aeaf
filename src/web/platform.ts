import type { PlatformClock } from "../platform/platform-clock.ts";
import type { Previews } from "../post-import/run/previews.ts";
import type { Simulator } from "../simulator.ts";
import type { HostedFiles } from "./hosted-files.ts";

/** The side of the simulator that the platform's addresses show. */
export type Platform = Pick<Simulator, "config" | "jwks" | "logins" | "oauth" | "underWay"> & {
  readonly clock: PlatformClock;
  readonly files: HostedFiles;
  readonly previews: Previews;
};
