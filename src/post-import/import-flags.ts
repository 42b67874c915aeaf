import { type Command, Option } from "commander";
import type { Settings } from "../config/environment.ts";
import { collect, withoutUndefined } from "../output/options.ts";
import { type Occasion, occasions } from "../protocol/occasion.ts";

/** The options of `app-sim post-import`, as commander gives them. */
export interface ImportFlags {
  readonly via?: "auto" | "inline" | "url";
  readonly occasion?: Occasion;
  readonly as?: string;
  readonly edition?: string;
  readonly allowOrigin?: readonly string[];
  readonly update?: boolean;
  readonly save?: string;
  readonly preview?: boolean;
  readonly open: boolean;
  readonly strict?: boolean;
  readonly details?: boolean;
}

/** Declares the options of `app-sim post-import`. */
export function addImportFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--via <transport>",
        "how strings and file travel: in the job, by URL, or by URL as far as the job would be too large (default: auto)",
      ).choices(["auto", "inline", "url"]),
    )
    .addOption(
      new Option("--occasion <occasion>", "why the app is called (default: what the target languages say)").choices(
        occasions,
      ),
    )
    .option("--as <user>", "who imports: a role or a login name (default: a manager)")
    .option("--edition <edition>", "standard or enterprise: who may use the module (default: enterprise)")
    .option("--allow-origin <origin>", "fetch files of answers from there too; may be repeated", collect)
    .option("--update", "accept what the app answers as the expected answer beside each fixture")
    .option("--save <file>", "keep every job and what the app answered")
    .option("--preview", "open the app's HTML preview in the browser, and stay until Ctrl-C")
    .option("--no-open", "do not open the browser, only print the address")
    .option("--strict", "a warning fails the run, as a fault does")
    .option("--details", "show every changed string");
}

/** What these options say of the configuration. */
export function importSettings({ as, edition, allowOrigin }: ImportFlags): Settings {
  return withoutUndefined<Settings>({ as, edition, allowOrigin });
}
