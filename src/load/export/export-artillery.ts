import { type ChoiceId, type ChoiceReader, readChoices } from "../../config/choices.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { Failure } from "../../platform/result-parts.ts";
import { chooseModules, type Receiver } from "../../webhook/choose-modules.ts";
import { eventNames } from "../../webhook/event-names.ts";
import { deliveryMaker } from "../../webhook/rules/delivery-request.ts";
import { bodyPool, makeLoadEvents, smallerBatch } from "../body-pool.ts";
import { checkTargets } from "../check-targets.ts";
import { type LoadOptions, type LoadPlan, planLoad } from "../load-options.ts";
import { loadTarget } from "../rules/load-target.ts";
import { BODIES_FILE, bodyLines, type ReceiverBodies, secretVariables } from "./export-bodies.ts";
import { checkExported } from "./export-check.ts";
import { type ProcessorSettings, processorText } from "./export-processor.ts";
import { readmeText } from "./export-readme.ts";
import { PROCESSOR_FILE, SCRIPT_FILE, scriptText, usersOf } from "./export-script.ts";

/** A test for Artillery 2; without files where no module gets the events. */
export interface ArtilleryExport {
  readonly outcome: "ok" | "failed";
  readonly reason: string | null;
  readonly hint: string | null;
  readonly failure: Failure;
  readonly files: readonly { readonly name: string; readonly content: string }[];
  readonly warnings: readonly string[];
  readonly choices: readonly ChoiceId[];
}

/**
 * The load that `load()` makes as a test for Artillery 2, which can run it on many machines. The manifests of the apps
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
  const names = eventNames("exportLoad()", eventsOrNone, options.data);
  const plan = planLoad(options);
  const seed = options.seed ?? context.ids.seed();
  const events = await makeLoadEvents(context, choices, { ...options, names, seed }, plan.batch, plan.count);
  const chosen = await chooseModules(context, events);
  if (!chosen.ok) {
    const { reason, hint, failure, warnings } = chosen;
    return { outcome: "failed", reason, hint, failure, files: [], warnings, choices: choices.used() };
  }
  const mayConnectTo = (address: string) => loadTarget(address, options.allowPublic === true);
  await checkTargets(
    chosen.receivers.map(({ url }) => new URL(url)),
    mayConnectTo,
  );
  const all = chosen.receivers.map((receiver) => ({
    receiver,
    bodies: bodyPool(receiver.events, plan.batch, choices),
  }));
  const smaller = all.flatMap(({ receiver, bodies }) => smallerBatch(receiver.module.key, bodies, plan.batch));
  const files = filesOf(context, choices, all, plan, seed);
  const warnings = [...chosen.warnings, ...smaller, ...differences(plan, options)];
  return { outcome: "ok", reason: null, hint: null, failure: null, files, warnings, choices: choices.used() };
}

function filesOf(
  { config }: SimulatorContext,
  choices: ChoiceReader,
  all: readonly ReceiverBodies[],
  plan: LoadPlan,
  seed: number,
): ArtilleryExport["files"] {
  const [first] = all;
  if (first === undefined) throw new RangeError("no module was chosen");
  const target = new URL(first.receiver.url).origin;
  const used = new Set(all.map(({ receiver }) => config.apps.indexOf(receiver.app)));
  const facts = {
    plan,
    target,
    seed,
    variables: secretVariables(config).filter((_, index) => used.has(index)),
    bodies: all.reduce((sum, { bodies }) => sum + bodies.length, 0),
  };
  const settings = settingsFor(config, choices, first.receiver, plan);
  checkExported(config, settings, all);
  return [
    { name: SCRIPT_FILE, content: scriptText(plan, { target, timeoutMs: choices.get("webhook.timeout") }) },
    { name: PROCESSOR_FILE, content: processorText(settings) },
    { name: BODIES_FILE, content: bodyLines(config, target, all) },
    { name: "README.md", content: readmeText(facts) },
  ];
}

function settingsFor(
  { organization }: SimulatorContext["config"],
  choices: ChoiceReader,
  { app, module }: Receiver,
  plan: LoadPlan,
): ProcessorSettings {
  const { appSecret } = app;
  const maker = deliveryMaker({ organization, appSecret, module: module.key }, choices);
  const signature = maker.scheme;
  const idHeader = choices.get("webhook.delivery.header") || null;
  const own = ["X-Module-Key", signature.header, signature.timestampHeader, idHeader];
  const { headers } = maker.make(new Uint8Array(), 0, "");
  const users = usersOf(plan);
  return {
    // The others are of each delivery.
    headers: Object.fromEntries(headers.filter(([name]) => !own.includes(name))),
    signature,
    idHeader,
    loop: users === null ? null : { users, count: plan.count, durationMs: plan.durationMs },
  };
}

/** In what the test is not what `load` does. */
function differences({ mode }: LoadPlan, { expect }: LoadOptions): string[] {
  return [
    ...(mode === "closed"
      ? ["closed loop: Artillery's virtual users send in a loop; one whose connection fails sends no more"]
      : []),
    ...(expect === undefined ? [] : ["what is expected (--expect) is not in the test: write it below `ensure`"]),
  ];
}
