import type { OptionsOf } from "../../action/define-action.ts";
import { type Occasion, occasions } from "../../protocol/occasion.ts";

/** Options of `postImport()`, and flags of `app-sim post-import`. */
export interface ImportOptions {
  /**
   * How strings and file are sent: in the job, by URL, or (`auto`, the default) by URL only if the request would exceed
   * the limit of 5 MB (interface 8).
   */
  readonly via?: "auto" | "inline" | "url" | undefined;
  /** Why the app is called; default implied by each fixture. */
  readonly occasion?: Occasion | undefined;
  /** Who imports: a role or a login name; default the setting `postImport.user`. */
  readonly user?: string | undefined;
  /** Saves the app's answers as the expected answers next to each fixture. */
  readonly update?: boolean | undefined;
  /** A file for all jobs with the app's answers. */
  readonly save?: string | undefined;
  /** Sends the recorded `jobType` of a complete job, not that of this deployment (choice `wire.jobType`). */
  readonly asIs?: boolean | undefined;
  /** Shows previews at addresses of the platform. */
  readonly preview?: boolean | undefined;
}

const transports = ["auto", "inline", "url"] as const;

/** Definitions of {@link ImportOptions}. */
export const importOptions: OptionsOf<ImportOptions> = {
  via: {
    flag: "--via <transport>",
    help: "how to send strings and file: in the job (inline), by URL, or by URL only if the job would be too large (default: auto)",
    oneOf: transports,
    schema: (z) => z.enum(transports),
  },
  occasion: {
    flag: "--occasion <occasion>",
    help: "reason for the import (default: follows from the target languages)",
    oneOf: occasions,
    schema: (z) => z.enum(occasions),
  },
  user: { help: "who imports: a role or a login name", schema: (z) => z.string().min(1) },
  update: {
    flag: "--update",
    help: "record the app's answers as the expected answers, next to each fixture",
    schema: (z) => z.boolean(),
  },
  save: {
    flag: "--save <file>",
    help: "write every job and its answer to a file",
    schema: (z) => z.string().min(1),
  },
  asIs: {
    flag: "--as-is",
    help: "keep the recorded jobType of a whole job",
    schema: (z) => z.boolean(),
  },
  preview: {
    flag: "--preview",
    help: "open the app's HTML preview in the browser, until Ctrl-C",
    schema: (z) => z.boolean(),
  },
};
