import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/protocol/usage-error.ts";
import type { EventPayload } from "../../src/webhook/rules/event-payload.ts";
import { callsIn, payloadMaker, type ResolveCall, type TemplateCall } from "../../src/webhook/rules/event-template.ts";
import type { EventPlace } from "../../src/webhook/rules/webhook-events.ts";

const project = { id: 501, identifier: "app", name: "App", sourceLanguage: "en", targetLanguages: ["uk"] };
const place: EventPlace = { event: "file.added", index: 3, project, targetLanguage: "uk" };

function payload(fields: EventPayload["fields"], event: string | null = null): EventPayload {
  return { fields, event, from: "file.added.json", path: [] };
}

const values: Readonly<Record<string, unknown>> = {
  seven: 7,
  text: "Zażółć",
  at: new Date(0),
  big: 2n ** 70n,
  list: [1, "two"],
  nothing: undefined,
  yes: true,
};
const resolve: ResolveCall =
  ({ name, args }) =>
  () =>
    args === null ? values[name] : { name, args };

/** What comes of one text. */
function filled(text: string): unknown {
  return payloadMaker(payload({ text }), resolve)(place).text;
}

describe("a text with templates", () => {
  test.each<[string, unknown]>([
    ["plain", "plain"],
    ["", ""],
    ["{ } }} {x}", "{ } }} {x}"],
    ["{{seven}}", "7"],
    ["{{ seven }}", "7"],
    ["{{seven}}{{text}}", "7Zażółć"],
    ["a {{seven}} b {{yes}}!", "a 7 b true!"],
    ["{{at}}", "1970-01-01T00:00:00.000Z"],
    ["{{big}}", "1180591620717411303424"],
    ["{{list}}", '[1,"two"]'],
    ["{{nothing}}", "null"],
    ["\\{{seven}}", "{{seven}}"],
    ["{{seven}}\\{{seven}} {{seven}}", "7{{seven}} 7"],
    ["\\{{\\{{", "{{{{"],
    ["{{json seven}}", 7],
    ["{{json text}}", "Zażółć"],
    ["{{json at}}", "1970-01-01T00:00:00.000Z"],
    ["{{json big}}", "1180591620717411303424"],
    ["{{json list}}", [1, "two"]],
    ["{{json nothing}}", null],
  ])("%j gives %j", (text, value) => {
    expect(filled(text)).toEqual(value);
  });

  test.each<[string, Pick<TemplateCall, "name" | "args">]>([
    ["{{json a.b()}}", { name: "a.b", args: [] }],
    ['{{json a.b(3, "x")}}', { name: "a.b", args: [3, "x"] }],
    ['{{json a.b({"c":{"d":1}})}}', { name: "a.b", args: [{ c: { d: 1 } }] }],
    ['{{json a.b("}}")}}', { name: "a.b", args: ["}}"] }],
    ['{{json a.b("(}}) {{")}}', { name: "a.b", args: ["(}}) {{"] }],
    ["{{json a.b(####)}}", { name: "a.b", args: ["####"] }],
  ])("%s: its arguments are JSON, or one bare text", (text, call) => {
    expect(filled(text)).toEqual(call);
  });

  test.each([
    ["{{seven", '"{{seven" is not a template'],
    ["x {{}}", '"{{}}" is not a template'],
    ["{{{seven}}}", "is not a template"],
    ["{{a b}}", "is not a template"],
    ["{{a.}}", "is not a template"],
    ["{{a(1}}", "is not a template"],
    ['{{a({"b":1)}}', "is not a template"],
    ['{{a({"__proto__":{}})}}', "is not a template"],
    [`{{a(${"1,".repeat(10_000)}1)}}`, "is not a template"],
    ["n: {{json seven}}", "{{json seven}} must be the whole string"],
    ["{{json seven}}{{seven}}", "must be the whole string"],
  ])("%.40s is a mistake, with its place", (text, reason) => {
    const make = () => payloadMaker(payload({ file: [{ text }] }), resolve);
    expect(make).toThrow(UsageError);
    expect(make).toThrow("file.added.json: file[0].text: ");
    expect(make).toThrow(reason);
  });

  test("a text full of closing braces is still read to its end", () => {
    expect(() => filled(`{{a(${"}}".repeat(1_000_000)}`)).toThrow("is not a template");
  });
});

describe("an event of a payload", () => {
  test("starts with its name if the payload has none, and otherwise keeps the name's place", () => {
    const text = (fields: EventPayload["fields"], event: string | null) =>
      JSON.stringify(payloadMaker(payload(fields, event), resolve)(place));
    expect(text({ id: "1" }, null)).toBe('{"event":"file.added","id":"1"}');
    expect(text({ id: "1", event: "file.added" }, "file.added")).toBe('{"id":"1","event":"file.added"}');
  });

  test("is filled in at any depth; names of members and other values stay unchanged", () => {
    const fields = { "{{seven}}": { list: ["{{seven}}", [{ x: "{{json seven}}" }], 1, null, true] } };
    expect(payloadMaker(payload(fields), resolve)(place)).toEqual({
      event: "file.added",
      "{{seven}}": { list: ["7", [{ x: 7 }], 1, null, true] },
    });
  });

  test("shares no objects with the next", () => {
    const make = payloadMaker(payload({ file: { tags: [1] } }), resolve);
    const [one, other] = [make(place), make(place)];
    expect(one.file).not.toBe(other.file);
    expect((one.file as { tags: unknown }).tags).not.toBe((other.file as { tags: unknown }).tags);
  });

  test("evaluates its values separately", () => {
    const make = payloadMaker(
      payload({ at: "{{json index}}" }),
      () =>
        ({ index }) =>
          index,
    );
    expect([make(place), make({ ...place, index: 4 })].map(({ at }) => at)).toEqual([3, 4]);
  });

  test("callsIn returns every call with its place", () => {
    expect(callsIn(payload({ a: "{{x}} {{json}}", b: ["{{json y(1)}}", "\\{{z}}"] }))).toEqual([
      { name: "x", args: null, isJson: false, where: "file.added.json: a: {{x}}" },
      { name: "json", args: null, isJson: false, where: "file.added.json: a: {{json}}" },
      { name: "y", args: [1], isJson: true, where: "file.added.json: b[0]: {{json y(1)}}" },
    ]);
  });
});

test("any JSON with escaped braces stays the same", () => {
  const written = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_, each) => (typeof each === "string" ? each.replaceAll("{{", "\\{{") : each));
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^[{}a\\(]{0,8}$/));
  const key = fc.string().filter((name) => name !== "__proto__" && name !== "event");
  const json = fc.dictionary(key, fc.oneof(texts, fc.array(texts), fc.jsonValue()));
  fc.assert(
    fc.property(json, (fields) => {
      const given = JSON.parse(JSON.stringify(fields));
      const { event, ...made } = payloadMaker(payload(written(given) as EventPayload["fields"]), resolve)(place);
      expect(event).toBe("file.added");
      expect(made).toEqual(given);
    }),
  );
});
