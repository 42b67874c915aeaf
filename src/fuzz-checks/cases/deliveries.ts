import { type Arbitrary, array, integer, nat, option, record } from "fast-check";
import type { CheckFacts, Evidence, Trial, Verdict } from "../../checking/check.ts";
import type { RequestParts } from "../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { WebhookEvent } from "../../protocol/webhook.ts";
import { type EventWorld, eventAt } from "../../webhook-checks/fresh-events.ts";
import { randomDeliveries } from "../checks.ts";
import { anySpelling, type Spelling, spelledJson } from "../random/json.ts";
import { oddText } from "../random/texts.ts";
import { exchangeIn, type RandomCheck, randomCheck } from "../random-check.ts";

/** The actions of checks with random deliveries. */
export interface RandomDeliveryTrial extends Trial {
  readonly world: EventWorld;
}
type DeliveryCases = RandomCheck<RandomDeliveryTrial>;

/** An event by its project and language, with fields that the interface leaves open (2.6). */
interface RandomEvent {
  readonly name: number;
  readonly place: number;
  /** Fields of its project apart from the id; null: none. */
  readonly fields: { readonly name?: string; readonly description?: string } | null;
}

interface RandomDelivery {
  readonly events: readonly RandomEvent[];
  readonly spelling: Spelling;
}

const usual: Spelling = { indent: "", end: "", escapes: "none", isReversed: false };

/** Two braces are a template in a file for `app-sim webhook --data`. */
const fieldText = oddText(0, 30).filter((text) => !text.includes("{{"));

const randomEvent: Arbitrary<RandomEvent> = record({
  name: nat(1000),
  place: nat(1000),
  fields: option(record({ name: fieldText, description: fieldText }, { requiredKeys: [] }), { nil: null }),
});

/** Maximum number of events in a delivery with random content: a separate check sends more. */
const FEW = 2;

const randomDelivery: Arbitrary<RandomDelivery> = record({
  events: array(randomEvent, { minLength: 1, maxLength: FEW, size: "max" }),
  spelling: anySpelling,
});

function eventsOf(world: EventWorld, events: readonly RandomEvent[]): WebhookEvent[] {
  return events.map(({ name, place, fields }) => {
    const event = eventAt(world, name, place);
    return fields === null ? event : { ...event, project: { ...(event.project as object), ...fields } };
  });
}

/** The same delivery without anything unusual. */
function plainOf({ events }: RandomDelivery): RandomDelivery {
  const plain = (fields: RandomEvent["fields"]) =>
    fields && Object.fromEntries(Object.keys(fields).map((name) => [name, "Sizes"]));
  return { spelling: usual, events: events.map((event) => ({ ...event, fields: plain(event.fields) })) };
}

async function deliveryOf({ prepare, world }: RandomDeliveryTrial, of: RandomDelivery): Promise<RequestParts> {
  const bytes = spelledJson({ events: eventsOf(world, of.events) }, of.spelling);
  return { ...(await prepare()), body: { bytes } };
}

const replyIn = (evidence: Evidence, role: string) => {
  const exchange = exchangeIn(evidence, role);
  return exchange && evidence.read(exchange);
};

/** The verdict on a delivery that must be acknowledged, like the same one without anything unusual. */
function acknowledgedVerdict(check: CheckFacts, evidence: Evidence): Verdict {
  const [odd, plain] = [replyIn(evidence, "delivery"), replyIn(evidence, "plain")];
  if (odd === null) return skipVerdict("nothing was sent");
  if (odd.kind === "accepted") return PASSED;
  const status = exchangeIn(evidence, "delivery")?.response?.status;
  if (status === 429 || status === 503) return skipVerdict("the app accepts no more for now");
  if (plain !== null && plain.kind !== "accepted") {
    return skipVerdict(`the app ${plain.says} to a delivery without anything unusual, too`);
  }
  return faulty(check, `the app ${odd.says} to a correctly signed delivery`);
}

const acknowledged: DeliveryCases = randomCheck<RandomDelivery, RandomDeliveryTrial>(randomDeliveries.acknowledged, {
  cases: () => randomDelivery,
  send: async (tools, of) => void (await tools.send("delivery", await deliveryOf(tools, of))),
  confirm: async (tools, of) => void (await tools.send("plain", await deliveryOf(tools, plainOf(of)))),
  judge: acknowledgedVerdict,
});

interface ManyEvents {
  readonly count: number;
  readonly name: number;
}

const amount: DeliveryCases = randomCheck<ManyEvents, RandomDeliveryTrial>(randomDeliveries.amount, {
  cases: () => record({ count: integer({ min: 1, max: 1000 }), name: nat(1000) }),
  send: async (tools, of) => void (await tools.send("delivery", await deliveryOf(tools, manyOf(of)))),
  confirm: async (tools, { name }) =>
    void (await tools.send("plain", await deliveryOf(tools, manyOf({ count: 1, name })))),
  judge: acknowledgedVerdict,
});

function manyOf({ count, name }: ManyEvents): RandomDelivery {
  const events = Array.from({ length: count }, (_, index) => ({ name: name + index, place: index, fields: null }));
  return { events, spelling: usual };
}

interface ChangedDelivery {
  readonly delivery: RandomDelivery;
  readonly at: number;
  readonly by: number;
}

const changed: DeliveryCases = randomCheck<ChangedDelivery, RandomDeliveryTrial>(randomDeliveries.changed, {
  cases: () => record({ delivery: randomDelivery, at: nat(100_000), by: integer({ min: 1, max: 255 }) }),
  send: async (tools, { delivery, at, by }) => {
    const request = await deliveryOf(tools, delivery);
    const flipped = (body: Uint8Array) => body.map((byte, index) => (index === at % body.length ? byte ^ by : byte));
    await tools.send("before", request);
    await tools.send("changed", { ...request, tamper: flipped });
    await tools.send("after", await tools.prepare());
  },
  judge: (check, evidence) => {
    const [before, twin, after] = ["before", "changed", "after"].map((role) => replyIn(evidence, role));
    if (before?.kind !== "accepted" || after?.kind !== "accepted") {
      return skipVerdict(`the app ${(before?.kind === "accepted" ? after : before)?.says} to the correct delivery`);
    }
    if (twin?.kind === "refused") return PASSED;
    return faulty(check, `the app ${twin?.says} to a delivery with one changed byte`);
  },
});

/** Every check with random deliveries. */
export const randomDeliveryChecks: readonly DeliveryCases[] = [acknowledged, amount, changed];
