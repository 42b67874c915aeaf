import type { App } from "../config/schema.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { WebhookModule } from "../platform/manifest.ts";
import { loadManifests } from "../platform/manifests.ts";
import { environmentOf, webhookMismatch } from "../platform/modules.ts";
import { requireUsable } from "../platform/require-usable.ts";
import type { Failure } from "../platform/result-parts.ts";
import { didYouMean, isSlipOf, namesIn, nearestName } from "../protocol/nearest.ts";
import { joinUrl } from "../protocol/url.ts";
import { shownEvents, slippedEvent, type WebhookEvent } from "../protocol/webhook.ts";

/** A module that gets some of the events. */
export interface Receiver {
  readonly app: App;
  readonly module: WebhookModule;
  /** Full address. */
  readonly url: string;
  /** The events that it names, in run order. */
  readonly events: readonly WebhookEvent[];
}

/** The modules that get events, or why nothing can be sent. */
export type Receivers = { readonly warnings: readonly string[] } & (
  | { readonly ok: true; readonly receivers: readonly Receiver[] }
  | {
      readonly ok: false;
      readonly outcome: "failed" | "no-module";
      readonly reason: string;
      readonly hint: string | null;
      readonly failure: Failure;
    }
);

/**
 * Finds the modules of the installed apps that name one of the events, and the events of each (interface 2.1, 6).
 * @param needsAll whether a wrongly declared module is an error instead of being left out
 * @throws UsageError for a manifest without a suitable module
 */
export async function chooseModules(
  context: SimulatorContext,
  events: readonly WebhookEvent[],
  needsAll = false,
): Promise<Receivers> {
  const installed = await loadManifests(context);
  if (!installed.ok) {
    const { reason, hint, failure } = installed;
    return { ok: false, outcome: "failed", reason, hint, failure, warnings: [] };
  }
  requireUsable(installed.apps, "webhook", needsAll ? "every" : "any");
  const names = [...new Set(events.map(({ event }) => event))];
  const environment = environmentOf(context.config.organization);
  const receivers: Receiver[] = [];
  const restricted: string[] = [];
  const named = new Set<string>();
  for (const { app, manifest } of installed.apps) {
    for (const module of manifest.webhooks) {
      const mismatch = webhookMismatch(module, names, environment);
      for (const event of module.events) named.add(event);
      if (mismatch === null) {
        const own = events.filter(({ event }) => module.events.includes(event));
        receivers.push({ app, module, url: joinUrl(app.url, module.url), events: own });
      } else if (module.events.some((event) => names.includes(event))) {
        restricted.push(`webhook ${module.key} ${mismatch}`);
      }
    }
  }
  const unnamed = names.filter((name) => !receivers.some(({ module }) => module.events.includes(name)));
  const warnings = [...installed.warnings, ...restricted];
  const away = { ok: false, outcome: "no-module", failure: null, warnings } as const;
  if (receivers.length === 0) return { ...away, ...noModule(names, [...named], restricted) };
  const mistyped = unnamed.filter((name) => isMistyped(name, names, [...named]));
  if (mistyped.length > 0) return { ...away, ...noModule(mistyped, [...named], []) };
  const notSent = unnamed.map((name) => {
    const mistake = mistakenName(name, [...named]);
    return `${nobodyGets(name)}: it was not sent (${namedText([...named])}).${mistake}`;
  });
  const sent = names.filter((name) => !unnamed.includes(name));
  const odd = sent.flatMap((name) => oddName(name, [...named]));
  return { ok: true, receivers, warnings: [...warnings, ...odd, ...notSent] };
}

/** The beginning of the warning about an event that was not sent. */
export function nobodyGets(name: string): string {
  return `no webhook module gets ${name}`;
}

/** Whether a name looks like a typo for one that the manifest has and the run does not. */
function isMistyped(name: string, names: readonly string[], named: readonly string[]): boolean {
  if (named.includes(name) || shownEvents.includes(name)) return false;
  return named.some((right) => !names.includes(right) && isSlipOf(name, right));
}

/** A warning if run and manifest share a name that looks like a typo for an event of the interface. */
function oddName(name: string, named: readonly string[]): string[] {
  const meant = slippedEvent(name, named);
  const what = `the manifest names ${name}, which is not an event that the interface shows`;
  return meant === undefined ? [] : [`${what}. Did you mean "${meant}"?`];
}

function noModule(
  names: readonly string[],
  named: readonly string[],
  restricted: readonly string[],
): { reason: string; hint: string } {
  const problem = nobodyGets(names.join(", "));
  if (restricted.length > 0) {
    const hint =
      "its environments exclude this organization; organization.edition (APP_SIM_EDITION) is enterprise or standard";
    return { reason: `${problem}: ${restricted.join("; ")}`, hint };
  }
  return { reason: `${problem}.${mistakenName(names[0] ?? "", named)}`, hint: namedText(named) };
}

/** What may be wrong with a name that no module has, as a sentence; "" if no known name is similar. */
function mistakenName(name: string, named: readonly string[]): string {
  const parts = namesIn(name, named);
  if (parts !== null) return ` Pass each event as a separate argument: ${parts.join(" ")}`;
  const near = nearestName(name, named);
  const isRight = shownEvents.includes(name);
  // This is the one of the two names that the interface shows.
  if (near !== null && isRight && !shownEvents.includes(near))
    return ` The manifest names "${near}": should that be "${name}"?`;
  return isRight ? "" : didYouMean(name, named);
}

function namedText(named: readonly string[]): string {
  return named.length === 0
    ? "the manifest declares no webhook module"
    : `events that the manifest names: ${named.join(", ")}`;
}
