import { readFile } from "node:fs/promises";
import path from "node:path";
import { appSecretKey } from "../../config/app-variables.ts";
import { type ChoiceId, type ChoiceReader, readChoices } from "../../config/choices.ts";
import type { Config } from "../../config/schema.ts";
import { secretsOf } from "../../config/secrets.ts";
import { shippedFixtures } from "../../config/shipped-fixtures.ts";
import { secretFinder } from "../../journal/secret-hider.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { foreignAddress } from "../../platform/own-networks.ts";
import type { Failure } from "../../platform/result-parts.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { chooseModules, type Receiver } from "../../webhook/choose-modules.ts";
import { eventNames } from "../../webhook/make-events.ts";
import { deliveryMaker } from "../../webhook/rules/delivery-request.ts";
import type { WebhookBody } from "../../webhook/rules/webhook-bodies.ts";
import { bodyPool, makeLoadEvents, smallerBatch } from "../body-pool.ts";
import { type LoadOptions, planLoad } from "../load-options.ts";
import type { LoadPlan } from "../load-result.ts";
import { checkTargets } from "../targets.ts";
import { planText, scriptText, usersOf } from "./export-script.ts";

/** A test for Artillery 2; without files if no module gets the events. */
export interface ArtilleryExport {
  /** `failed`: there are no files. */
  readonly outcome: "ok" | "failed";
  /** Why it failed; null: it did not. */
  readonly reason: string | null;
  /** What to do about that. */
  readonly hint: string | null;
  /** What kind of failure it was; null: none. */
  readonly failure: Failure;
  /** The files to write to one folder; its README.md says how to run the test. */
  readonly files: readonly {
    /** Path relative to the test's folder. */
    readonly name: string;
    /** The full text. */
    readonly content: string;
  }[];
  /** Probable mistakes, in sentences. */
  readonly warnings: readonly string[];
  /** Ids of the choices that the files depend on. */
  readonly choices: readonly ChoiceId[];
}

interface ReceiverBodies {
  readonly receiver: Receiver;
  readonly bodies: readonly WebhookBody[];
}

/**
 * Makes a test for Artillery 2 of the load that `load()` makes, to run it on many machines. The manifests of the apps
 * are read; nothing is delivered.
 * @throws UsageError for options that exclude each other, for events that cannot be made, for an address that gets no
 * load (hardening S29), for header lines that Artillery would change, and where a secret would stand in a file (S27)
 */
export async function exportArtillery(
  context: SimulatorContext,
  eventsOrNone: string | readonly string[],
  options: LoadOptions,
): Promise<ArtilleryExport> {
  const choices = readChoices(context.choices);
  const names = eventNames("exportLoad()", eventsOrNone, options);
  const plan = planLoad(options);
  const seed = options.seed ?? context.ids.seed();
  const events = await makeLoadEvents(context, choices, { ...options, names, seed }, plan);
  const chosen = await chooseModules(context, events, true);
  if (!chosen.ok) {
    const { reason, hint, failure, warnings } = chosen;
    return { outcome: "failed", reason, hint, failure, files: [], warnings, choices: choices.used() };
  }
  await checkTargets(
    chosen.receivers.map(({ url }) => new URL(url)),
    (address) => foreignAddress(address, options.allowPublic === true),
  );
  const all = chosen.receivers.map((receiver) => ({
    receiver,
    bodies: bodyPool(receiver.events, plan.batch, choices),
  }));
  const files = await filesOf(context.config, choices, all, { plan, seed });
  const warnings = [
    ...chosen.warnings,
    ...all.flatMap(({ receiver, bodies }) => smallerBatch(receiver.module.key, bodies, plan.batch)),
    ...differences(plan, options),
  ];
  return { outcome: "ok", reason: null, hint: null, failure: null, files, warnings, choices: choices.used() };
}

interface SeededPlan {
  readonly plan: LoadPlan;
  /** The seed that the bodies were made with. */
  readonly seed: number;
}

async function filesOf(
  config: Config,
  choices: ChoiceReader,
  all: readonly ReceiverBodies[],
  { plan, seed }: SeededPlan,
): Promise<ArtilleryExport["files"]> {
  const [first] = all;
  if (first === undefined) throw new RangeError("no module was chosen");
  const target = new URL(first.receiver.url).origin;
  const settings = settingsFor(config, choices, first.receiver, plan);
  checkExported(config, settings, all);
  const templates = path.join(shippedFixtures, "artillery");
  const processor = await readFile(path.join(templates, "processor.cjs"), "utf8");
  const readme = await readFile(path.join(templates, "README.md"), "utf8");
  const variables = [...new Set(all.map(({ receiver }) => secretVariable(config, receiver)))];
  const count = all.reduce((sum, { bodies }) => sum + bodies.length, 0);
  const facts: Readonly<Record<string, string>> = {
    seed: String(seed),
    target,
    plan: planText(plan),
    exports: variables.map((name) => `export ${name}=…`).join("\n"),
    variables: variables.length === 1 ? "variable" : "variables",
    bodies: `${count} ${count === 1 ? "body" : "bodies"}`,
  };
  return [
    { name: "webhooks.yml", content: scriptText(plan, target, choices.get("webhook.timeout")) },
    {
      name: "processor.cjs",
      content: processor.replace('require("./settings.json")', () => JSON.stringify(settings, null, 2)),
    },
    { name: "bodies.ndjson", content: bodyLines(config, target, all) },
    { name: "README.md", content: readme.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => facts[name] ?? "") },
  ];
}

type ProcessorSettings = ReturnType<typeof settingsFor>;

/** What fixtures/artillery/processor.cjs needs to know. */
function settingsFor(
  { organization }: Config,
  choices: ChoiceReader,
  { app: { appSecret }, module }: Receiver,
  plan: LoadPlan,
) {
  const maker = deliveryMaker({ organization, appSecret, module: module.key }, choices);
  const signature = maker.scheme;
  const idHeader = choices.get("webhook.delivery.header") || null;
  const ofEachDelivery = ["X-Module-Key", signature.header, signature.timestampHeader, signature.idHeader, idHeader];
  const { headers } = maker.make(new Uint8Array(), 0, "");
  const users = usersOf(plan);
  return {
    headers: Object.fromEntries(headers.filter(([name]) => !ofEachDelivery.includes(name))),
    signature,
    idHeader,
    loop: users === null ? null : { users, count: plan.count, durationMs: plan.durationMs },
  };
}

/** Name of the variable with the secret of the receiver's app, as `app-sim env` prints it. */
function secretVariable({ apps }: Config, { app }: Receiver): string {
  return appSecretKey(apps, app).variable;
}

/**
 * One JSON object per line. The UTF-8 bytes of `body` are the body; an address is only a path, so that the target can
 * be replaced.
 */
function bodyLines(config: Config, target: string, all: readonly ReceiverBodies[]): string {
  const lines = all.flatMap(({ receiver, bodies }) => {
    const { module, url } = receiver;
    const path = url.startsWith(`${target}/`) ? url.slice(target.length) : url;
    const about = {
      // Artillery reads two braces in an address as a variable, one of which is the whole environment.
      url: path.replaceAll("{", "%7B").replaceAll("}", "%7D"),
      module: module.key,
      secret: secretVariable(config, receiver),
    };
    return bodies.map(({ json }) => `${JSON.stringify({ ...about, body: json.toString() })}\n`);
  });
  return lines.join("");
}

const SHOWN_CHARACTERS = 60;

/**
 * Refuses what must not be exported: a secret in a file (hardening S27), and two braces in a header line, which
 * Artillery replaces from its environment, including secrets.
 * @throws UsageError for either
 */
function checkExported(config: Config, { headers, signature }: ProcessorSettings, all: readonly ReceiverBodies[]) {
  const modules = all.map(({ receiver }) => receiver.module.key);
  const values = [...Object.values(headers), signature.prefix, ...modules];
  const template = values.find((value) => value.includes("{{"));
  if (template !== undefined) {
    throw new UsageError(
      "export-template",
      `a header line has ${clip(harmlessLine(template), SHOWN_CHARACTERS)}: Artillery reads {{ as a variable`,
      "remove {{ from the module's key, the organization's domain, and the choices for header lines",
    );
  }
  const texts = all.flatMap(({ receiver, bodies }) => [receiver.url, ...bodies.map(({ json }) => json.toString())]);
  if ([...values, ...texts].some(secretFinder(secretsOf(config)))) {
    throw new UsageError(
      "export-secret",
      "the export would contain a secret of the configuration",
      "remove it from the payload and the manifest: the test signs with the secret in its environment",
    );
  }
}

/** How the test differs from `load`. */
function differences({ mode }: LoadPlan, { expect }: LoadOptions): string[] {
  return [
    ...(mode === "closed"
      ? ["closed loop: Artillery's virtual users send in a loop; a user whose connection fails stops sending"]
      : []),
    ...(expect === undefined ? [] : ["expectations (--expect) are not in the test: add them below `ensure`"]),
  ];
}
