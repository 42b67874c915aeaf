import type { TwinCheck } from "./check.ts";

/** A twin of the family, before it is tied to a place. */
export interface TokenTwin
  extends Pick<TwinCheck, "section" | "severity" | "why" | "mend" | "changes" | "choices" | "twin"> {
  readonly name: string;
  /** The end of the title, after what takes the token and "refuses". */
  readonly what: string;
}
