import { defineAction } from "../action/define-action.ts";
import type { Exchange } from "../journal/exchange.ts";
import { shownEvents } from "../protocol/webhook.ts";
import type { WebhookContext } from "./changeable.ts";
import type { SignatureResult } from "./signature-result.ts";
import { type ReplayOptions, replayOptions, type WebhookOptions, webhookOptions } from "./webhook-options.ts";
import type { WebhookResult } from "./webhook-result.ts";

/** What the library can do with webhooks. */
export interface WebhookMethods {
  /**
   * Delivers events, in signed batches, to each webhook module that names one of them (interface 2.6, 6).
   * @param events names of events; none if the payload in `data` names them
   * @throws UsageError for an event that no payload can be made for, or options that exclude each other
   */
  webhook(events: string | readonly string[], options?: WebhookOptions): Promise<WebhookResult>;
  /** Shows how the first delivery of such a run is signed; nothing is sent. */
  explainSignature(events: string | readonly string[], options?: WebhookOptions): Promise<SignatureResult>;
  /**
   * Sends an earlier delivery again: the same bytes, or with a new signature.
   * @param delivery an exchange, or the id of an exchange or of a delivery that the journal has in memory
   * @throws UsageError for anything that is not a delivery, or that went to none of the installed apps
   */
  replay(delivery: Exchange | string, options?: ReplayOptions): Promise<WebhookResult>;
}

/** Flags of `app-sim webhook` that are not options of the method. */
export interface WebhookFlags {
  /** true: in the default language. */
  readonly explain?: string | true;
  readonly strict?: boolean;
}

/** Flags of `app-sim replay` that replace the body. */
export interface ReplayFlags {
  readonly edit?: boolean;
  /** A file, JSON, or - for stdin. */
  readonly data?: string;
}

type Method<Name extends keyof WebhookMethods> = WebhookMethods[Name];

export const webhookActions = {
  webhook: defineAction<Method<"webhook">, WebhookFlags, WebhookContext>({
    options: webhookOptions,
    run: async (context, events, options) => (await import("./run-webhook.ts")).runWebhook(context, events, options),
    command: {
      name: "webhook",
      summary: "deliver events in signed batches to the webhook modules that subscribe to them",
      brief: "deliver events in signed batches",
      group: "play",
      examples: [
        "app-sim webhook project.translated",
        "app-sim webhook project.translated project.approved --count 500 --batch 50",
        "app-sim webhook project.approved --set project.id=42 --set events[0].targetLanguage.id=pl",
        `app-sim webhook project.approved --data '{"file":{"id":"{{string.uuid}}","name":"en.json"}}'`,
        "app-sim webhook project.translated --duplicate 1 --shuffle --delay 0ms..200ms --seed 7",
        "app-sim webhook project.translated --tamper all     # the app must refuse them",
        "app-sim webhook project.translated --explain python # sends nothing",
        "app-sim webhook project.translated --diagnose       # if the app refuses everything",
      ],
      help: `
The payload of an event is --data, fixtures/events/EVENT.json, or the fields that the interface shows.
  { "file": { "id": "{{string.uuid}}", "name": "en.json" }, "project": { "id": "{{project.id}}" } }
`,
      arguments: [
        {
          name: "[event...]",
          help: "event names, such as project.translated and project.approved",
          suggested: shownEvents,
        },
      ],
      flags: {
        explain: {
          flag: "--explain [language]",
          help: "show how the first body is signed and print code that verifies it; sends nothing",
          suggested: async () => (await import("../platform/verifier-language.ts")).verifierLanguages,
        },
        strict: {
          flag: "--strict",
          help: "fail on warnings, such as the one about reformatted JSON that the app refuses",
        },
      },
      watches: payloadFiles,
      load: async () => (await import("./command.ts")).webhookCommand,
    },
  }),
  explainSignature: defineAction<Method<"explainSignature">, unknown, WebhookContext>({
    options: webhookOptions,
    run: async (context, events, options) =>
      (await import("./explain-signature.ts")).explainSignature(context, events, options),
  }),
  replay: defineAction<Method<"replay">, ReplayFlags, WebhookContext>({
    options: replayOptions,
    run: async (context, delivery, options) => (await import("./replay.ts")).replay(context, delivery, options),
    command: {
      name: "replay",
      summary: "send a recorded delivery again: unchanged, signed again, or edited",
      brief: "send a recorded delivery again",
      group: "play",
      examples: [
        "app-sim replay last",
        "app-sim replay 7h2k --resign",
        "app-sim replay last --edit     # in $VISUAL or $EDITOR; signs again",
      ],
      arguments: [
        {
          name: "<id>",
          help: "id of an exchange or a delivery, the beginning of such an id, or last",
          suggested: ["last"],
        },
      ],
      flags: {
        edit: { flag: "--edit", help: "edit the body before it is signed and sent" },
        data: {
          flag: "--data <file|json|->",
          help: "send this body instead, signed again: a file, JSON, or - for stdin",
          conflictsWith: "edit",
        },
      },
      load: async () => (await import("./replay-command.ts")).replayCommand,
    },
  }),
};

/** The files that payloads may be read from. */
function payloadFiles(events: readonly string[], { data }: { readonly data?: unknown }): string[] {
  const own = events.map((event) => `fixtures/events/${event}.json`);
  return typeof data === "string" && /^[^{[-]/.test(data) ? [...own, data] : own;
}
