import { Option } from "commander";
import type { Declare, MakeAction } from "../command-line/declaring.ts";
import type { Settings } from "../config/environment.ts";
import { addLoadFlags, type LoadFlags } from "../load/load-flags.ts";
import { collect, withoutUndefined } from "../output/options.ts";
import type { ReplayFlags } from "./replay-command.ts";
import { addWebhookFlags, type WebhookFlags } from "./webhook-flags.ts";

interface RunFlags {
  readonly redirectUri?: readonly string[];
}

/** Declares the commands that deliver events: webhook, replay, load, run. */
export function declareWebhooks(declare: Declare, action: MakeAction): void {
  addWebhookFlags(
    declare(
      "webhook",
      "deliver events, in signed batches, to each webhook module that names one of them",
      [
        "app-sim webhook project.translated",
        "app-sim webhook project.translated project.approved --count 500 --batch 50",
        "app-sim webhook project.approved --set project.id=42 --set events[0].targetLanguage.id=pl",
        `app-sim webhook project.approved --data '{"file":{"id":"{{string.uuid}}","name":"en.json"}}'`,
        "app-sim webhook project.translated --duplicate 1 --shuffle --delay 0ms..200ms --seed 7",
        "app-sim webhook project.translated --tamper all     # the app has to refuse them",
        "app-sim webhook project.translated --explain python # nothing is sent",
      ],
      payloadHelp,
    ).argument("[event...]", "event names, such as project.translated and project.approved"),
  ).action(
    action<WebhookFlags>(async (invocation, flags, events) =>
      (await import("./command.ts")).webhook(invocation, events, flags),
    ),
  );

  declare("replay", "send a delivery of the journal again: the same bytes, or signed anew, or edited", [
    "app-sim replay last",
    "app-sim replay 7h2k --resign",
    "app-sim replay last --edit     # in $VISUAL or $EDITOR; signs anew",
  ])
    .argument("<id>", "id of an exchange or a delivery, its beginning, or last")
    .option("--resign", "sign anew, with the secret and the choices of now")
    .option("--edit", "edit the body first, and sign it anew")
    .addOption(
      new Option("--data <file|json|->", "send this body, and sign it anew: a file, JSON, or stdin").conflicts("edit"),
    )
    .action(
      action<ReplayFlags>(async (invocation, flags, [id = ""]) =>
        (await import("./replay-command.ts")).replay(invocation, id, flags),
      ),
    );

  declare(
    "run",
    "take the steps of a scenario: deliver, wait, turn the clock, expect what the app does",
    [
      "app-sim run fixtures/scenarios/translation-round.yml",
      "app-sim run fixtures/scenarios --format json | jq '.scenarios[].outcome'",
    ],
    stepsHelp,
  )
    .argument("<file...>", "scenario files (YAML or JSON), directories of them, or patterns")
    .option("--redirect-uri <url>", "where the app's users may be sent back to; may be repeated", collect)
    .action(
      action<RunFlags>(
        async (invocation, _flags, files) => (await import("../scenario/command.ts")).run(invocation, files),
        ({ redirectUri }) => withoutUndefined<Settings>({ redirectUri }),
      ),
    );

  addLoadFlags(
    declare("load", "very many deliveries: at a fixed rate, or as fast as so many senders get answers", [
      "app-sim load --rate 500 --duration 30s",
      "app-sim load project.translated --concurrency 20 --count 10000 --batch 10",
      'app-sim load --rate 200 --duration 1m --expect "p99<250ms" --expect "errors<1%"',
      "app-sim load --rate 500 --duration 5m --export artillery --out load-test",
    ]).argument("[event...]", "event names (default: project.translated)"),
  ).action(
    action<LoadFlags>(async (invocation, flags, events) =>
      (await import("../load/command.ts")).load(invocation, flags, events),
    ),
  );
}

const stepsHelp = `

A scenario:
  name: an expired token
  seed: 7
  steps:
    - login: /login                       # a user logs in at the app by OAuth; or { start, user, deny, use }
    - deliver: project.translated         # or { events: […], count, batch, set, data, duplicate, shuffle, tamper … }
      expect: acknowledged                # or refused, or { result, status, within: 2s, attempts: 1 }
    - expect: { call: GET /api/v2/projects, within: 10s, times: 1, status: 200 }
    - expect: { token: refresh_token }    # the grant type of a request for a token
    - expect: { no: POST /oauth/token, within: 2s }
    - wait: 2s
    - advance: 2h                         # the platform's clock
    - fault: token=500x2                  # as app-sim fault
    - guard: { user: admin }              # or true; expect: granted or denied
    - import: ../jobs/greetings.json      # or { file, via, occasion, user }; expect: imported, not-modified, failed
    - install: true                       # and uninstall; with --choose install.event=on
fixtures/scenario.schema.json completes them in an editor.`;

const payloadHelp = `

The payload of an event: --data, else fixtures/events/EVENT.json, else the fields that the interface shows.
  { "file": { "id": "{{string.uuid}}", "name": "en.json" }, "project": { "id": "{{project.id}}" } }
`;
