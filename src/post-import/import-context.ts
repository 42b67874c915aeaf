import type { SimulatorContext } from "../platform/context.ts";
import type { FileHost } from "../web/hosted-files.ts";
import type { PatternMatcher } from "./run/match-pattern.ts";
import type { Previews } from "./run/previews.ts";

/** What imports need. */
export interface ImportContext extends SimulatorContext {
  /** What the platform serves to the app while a job runs. */
  readonly files: FileHost;
  /** HTML previews from apps (interface 2.4). */
  readonly previews: Previews;
  /** Matches the patterns of modules against files (interface 2.1). */
  readonly patterns: PatternMatcher;
}
