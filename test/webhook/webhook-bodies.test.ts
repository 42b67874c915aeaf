import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/protocol/usage-error.ts";
import type { WebhookEvent } from "../../src/protocol/webhook.ts";
import { makeBodies } from "../../src/webhook/rules/webhook-bodies.ts";

const plenty = { events: 100_000, bytes: 67_108_864 };
const numbered = (count: number): WebhookEvent[] => Array.from({ length: count }, (_, id) => ({ event: "a", id }));
const eventsOf = ({ json }: { readonly json: Buffer }): WebhookEvent[] => JSON.parse(json.toString()).events;

test("6.1 even a single event is in bulk form", () => {
  const [body, ...others] = makeBodies([{ event: "project.approved" }], plenty);
  expect(body?.json.toString()).toBe('{"events":[{"event":"project.approved"}]}');
  expect(others).toEqual([]);
});

test("without events there is no body", () => {
  expect(makeBodies([], plenty)).toEqual([]);
});

test.each([
  [1, [1, 1, 1, 1, 1]],
  [2, [2, 2, 1]],
  [5, [5]],
  [6, [5]],
])("at most %d events in one body: %j", (events, counts) => {
  expect(makeBodies(numbered(5), { ...plenty, events }).map((body) => body.events)).toEqual(counts);
});

describe("the limit in bytes", () => {
  const event = { event: "é", n: 1 };
  const one = Buffer.byteLength(JSON.stringify({ events: [event] }));
  const two = Buffer.byteLength(JSON.stringify({ events: [event, event] }));

  test.each([
    [two, [2]],
    [two - 1, [1, 1]],
    [one, [1, 1]],
  ])("%d bytes: %j events", (bytes, counts) => {
    expect(makeBodies([event, event], { ...plenty, bytes }).map((body) => body.events)).toEqual(counts);
  });

  test("an event that is too large for one body is the user's mistake", () => {
    const make = () => makeBodies([event], { ...plenty, bytes: one - 1 });
    expect(make).toThrow(UsageError);
    expect(make).toThrow(/an event é has 20 bytes, but a body holds at most 32/);
  });
});

test("for any events and limits: all events in order, in as few bodies as possible, as JSON.stringify writes them", () => {
  const event = fc.record(
    { event: fc.string({ minLength: 1, maxLength: 8, unit: "binary" }), payload: fc.jsonValue() },
    { requiredKeys: ["event"] },
  ) as fc.Arbitrary<WebhookEvent>;
  const limit = fc.record({ events: fc.integer({ min: 1, max: 7 }), bytes: fc.integer({ min: 1024, max: 4096 }) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), limit, (events, limits) => {
      fc.pre(events.every((one) => Buffer.byteLength(JSON.stringify(one)) < 1000));
      const bodies = makeBodies(events, limits);
      const wanted = JSON.parse(JSON.stringify(events));
      expect(bodies.flatMap(eventsOf)).toEqual(wanted);
      for (const [index, body] of bodies.entries()) {
        const held = eventsOf(body);
        expect(body.events).toBe(held.length);
        expect(body.events).toBeLessThanOrEqual(limits.events);
        expect(body.json.length).toBeLessThanOrEqual(limits.bytes);
        expect(body.json.toString()).toBe(JSON.stringify({ events: held }));
        const [next] = bodies[index + 1] === undefined ? [] : eventsOf(bodies[index + 1] as { json: Buffer });
        if (next === undefined) continue;
        const larger = Buffer.byteLength(JSON.stringify({ events: [...held, next] }));
        expect(held.length === limits.events || larger > limits.bytes).toBe(true);
      }
    }),
  );
});
