import { defineAction } from "../action/define-action.ts";
import { wholeNumber } from "../action/flags.ts";
import { readKind, readPattern, readSince, readStatus, type StatusRange } from "./log-flags.ts";

/** Flags of `app-sim log`. */
export interface LogFlags {
  readonly last?: number;
  /** Continues with what is written from now on. */
  readonly follow?: boolean;
  /** How long ago, or an ISO 8601 time. */
  readonly since?: string;
  readonly kind?: readonly string[];
  readonly module?: string;
  readonly status?: StatusRange;
  readonly failed?: boolean;
  readonly grep?: RegExp;
  /** The exchanges in HAR 1.2. */
  readonly har?: boolean;
  /** The bytes of one body. */
  readonly body?: "request" | "response";
  /** The request of one exchange as a shell command. */
  readonly curl?: boolean;
  /** Removes every record. */
  readonly clear?: boolean;
}

export const logActions = {
  log: defineAction<never, LogFlags>({
    command: {
      name: "log",
      summary: "show the journal: every exchange with the app",
      group: "show",
      examples: [
        "app-sim log",
        "app-sim log --follow",
        "app-sim log --failed --since 10m",
        "app-sim log --kind webhook --status 4xx",
        "app-sim log 7h2k         # one exchange in full; the beginning of its id is enough",
        "app-sim log last --body response | jq .",
        "app-sim log last --curl  # its request as a curl command",
        "app-sim log --har > exchanges.har",
        "app-sim log last --format json | jq .records[0].request.headers",
        "app-sim log --clear",
      ],
      arguments: [
        {
          name: "[id]",
          help: "id of a record, the beginning of an id, or last for the newest exchange",
          suggested: ["last"],
        },
      ],
      flags: {
        last: { flag: "--last <n>", help: "number of records (default: 20)", read: wholeNumber },
        follow: { flag: "--follow", help: "keep showing new records, until Ctrl-C" },
        since: {
          flag: "--since <time>",
          help: "only records since then: a duration such as 10m, or an ISO 8601 time",
          read: readSince,
        },
        kind: {
          flag: "--kind <kind>",
          help: "only this kind: guard, webhook, post-import, token, login, oauth, verification or another; may be repeated",
          read: readKind,
        },
        module: { flag: "--module <key>", help: "only records about this module" },
        status: {
          flag: "--status <status>",
          help: "only answers with this status: 401, 4xx or 400-499",
          read: readStatus,
        },
        failed: {
          flag: "--failed",
          help: "only failures and refusals: no answer, a status of 400 or higher, a denial",
        },
        grep: {
          flag: "--grep <pattern>",
          help: "only records that match a regular expression in URLs, headers, bodies or reasons, ignoring case",
          read: readPattern,
        },
        har: {
          flag: "--har",
          help: "print the exchanges as an HTTP archive (HAR 1.2), for the Network tab of a browser",
        },
        body: {
          flag: "--body <of>",
          help: "print only the bytes of one body",
          oneOf: ["request", "response"],
        },
        curl: { flag: "--curl", help: "print the request as a curl command without secrets" },
        clear: { flag: "--clear", help: "delete all records" },
      },
      load: async () => (await import("./command.ts")).logCommand,
    },
  }),
};
