import type { SimulatorContext } from "../platform/context.ts";
import type { FileHost } from "../web/hosted-files.ts";
import type { PatternMatcher } from "./run/match-pattern.ts";
import type { Previews } from "./run/previews.ts";

/** What imports work with. */
export interface ImportContext extends SimulatorContext {
  /** What the platform serves to the app while a job runs. */
  readonly files: FileHost;
  /** HTML previews that apps answered (interface 2.4). */
  readonly previews: Previews;
  /** Tries the patterns of modules on files (interface 2.1). */
  readonly patterns: PatternMatcher;
}
