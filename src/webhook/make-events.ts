import path from "node:path";
import type { ChoiceReader } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { payloadsOf } from "./event-payloads.ts";
import { type Override, overrideEvents, parseOverride, replacementAt } from "./rules/event-overrides.ts";
import { asJson, type EventPayload, payloadsFor, readPayloads } from "./rules/event-payload.ts";
import { callsIn, payloadMaker } from "./rules/event-template.ts";
import { eventsInTurn, shownEvent } from "./rules/webhook-events.ts";
import { templateValues } from "./template-values.ts";
import type { EventOptions } from "./webhook-options.ts";

const NAMED = "your app gets the events that its manifest names";

/**
 * The event names that a method was given; empty if the payload names them.
 * @param method for the message, such as `webhook()`
 * @throws UsageError if neither names an event, and for a `--set` whose value ended up among the names
 */
export function eventNames(
  method: string,
  events: string | readonly string[] | undefined,
  { data, set = [] }: Pick<EventOptions, "data" | "set">,
): readonly string[] {
  const names = [events ?? []].flat();
  const other = names.find((name: unknown) => typeof name !== "string");
  const bare = method.replace("()", "");
  if (other !== undefined) {
    throw new UsageError(
      "options-invalid",
      `${method}: ${valueText(other)} is not an event name`,
      `the names come first, then the options: ${bare}("project.translated", { … }); ${NAMED}`,
    );
  }
  const number = names.find((name) => /^\d+$/.test(name));
  if (number !== undefined) {
    overridesIn(set);
    throw new UsageError(
      "options-invalid",
      `${number} is not an event name`,
      `use --count ${number} for the number of events`,
    );
  }
  const duration = method === "load()" ? names.find((name) => /^\d+(?:ms|s|m|h)$/.test(name)) : undefined;
  if (duration !== undefined) {
    throw new UsageError(
      "options-invalid",
      `${duration} is not an event name`,
      `use --duration ${duration} for how long`,
    );
  }
  if (names.includes("") || (names.length === 0 && data === undefined)) {
    throw new UsageError(
      "options-invalid",
      `${method}: no event is named`,
      `the name comes first: ${bare}("project.translated"); ${NAMED}`,
    );
  }
  return names;
}

/** More events would not fit into memory. */
const EVENTS_LIMIT = 1_000_000;

/** What events are made from: `data` is a parsed value. */
export interface EventSource extends Pick<EventOptions, "count" | "set" | "data" | "fixtures"> {
  /** Empty: those that `data` names. */
  readonly names: readonly string[];
  readonly seed: number;
}

/** An event of every round; payloads null: it has the fields that the interface shows. */
interface WantedEvent {
  readonly name: string;
  readonly payloads: readonly EventPayload[] | null;
}

/**
 * The events of a run, in the order in which they happened (interface 2.6). The payload of an event is `data`, else the
 * file with its name in `fixtures`, else the fields that the interface shows. Without `count` every payload is used
 * once.
 * @throws UsageError for payloads, templates and overrides that are wrong, naming the place
 */
export async function makeEvents(
  context: SimulatorContext,
  choices: ChoiceReader,
  source: EventSource,
): Promise<WebhookEvent[]> {
  const overrides = overridesIn(source.set ?? []);
  const wanted = await wantedEvents(source, context);
  const payloads = wanted.flatMap((each) => each.payloads ?? []);
  const resolve = await templateValues(context, choices, source.seed, payloads.flatMap(callsIn));
  const slots = wanted.map(({ name, payloads }) => ({
    name,
    makers: payloads?.map((payload) => payloadMaker(payload, resolve)) ?? [shownEvent(choices.peek("webhook.ids"))],
  }));
  const rounds = source.count ?? slots.reduce((most, { makers }) => Math.max(most, makers.length), 1);
  refuseFlood(rounds, slots.length);
  const events = overrideEvents(eventsInTurn(slots, rounds, context.config.projects), overrides);
  refuseNameless(events);
  if (wanted.some((each) => each.payloads === null)) choices.relyOn("webhook.ids");
  return events;
}

async function wantedEvents(
  { names, data, fixtures = "fixtures/events" }: EventSource,
  { cwd, config: { allowPaths } }: SimulatorContext,
): Promise<WantedEvent[]> {
  if (data !== undefined) return payloadsFor(names, readPayloads(asJson(data, "data"), "data"));
  if (names.length === 0) {
    throw new UsageError(
      "event-missing",
      "no event is named",
      "name one, for example project.translated, or give data",
    );
  }
  const wanted: (readonly WantedEvent[])[] = [];
  for (const name of names) {
    const groups = await payloadsOf(name, allowPaths, path.isAbsolute(fixtures) ? fixtures : path.join(cwd, fixtures));
    wanted.push(groups === null ? [{ name, payloads: null }] : payloadsFor([name], groups));
  }
  return wanted.flat();
}

function refuseFlood(rounds: number, each: number): void {
  if (rounds * each <= EVENTS_LIMIT) return;
  throw new UsageError(
    "events-too-many",
    `count ${withCommas(rounds)} times ${withCommas(each)} events is more than ${withCommas(EVENTS_LIMIT)}`,
    "give a smaller count",
  );
}

/** `path=value` pairs as on the command line, or an object with new values by their paths. */
function overridesIn(set: NonNullable<EventOptions["set"]>): Override[] {
  if (isPairs(set)) return set.map(parseOverride);
  return Object.entries(set).map(([path, value]) => replacementAt(path, value));
}

function isPairs(set: NonNullable<EventOptions["set"]>): set is readonly string[] {
  return Array.isArray(set);
}

/** `--set` may have changed a name, with := into anything. */
function refuseNameless(events: readonly WebhookEvent[]): void {
  if (events.every(({ event }) => typeof event === "string" && event !== "")) return;
  throw new UsageError(
    "event-unnamed",
    "--set event: an event must have a name",
    "for example --set event=project.approved",
  );
}
