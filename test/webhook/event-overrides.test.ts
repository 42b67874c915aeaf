import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/protocol/usage-error.ts";
import type { WebhookEvent } from "../../src/protocol/webhook.ts";
import {
  type Override,
  overrideEvents,
  parseOverride,
  replacementAt,
} from "../../src/webhook/rules/event-overrides.ts";

function usageErrorOf(action: () => unknown): UsageError {
  try {
    action();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error("expected a UsageError");
}

describe("parseOverride", () => {
  test.each<[string, Override]>([
    ["project.id=42", { path: "project.id", value: "42" }],
    ["events[0].project.id=42", { path: "events[0].project.id", value: "42" }],
    ["a=b=c", { path: "a", value: "b=c" }],
    ["a=", { path: "a", value: "" }],
    ["a= b ", { path: "a", value: " b " }],
    ["a=:=1", { path: "a", value: ":=1" }],
    ['a.b:={"c":1}', { path: "a.b", value: '{"c":1}', json: { c: 1 } }],
    ["a:=null", { path: "a", value: "null", json: null }],
    ['a:="b=c"', { path: "a", value: '"b=c"', json: "b=c" }],
  ])("%s", (text, override) => {
    expect(parseOverride(text)).toEqual(override);
  });

  test.each(["", "project.id", "=42", "=", ":=42", ":="])("%j is not path=value", (text) => {
    expect(usageErrorOf(() => parseOverride(text))).toMatchObject({
      code: "set-syntax",
      message: `--set ${text}: expected path=value`,
      hint: "for example --set project.id=42",
    });
  });
});

describe("parseOverride of path:=JSON", () => {
  test.each([
    ["a:=", "the value is empty"],
    ["a:={", "the value is not valid JSON: "],
    ["a:=x", "the value is not valid JSON: "],
    ['a:={"b":1,"b":2}', 'the value has the key "b" twice in one object'],
  ])("%s is an error that says why", (text, reason) => {
    const error = usageErrorOf(() => parseOverride(text));
    expect(error.code).toBe("set-json");
    expect(error.message).toContain(`--set ${text}: ${reason}`);
  });

  test.each(['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', "[".repeat(10_000)])(
    "S24: %.30s is refused",
    (json) => {
      expect(usageErrorOf(() => parseOverride(`a:=${json}`)).code).toBe("set-json");
    },
  );

  test.each(["9007199254740993", '{"id":[12345678901234567890]}', "1e999"])(
    "R17: %s is refused, because it would be sent as another number",
    (json) => {
      expect(usageErrorOf(() => parseOverride(`a:=${json}`)).code).toBe("number-inexact");
    },
  );

  test("R18: a lone surrogate is sent as an escape again", () => {
    expect(parseOverride('a:="\\ud800"').json).toBe("\ud800");
  });
});

/** Two events of the shown shape. */
const events: readonly WebhookEvent[] = ["uk", "de"].map((id) => ({
  event: "project.translated",
  project: { id: "501" },
  targetLanguage: { id },
}));
/** A payload of the user's own: any JSON beside `event`. */
const own: WebhookEvent = {
  event: "file.added",
  count: 3,
  draft: false,
  file: { name: "a.json", size: null },
  labels: ["ui", "new"],
  steps: [{ at: 1 }, { at: 2 }],
};

function override(target: readonly WebhookEvent[], ...texts: string[]): WebhookEvent[] {
  return overrideEvents(target, texts.map(parseOverride));
}

describe("overrideEvents", () => {
  test("without overrides changes nothing", () => {
    expect(overrideEvents(events, [])).toEqual(events);
  });

  test("a path reaches every event", () => {
    expect(override(events, "project.id=42").map((event) => event.project)).toEqual([{ id: "42" }, { id: "42" }]);
  });

  test("does not touch the events that it was given", () => {
    const before = structuredClone(events);
    override(events, "project.id=42", "event=x");
    expect(events).toEqual(before);
  });

  test.each(["events[1].project.id=42", "[1].project.id=42"])("%s reaches one", (text) => {
    expect(override(events, text).map((event) => event.project)).toEqual([{ id: "501" }, { id: "42" }]);
  });

  test("the name of the event can be replaced, in all or in one", () => {
    expect(override(events, "event=file.added").map(({ event }) => event)).toEqual(["file.added", "file.added"]);
    expect(override(events, "events[0].event=x").map(({ event }) => event)).toEqual(["x", "project.translated"]);
  });

  test("a path that only some events have reaches those", () => {
    expect(override([...events, own], "count=4")).toEqual([...events, { ...own, count: 4 }]);
  });

  test("a later override wins", () => {
    expect(override([own], "count=4", "events[0].count=5")).toEqual([{ ...own, count: 5 }]);
  });

  test.each<[string, Partial<WebhookEvent>]>([
    ["count=-1.5", { count: -1.5 }],
    ["draft=true", { draft: true }],
    ["file.name=", { file: { name: "", size: null } }],
    ["file.name=7", { file: { name: "7", size: null } }],
    ["file.name=true", { file: { name: "true", size: null } }],
    ['file.name="7"', { file: { name: '"7"', size: null } }],
    ['file={"name":"b"}', { file: { name: "b" } }],
    ["labels=[]", { labels: [] }],
    ["labels[1]=old", { labels: ["ui", "old"] }],
    ["labels.1=old", { labels: ["ui", "old"] }],
    ["steps[0].at=9", { steps: [{ at: 9 }, { at: 2 }] }],
  ])("a value gets the type of the one that it replaces: %s", (text, replaced) => {
    expect(override([own], text)).toEqual([{ ...own, ...replaced }]);
  });

  test.each([
    ["count=many", "count is a number (3)"],
    ["count=", "count is a number (3)"],
    ['count="4"', "count is a number (3)"],
    ["count=null", "count is a number (3)"],
    ["count=9007199254740993", "count is a number (3)"],
    ["count=1e999", "count is a number (3)"],
    ["draft=1", "draft is a boolean (false)"],
    ["file=null", 'file is an object ({"name":"a.json","size":null})'],
    ["file=[]", 'file is an object ({"name":"a.json","size":null})'],
    ["file=b.json", 'file is an object ({"name":"a.json","size":null})'],
    ["labels={}", 'labels is an array (["ui","new"])'],
    ["file.size=7", "file.size is null (null)"],
  ])("a value of another type is an error: %s", (text, reason) => {
    expect(usageErrorOf(() => override([own], text))).toMatchObject({
      code: "set-type",
      message: `--set ${text}: ${reason}`,
      hint: "give a value of the same type (numbers must be exact in JavaScript); path:=JSON changes the type",
    });
  });

  test("numeric ids stay numbers", () => {
    const numeric = [{ event: "a", project: { id: 501 } }];
    expect(override(numeric, "project.id=42")[0]?.project).toEqual({ id: 42 });
    expect(usageErrorOf(() => override(numeric, "project.id=x")).code).toBe("set-type");
  });
});

describe("a member of the option set", () => {
  test.each<[string, unknown, Partial<WebhookEvent>]>([
    ["file.name", 7, { file: { name: "7", size: null } }],
    ["file.name", null, { file: { name: null, size: null } }],
    ["file.size", 7, { file: { name: "a.json", size: 7 } }],
    ["count", 4, { count: 4 }],
    ["count", "4", { count: "4" }],
    ["labels", [], { labels: [] }],
  ])("replaces %s with %j; only a string stays a string", (path, value, changed) => {
    expect(overrideEvents([own], [replacementAt(path, value)])).toEqual([{ ...own, ...changed }]);
  });

  test("adds nothing", () => {
    const error = usageErrorOf(() => overrideEvents(events, [replacementAt("project.ID", 4)]));
    expect(error.message).toContain('project.ID: no event has this path. Did you mean "project.id"?');
  });

  test.each([undefined, () => 1])("cannot be %j", (value) => {
    expect(usageErrorOf(() => replacementAt("count", value)).code).toBe("set-type");
  });
});

describe("path:=JSON", () => {
  test.each<[string, Partial<WebhookEvent>]>([
    ['file:={"id":"7"}', { file: { id: "7" } }],
    ["file.size:=7", { file: { name: "a.json", size: 7 } }],
    ["count:=null", { count: null }],
    ['count:="3"', { count: "3" }],
    ["file.tags:=[]", { file: { name: "a.json", size: null, tags: [] } }],
    ["added:=true", { added: true }],
    ["labels[2]:=3", { labels: ["ui", "new", 3] }],
    ["labels[0]:=null", { labels: [null, "new"] }],
    ["steps[0].by:=1", { steps: [{ at: 1, by: 1 }, { at: 2 }] }],
  ])("sets any value, new or existing: %s", (text, changed) => {
    expect(override([own], text)).toEqual([{ ...own, ...changed }]);
  });

  test("reaches every event, or one; a later one changes only its own", () => {
    const changed = override(events, 'file:={"id":"7"}', "events[1].file.id=8", "[0].new:=1");
    expect(changed).toEqual([
      { ...events[0], file: { id: "7" }, new: 1 },
      { ...events[1], file: { id: "8" } },
    ]);
  });

  test.each([
    "nowhere.id",
    "labels[3]",
    "labels.length",
    "labels.x",
    "file.",
    "__proto__",
    "file.__proto__",
    "constructor.prototype.polluted",
  ])("S24: %s cannot be added", (path) => {
    const { code, hint } = usageErrorOf(() => override([own], `${path}:={}`));
    expect([code, hint]).toEqual(["set-unmatched", expect.stringContaining("path:=JSON adds a new one")]);
  });
});

describe("a path that no event has", () => {
  test.each([
    ["projct.id", ' Did you mean "project.id"?'],
    ["project.ID", ' Did you mean "project.id"?'],
    ["targetlanguage.id", ' Did you mean "targetLanguage.id"?'],
    ["evnt", ' Did you mean "event"?'],
    ["event[0].project.id", ' Did you mean "events[0].project.id"?'],
    ["events[0].project.ID", ' Did you mean "events[0].project.id"?'],
    ["somewhere.else.altogether", ""],
  ])("%s is an error that names the nearest", (path, nearest) => {
    expect(usageErrorOf(() => override(events, `${path}=1`))).toMatchObject({
      code: "set-unmatched",
      message: `--set ${path}: no event has this path.${nearest}`,
    });
  });

  test("the hint lists the existing paths, each once, and how to reach one event", () => {
    expect(usageErrorOf(() => override([...events, own], "x=1")).hint).toBe(
      "paths: event, project.id, targetLanguage.id, count, draft, file.name, file.size, labels.0, labels.1, steps.0.at, steps.1.at; events[N].path reaches one of the 3 events; path:=JSON adds a new one",
    );
    expect(usageErrorOf(() => override(events.slice(1), "x=1")).hint).not.toContain("reaches one of");
  });

  test("an event that is not sent is one: the message says how many there are", () => {
    expect(usageErrorOf(() => override(events, "events[2].project.id=1"))).toMatchObject({
      code: "set-unmatched",
      message: "--set events[2].project.id: there is no events[2]: this run has 2 events, events[0] to events[1]",
      hint: "a path without events[N] changes every event; --count 3 sends more",
    });
    expect(usageErrorOf(() => override([own], "events[2].id:={}")).message).toMatch(/1 event, events\[0\]$/);
  });

  test.each([
    "events[2].project.id", // there are two
    "events[-1].project.id",
    "events[0]",
    "events",
    "project.id.deeper",
    "project..id",
    ".event",
    "event.length",
    "labels.length",
    "labels[2]",
  ])("%s is one", (path) => {
    const target = path.startsWith("labels") ? [own] : events;
    expect(usageErrorOf(() => override(target, `${path}=1`)).code).toBe("set-unmatched");
  });

  test.each([
    "__proto__",
    "__proto__.polluted",
    "constructor",
    "constructor.prototype.polluted",
    "project.__proto__.polluted",
    "events[0].project.__proto__.polluted",
    "labels.__proto__.polluted",
    "toString",
    "hasOwnProperty",
  ])("S24: %s is one: inherited names are not paths", (path) => {
    expect(usageErrorOf(() => override([...events, own], `${path}={}`)).code).toBe("set-unmatched");
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

test("any --set either fails as a usage error or keeps the shape of the events", () => {
  const segment = fc.oneof(
    fc.constantFrom("event", "project", "id", "file", "name", "size", "labels", "steps", "at", "0", "1", "[0]", "[1]"),
    fc.constantFrom("events[0]", "events[9]", "__proto__", "prototype", "constructor", "length", ""),
    fc.string({ maxLength: 5 }),
  );
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("."));
  const value = fc.oneof(fc.json(), fc.string());
  const types = (json: unknown): unknown => {
    if (Array.isArray(json)) return "array";
    return json === null ? "null" : typeof json;
  };
  const before = [...events, own];
  fc.assert(
    fc.property(path, value, (path, value) => {
      let after: WebhookEvent[];
      try {
        after = overrideEvents(before, [{ path, value }]);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        return;
      }
      const shape = (list: readonly WebhookEvent[]) =>
        list.map((event) => Object.entries(event).map(([key, child]) => [key, types(child)]));
      expect(shape(after)).toEqual(shape(before));
      expect(after.every((event) => Object.getPrototypeOf(event) === Object.prototype)).toBe(true);
    }),
    { numRuns: 200 },
  );
});
