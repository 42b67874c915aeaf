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
      summary: "write a report of the journal to hand over, without secrets",
      brief: "write a report of the journal to hand over",
      group: "show",
      examples: [
        "app-sim report --out report.html",
        "app-sim report --since 10m --out report.html --out summary.md",
        "app-sim report --journal ci/.app-sim --out exchanges.har",
      ],
      help: `
The file extension decides the format:
  .html    a page to read and print, which loads nothing and runs no scripts
  .har     an HTTP archive (HAR 1.2), for the Network tab of a browser
  .ndjson  the journal itself, without secrets
  .md      a summary for a pull request

With --evidence FILE, a command that calls the app writes a report of its own run.`,
      flags: {
        out: {
          flag: "--out <file>",
          help: "file to write: .html, .har, .ndjson or .md; may be repeated",
          read: readReportFile,
          isRequired: true,
        },
        since: {
          flag: "--since <time>",
          help: "only records since then: a duration such as 10m, or an ISO 8601 time",
          read: readSince,
        },
      },
      load: async () => (await import("./command.ts")).reportCommand,
    },
  }),
};
