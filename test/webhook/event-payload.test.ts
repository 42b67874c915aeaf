import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/protocol/json.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";
import { asJson, payloadsFor, readPayloads, refuseChangedNumbers } from "../../src/webhook/rules/event-payload.ts";

function mistakeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof UsageError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error("expected a UsageError");
}

/** Which payloads, by their field `n`, each event of a round has in turn. */
function chosen(names: readonly string[], value: unknown): string[] {
  return payloadsFor(names, readPayloads(value, "data")).map(
    ({ name, payloads }) => `${name}: ${payloads.map(({ fields }) => fields.n).join()}`,
  );
}

/** Payloads of the events b, a and b again. */
const bab = ["b", "a", "b"].map((event, index) => ({ event, n: index + 1 }));

describe("the payloads of an event", () => {
  test.each<[string, readonly string[], unknown, string[]]>([
    ["one for each name", ["a", "b"], { n: 1 }, ["a: 1", "b: 1"]],
    ["one for the name that it has", [], { event: "a", n: 1 }, ["a: 1"]],
    ["an array in turn", ["a", "b"], [{ n: 1 }, { n: 2 }], ["a: 1,2", "b: 1,2"]],
    ["of an array those of its name, and those of any", ["a", "b"], [...bab, { n: 4 }], ["a: 2,4", "b: 1,3,4"]],
    ["the names of the array", [], bab, ["b: 1,3", "a: 2"]],
    ["a body as it is", [], { events: bab }, ["b: 1", "a: 2", "b: 3"]],
    ["a body for a name", ["a"], { events: [{ n: 1 }, { event: "a", n: 2 }] }, ["a: 1", "a: 2"]],
    ["a field events beside a name", [], { event: "a", n: 1, events: [] }, ["a: 1"]],
    ["a field events that is no array", ["a"], { events: 3, n: 1 }, ["a: 1"]],
    ["the same name twice", ["a", "a"], { n: 1 }, ["a: 1", "a: 1"]],
  ])("%s", (_, names, value, payloads) => {
    expect(chosen(names, value)).toEqual(payloads);
  });

  test.each<[readonly string[], unknown, string]>([
    [["a"], 7, "payload-invalid: data: is 7: expected an object, an array of objects, or a whole body"],
    [["a"], null, "payload-invalid: data: is null: expected an object"],
    [["a"], "x", 'payload-invalid: data: is "x": expected an object'],
    [["a"], [], "payload-invalid: data: is an empty array"],
    [["a"], [{}, 3], "payload-invalid: data: [1] is 3: expected an object"],
    [["a"], [[]], "payload-invalid: data: [0] is []: expected an object"],
    [["a"], { events: [] }, "payload-invalid: data: events is an empty array"],
    [["a"], { events: [{}, null] }, "payload-invalid: data: events[1] is null: expected an object"],
    [["a"], { events: [{}], x: 1 }, "payload-invalid: data: a body holds only events, but this one also has x"],
    [[], { event: "" }, 'payload-invalid: data: event is "": expected a name'],
    [[], [{ event: 7 }], "payload-invalid: data: [0].event is 7: expected a name"],
    [[], { event: "{{event}}" }, 'payload-invalid: data: event is "{{event}}": a name cannot be a template'],
    [[], { n: 1 }, "event-missing: data: no event is named, and it has no event of its own"],
    [[], [{ event: "a" }, {}], "event-missing: data: no event is named, and [1] has no event of its own"],
    [["a"], { event: "b" }, 'event-other: data: event is "b", which is not one of the named events: a'],
    [
      ["a"],
      { events: [{ event: "b" }] },
      'event-other: data: events[0].event is "b", which is not one of the named events: a',
    ],
    [["a", "b"], [{ event: "b" }], "payload-missing: data: there is no payload for a, only for b"],
  ])("%j with %j is a mistake", (names, value, message) => {
    expect(mistakeOf(() => chosen(names, value))).toContain(message);
  });
});

describe("asJson", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const deep = Array.from({ length: 5000 }).reduce<unknown>((inner) => [inner], 1);

  test("gives what JSON would transfer", () => {
    const value = { at: new Date(0), gone: undefined, ż: "\ud800", n: 2 ** 60 };
    expect(asJson(value, "data")).toEqual({ at: "1970-01-01T00:00:00.000Z", ż: "\ud800", n: 2 ** 60 });
  });

  test.each<[string, unknown]>([
    ["a cycle", circular],
    ["a big integer", { n: 1n }],
    ["a function", () => 1],
    ["a name of the prototype", JSON.parse('{"__proto__":{"polluted":1}}')],
    ["depth", deep],
  ])("S24: refuses %s", (_, value) => {
    expect(mistakeOf(() => asJson(value, "data"))).toMatch(/^payload-invalid: data: /);
  });
});

test("R17: refuses numbers that would be sent as others; R18: but not lone surrogates", () => {
  const notesOf = (json: string) => {
    const parsed = parseJson(Buffer.from(json));
    return parsed.ok ? parsed.notes : [];
  };
  const half = notesOf('{"a":"\\ud800","\\udc00":1}');
  expect(half).toHaveLength(2);
  expect(() => refuseChangedNumbers(half, "data")).not.toThrow();
  const message = "number-inexact: data: file.id is 9007199254740993, beyond 2^53";
  expect(mistakeOf(() => refuseChangedNumbers(notesOf('{"file":{"id":9007199254740993}}'), "data"))).toContain(message);
});
