import { defineAction } from "../action/define-action.ts";
import { readSince } from "../log/log-flags.ts";
import { readReportFile } from "./report-file.ts";

/** Flags of `app-sim report`. */
export interface ReportFlags {
  readonly out: readonly string[];
  /** How long ago, or an ISO 8601 time. */
  readonly since?: string;
}

export const reportActions = {
  report: defineAction<never, ReportFlags>({
    command: {
      name: "report",
      summary: "write what the journal holds into a file to hand over, without secrets",
      brief: "write what the journal holds into a file to hand over",
      group: "show",
      examples: [
        "app-sim report --out report.html",
        "app-sim report --since 10m --out report.html --out summary.md",
        "app-sim report --journal ci/.app-sim --out exchanges.har",
      ],
      help: `
The end of the file's name says what it is:
  .html    one page to read and to print, which loads nothing and runs no script
  .har     an HTTP archive (HAR 1.2), for the Network tab of a browser
  .ndjson  the journal itself, without secrets
  .md      a summary for a pull request

With --evidence FILE a command that talks to the app writes the same about itself.`,
      flags: {
        out: {
          flag: "--out <file>",
          help: "a file in .html, .har, .ndjson or .md; may be repeated",
          read: readReportFile,
          isRequired: true,
        },
        since: { flag: "--since <time>", help: "how long ago, such as 10m, or an ISO 8601 time", read: readSince },
      },
      load: async () => (await import("./command.ts")).reportCommand,
    },
  }),
};
