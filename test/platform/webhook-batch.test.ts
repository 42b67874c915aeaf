import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Project } from "../../src/config/schema.ts";
import { makeEvents, type Override, overrideEvents, parseOverride } from "../../src/platform/webhook-batch.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";
import { shownEvents, type WebhookEvent } from "../../src/protocol/webhook.ts";

const project: Project = {
  id: 501,
  identifier: "mobile-app",
  name: "Mobile app",
  sourceLanguage: "en",
  targetLanguages: ["uk", "de", "pl"],
};

function usageErrorOf(action: () => unknown): UsageError {
  try {
    action();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error("expected a UsageError");
}

describe("makeEvents", () => {
  test("makes an event as interface 2.6 shows it", () => {
    expect(makeEvents(["project.translated"], 1, project, "strings")).toEqual([
      { event: "project.translated", project: { id: "501" }, targetLanguage: { id: "uk" } },
    ]);
  });

  test("with numbers for ids, the project's is one; a language's is its code", () => {
    expect(makeEvents(["project.translated"], 1, project, "numbers")).toEqual([
      { event: "project.translated", project: { id: 501 }, targetLanguage: { id: "uk" } },
    ]);
  });

  test("makes as many of each name as wanted, in the order of the names", () => {
    const events = makeEvents(["b", "a"], 2, project, "strings");
    expect(events.map(({ event }) => event)).toEqual(["b", "b", "a", "a"]);
  });

  test("lets the project's languages take turns", () => {
    const languages = makeEvents(["a", "b"], 4, project, "strings").map(({ targetLanguage }) => targetLanguage);
    const turn = [{ id: "uk" }, { id: "de" }, { id: "pl" }, { id: "uk" }];
    expect(languages).toEqual([...turn, ...turn]);
  });

  test.each([0, 1, 500])("makes %d events of the shown names, each of the shown shape", (count) => {
    for (const ids of ["strings", "numbers"] as const) {
      const events = makeEvents(shownEvents, count, project, ids);
      expect(events).toHaveLength(count * shownEvents.length);
      const id = ids === "strings" ? "501" : 501;
      for (const { event, ...others } of events) {
        expect(shownEvents).toContain(event);
        expect(others).toEqual({ project: { id }, targetLanguage: { id: expect.stringMatching(/^(uk|de|pl)$/) } });
      }
    }
  });
});

describe("parseOverride", () => {
  test.each<[string, Override]>([
    ["project.id=42", { path: "project.id", value: "42" }],
    ["events[0].project.id=42", { path: "events[0].project.id", value: "42" }],
    ["a=b=c", { path: "a", value: "b=c" }],
    ["a=", { path: "a", value: "" }],
    ["a= b ", { path: "a", value: " b " }],
  ])("%s", (text, override) => {
    expect(parseOverride(text)).toEqual(override);
  });

  test.each(["", "project.id", "=42", "="])("%j is not path=value", (text) => {
    expect(usageErrorOf(() => parseOverride(text))).toMatchObject({
      code: "set-syntax",
      message: `--set ${text}: expected path=value`,
      hint: "for example --set project.id=42",
    });
  });
});

/** Two events of the shown shape. */
const events = makeEvents(["project.translated"], 2, project, "strings");
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
  ])("a value takes the type of the one that it replaces: %s", (text, replaced) => {
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
      hint: "give the new value as JSON of the same type; a number must be one that JavaScript holds exactly",
    });
  });

  test("numeric ids stay numbers", () => {
    const numeric = makeEvents(["a"], 1, project, "numbers");
    expect(override(numeric, "project.id=42")[0]?.project).toEqual({ id: 42 });
    expect(usageErrorOf(() => override(numeric, "project.id=x")).code).toBe("set-type");
  });
});

describe("a path that no event has", () => {
  test.each([
    ["projct.id", ' Did you mean "project.id"?'],
    ["project.ID", ' Did you mean "project.id"?'],
    ["targetlanguage.id", ' Did you mean "targetLanguage.id"?'],
    ["evnt", ' Did you mean "event"?'],
    ["somewhere.else.altogether", ""],
  ])("%s is an error that names the nearest", (path, nearest) => {
    expect(usageErrorOf(() => override(events, `${path}=1`))).toMatchObject({
      code: "set-unmatched",
      message: `--set ${path}: no event has this path.${nearest}`,
    });
  });

  test("the hint lists the paths that there are, each once, and how to reach one event", () => {
    expect(usageErrorOf(() => override([...events, own], "x=1")).hint).toBe(
      "paths: event, project.id, targetLanguage.id, count, draft, file.name, file.size, labels.0, labels.1, steps.0.at, steps.1.at; events[N].path reaches one of the 3 events",
    );
    expect(usageErrorOf(() => override(events.slice(1), "x=1")).hint).toMatch(/reaches one of the 1 event$/);
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
  ])("S24: %s is one: names of the prototype are no paths", (path) => {
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
    { numRuns: 1_000 },
  );
});
