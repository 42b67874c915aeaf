import { defineAction } from "../action/define-action.ts";
import { shownEvents } from "../protocol/webhook.ts";
import type { WebhookContext } from "../webhook/changeable.ts";
import type { ArtilleryExport } from "./export/export-artillery.ts";
import { type LoadOptions, loadOptions } from "./load-options.ts";
import type { LoadResult } from "./load-result.ts";

/** What the library can do with many deliveries. */
export interface LoadMethods {
  /**
   * Makes many deliveries, at a rate or from senders that each wait for their answer; the journal does not keep each of
   * them.
   * @param events names of events; none if the payload in `data` names them
   * @throws UsageError for options that exclude each other, or an address that must not be loaded
   */
  load(events: string | readonly string[], options?: LoadOptions): Promise<LoadResult>;
  /** Exports the same load as a test for Artillery, which can run it on many machines; nothing is delivered. */
  exportLoad(events: string | readonly string[], options?: LoadOptions): Promise<ArtilleryExport>;
}

/** Flags of `app-sim load` that are not options of the method. */
export interface LoadFlags {
  readonly export?: "artillery";
  /** A directory. */
  readonly out?: string;
}

export const loadActions = {
  load: defineAction<LoadMethods["load"], LoadFlags, WebhookContext>({
    options: loadOptions,
    run: async (context, events, options) => (await import("./run-load.ts")).runLoad(context, events, options),
    command: {
      name: "load",
      summary: "load-test the app's webhooks, at a fixed rate or with a fixed number of senders",
      brief: "load-test the app's webhooks",
      group: "play",
      examples: [
        "app-sim load --rate 500 --duration 30s",
        "app-sim load project.translated --concurrency 20 --count 10000 --batch 10",
        'app-sim load --rate 200 --duration 1m --expect "p99<250ms" --expect "errors<1%"',
        "app-sim load --rate 500 --duration 5m --export artillery --out load-test",
      ],
      arguments: [{ name: "[event...]", help: "event names (default: project.translated)", suggested: shownEvents }],
      flags: {
        export: {
          flag: "--export <program>",
          help: "write the load as a test for another program; sends nothing",
          oneOf: ["artillery"],
        },
        out: { flag: "--out <dir>", help: "directory for the exported test (default: load-test)" },
      },
      load: async () => (await import("./command.ts")).loadCommand,
    },
  }),
  exportLoad: defineAction<LoadMethods["exportLoad"], unknown, WebhookContext>({
    options: loadOptions,
    run: async (context, events, options) =>
      (await import("./export/export-artillery.ts")).exportArtillery(context, events, options),
  }),
};
