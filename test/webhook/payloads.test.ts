import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readChoices } from "../../src/config/choices.ts";
import { configure } from "../../src/config/load.ts";
import type { ConfigInput } from "../../src/index.ts";
import type { SimulatorContext } from "../../src/platform/context.ts";
import { loadFakeValues } from "../../src/webhook/fake-values.ts";
import { type EventSource, makeEvents } from "../../src/webhook/make-events.ts";
import { steeredClock } from "../rig/clock.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

/** A directory with payloads of the test's own. */
let directory: TempDir;
beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

/** The events of a source, and the choices that they rely on; shown fields where the test wrote no payload. */
async function make(source: Partial<EventSource>, input: ConfigInput = {}) {
  const { config, choices } = await configure(input, directory.path);
  const context = { config, choices, clock: steeredClock() } as unknown as SimulatorContext;
  const reader = readChoices(choices);
  const events = await makeEvents(context, reader, {
    names: ["file.added"],
    seed: 1,
    fixtures: directory.path,
    ...source,
  });
  return { events, relied: reader.used() };
}

const mistakeIn = (source: Partial<EventSource>) => usageErrorOf(make(source));

describe("2.6 events without a payload", () => {
  test("have the documented fields; names, projects and languages are mixed", async () => {
    const projects = [{ targetLanguages: ["uk"] }, { id: 502, identifier: "b", name: "B", targetLanguages: ["de"] }];
    const { events, relied } = await make(
      { names: ["project.translated", "project.approved"], count: 2 },
      { projects },
    );
    const event = (name: string, project: string, language: string) => ({
      event: name,
      project: { id: project },
      targetLanguage: { id: language },
    });
    expect(events).toEqual([
      event("project.translated", "501", "uk"),
      event("project.approved", "501", "uk"),
      event("project.translated", "502", "de"),
      event("project.approved", "502", "de"),
    ]);
    expect(relied).toEqual(["webhook.ids"]);
  });

  test("without a name are a mistake", async () => {
    expect(await mistakeIn({ names: [] })).toMatchObject({ code: "event-missing" });
  });
});

describe("the shipped payloads", () => {
  const fixtures = resolve(import.meta.dirname, "../../fixtures/events");

  test.each(["strings", "numbers"] as const)(
    "give exactly the documented events, with ids that are %s",
    async (ids) => {
      const names = ["project.translated", "project.approved"];
      const choices = { choices: { "webhook.ids": ids } };
      const shown = await make({ names, count: 60 }, choices);
      const shipped = await make({ names, count: 60, fixtures }, choices);
      expect(JSON.stringify(shipped.events)).toBe(JSON.stringify(shown.events));
      expect(shipped.relied).toEqual(["webhook.ids"]);
    },
  );
});

describe("the payload of an event", () => {
  const id = (value: string) => ({ file: { id: value } });

  test("is data, or else the file of its name, or else the documented fields", async () => {
    directory.write("file.added.json", id("file"));
    const names = ["file.added", "file.updated"];
    expect((await make({ names, data: id("data") })).events.map(({ file }) => file)).toEqual([
      { id: "data" },
      { id: "data" },
    ]);
    const { events, relied } = await make({ names });
    expect(events).toEqual([
      { event: "file.added", ...id("file") },
      { event: "file.updated", project: { id: "501" }, targetLanguage: { id: "uk" } },
    ]);
    expect(relied).toEqual(["webhook.ids"]);
    expect((await make({})).relied).toEqual([]);
  });

  test.each<[string, unknown, number | undefined, string[]]>([
    ["an array, each of its payloads once", ["a", "b", "c"].map(id), undefined, ["a", "b", "c"]],
    ["an array in turn, as often as count says", ["a", "b"].map(id), 3, ["a", "b", "a"]],
    ["a body, all of it each time", { events: ["a", "b"].map(id) }, 2, ["a", "b", "a", "b"]],
    ["an object", id("a"), 2, ["a", "a"]],
  ])("may be %s", async (_, payload, count, ids) => {
    const expected = ids.map((each) => ({ event: "file.added", ...id(each) }));
    const counted = count === undefined ? {} : { count };
    expect((await make({ data: payload, ...counted })).events).toEqual(expected);
    directory.write("file.added.json", payload);
    expect((await make(counted)).events).toEqual(expected);
  });

  test("names the events if nothing else does", async () => {
    const data = { events: [{ event: "a" }, { event: "b" }, { event: "a", n: 1 }] };
    expect((await make({ names: [], data })).events).toEqual(data.events);
  });

  test("in a file cannot name another event", async () => {
    directory.write("file.added.json", { event: "file.updated" });
    const error = await mistakeIn({});
    expect(error.code).toBe("event-other");
    expect(error.message).toMatch(
      /file\.added\.json: event is "file\.updated", which is not one of the named events: file\.added$/,
    );
  });

  test.each<[string, string | Buffer, RegExp]>([
    ["no JSON", "{\n  x", /payload .*file\.added\.json: the file is not valid JSON: .*line 2 column \d/],
    ["empty", "", /the file is empty/],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]), /the file is not UTF-8: invalid byte at offset 1/],
    ["R16: with a byte order mark", "\ufeff{}", /byte order mark/],
    ["R17: a key twice", '{"a":1,"a":2}', /the key "a" twice/],
    ["R17: a number that would change", '{"id":9007199254740993}', /file\.added\.json: id is 9007199254740993, beyond/],
    ["S24: a name of the prototype", '{"__proto__":{}}', /not valid JSON/],
    ["S24: deep", "[".repeat(100_000), /file\.added\.json: the file /],
    ["no payload", "7", /file\.added\.json: is 7: expected an object/],
  ])("in a file that is %s is a mistake, with its place", async (_, text, message) => {
    writeFileSync(join(directory.path, "file.added.json"), text);
    const { summary, hint } = await mistakeIn({});
    expect(`${summary}: ${hint}`).toMatch(message);
  });

  test("in anything but a file is a mistake", async () => {
    directory.write("file.added.json/x", "");
    expect(await mistakeIn({})).toMatchObject({ code: "file-unreadable" });
  });

  test("S26: is searched only by names that are not paths", async () => {
    directory.write("secret.json", { secret: 1 });
    directory.write("inner/x", "");
    const fixtures = resolve(directory.path, "inner");
    for (const name of ["../secret", "..\\secret", "/secret", "a/../../secret", "..", ".", "x\0", "x::$DATA", "é"]) {
      const { events } = await make({ names: [name], fixtures });
      expect(events).toEqual([{ event: name, project: { id: "501" }, targetLanguage: { id: "uk" } }]);
    }
  });
});

describe("templates", () => {
  test("know the configuration", async () => {
    const names = [
      "event",
      "index",
      "project.id",
      "project.identifier",
      "project.name",
      "targetLanguage.id",
      "organization.id",
      "organization.domain",
      "now",
    ];
    const data = { texts: names.map((name) => `{{${name}}}`), values: names.map((name) => `{{json ${name}}}`) };
    const texts = ["file.added", "0", "501", "mobile-app", "Mobile app", "uk", "200000001", "acme"];
    const now = "2031-05-06T07:08:09.000Z";
    const first = (await make({ data })).events[0];
    expect(first).toEqual({
      event: "file.added",
      texts: [...texts, now],
      values: ["file.added", 0, "501", "mobile-app", "Mobile app", "uk", "200000001", "acme", now],
    });
    const { events, relied } = await make({ data }, { choices: { "webhook.ids": "numbers" } });
    expect(events[0]).toEqual({
      event: "file.added",
      texts: [...texts, now],
      values: ["file.added", 0, 501, "mobile-app", "Mobile app", "uk", 200_000_001, "acme", now],
    });
    expect(relied).toEqual(["webhook.ids"]);
    expect((await make({ data: { id: "{{project.id}}" } })).relied).toEqual([]);
  });

  test("count the events of the run, as --set does", async () => {
    const { events } = await make({
      names: ["a", "b"],
      count: 2,
      data: { index: "{{json index}}" },
      set: ["events[2].index=20"],
    });
    expect(events.map(({ index }) => index)).toEqual([0, 1, 20, 3]);
  });

  test("have one user in one event, and several in many", async () => {
    const { events } = await make({ data: { user: "{{user.id}} {{user.login}}" }, count: 50 });
    const users = new Set(events.map(({ user }) => user));
    expect(users).toEqual(
      new Set(["101 olena.owner", "102 adam.admin", "103 maria.manager", "104 milan.member", "105 otto.outsider"]),
    );
  });

  const byChance = {
    id: "{{string.uuid}}",
    words: "{{lorem.sentence}} by {{person.fullName}}",
    size: '{{json number.int({"min":1,"max":9})}}',
    kind: '{{helpers.arrayElement(["ui","api"])}}',
    tag: '{{json helpers.arrayElement([{"a":{"b":1}}])}}',
    at: "{{date.recent}}",
  };

  test("give random values: the same bytes for the same seed, and different ones for another", async () => {
    const textOf = async (seed: number) => JSON.stringify((await make({ data: byChance, count: 20, seed })).events);
    expect(await textOf(7)).toBe(await textOf(7));
    expect(await textOf(7)).not.toBe(await textOf(8));
    // Runs that go on side by side do not disturb each other.
    const [one, other] = await Promise.all([textOf(7), textOf(7)]);
    expect([one, other]).toEqual([await textOf(7), await textOf(7)]);
  });

  test("give what their name says, near the platform's time", async () => {
    const [event] = (await make({ data: byChance })).events;
    expect(event).toEqual({
      event: "file.added",
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/),
      words: expect.stringMatching(/^[\w ,.'-]+ by [\w .'-]+$/),
      size: expect.toSatisfy((size) => Number.isInteger(size) && size >= 1 && size <= 9),
      kind: expect.stringMatching(/^(ui|api)$/),
      tag: { a: { b: 1 } },
      at: expect.stringMatching(/^2031-05-0[56]T/),
    });
  });

  test("do not change the shared instance of faker", async () => {
    const { faker } = await import("@faker-js/faker/locale/en");
    const next = () => faker.string.uuid();
    faker.seed(1);
    const alone = [next(), next()];
    faker.seed(1);
    const beside = [next()];
    await make({ data: byChance, count: 3 });
    expect([...beside, next()]).toEqual(alone);
  });

  test.each<[string, string]>([
    ["project.identifer", ' Did you mean "project.identifier"?'],
    ["uuid", ' Did you mean "string.uuid"?'],
    ["string.uid", ' Did you mean "string.uuid"?'],
    ["index()", ' Did you mean "index"?'],
    ["something.else.altogether", ""],
  ])("that are unknown are a mistake: %s", async (template, nearest) => {
    directory.write("file.added.json", { file: [{ id: `{{${template}}}` }] });
    const { code, message, hint } = await mistakeIn({});
    expect(code).toBe("unknown-template");
    expect(message).toContain(`file.added.json: file[0].id: {{${template}}}: there is no such template.${nearest}`);
    expect(hint).toMatch(/event, index, now, project\.id, .*fakerjs\.dev\/api.*\\\{\{/);
  });

  test("with invalid arguments are a mistake, in one line", async () => {
    const error = await mistakeIn({ data: { n: '{{number.int({"min":9,"max":1})}}' } });
    expect(error.code).toBe("template-failed");
    expect(error.message).toMatch(/^data: n: \{\{number\.int\(.*\)\}\}: [^\n]+$/);
  });

  test.each([
    '{{helpers.fake("{{string.uuid}}")}}',
    '{{helpers.mustache("{{x}}", {})}}',
    '{{constructor.constructor("return process")}}',
    '{{string.uuid.constructor("return process")}}',
    '{{helpers.constructor("return process")}}',
    "{{__proto__.polluted}}",
    "{{faker.seed(1)}}",
    "{{string.faker}}",
    "{{definitions.person}}",
    "{{toString}}",
    "{{string.nanoid}}",
    "{{constructor}}",
  ])("reach only the existing names: %s", async (id) => {
    expect(await mistakeIn({ data: { id } })).toMatchObject({
      code: expect.stringMatching(/^(unknown-template|template-invalid)$/),
    });
  });

  test("with a template as an argument do not evaluate it", async () => {
    const values = await loadFakeValues(1, 0);
    for (const [name, value] of values) {
      const read = () => {
        try {
          return (
            JSON.stringify(value('{{number.romanNumeral({"min":3999,"max":3999})}}'), (_, each) =>
              typeof each === "bigint" ? "" : each,
            ) ?? ""
          );
        } catch {
          return "";
        }
      };
      expect(read(), name).not.toContain("MMMCMXCIX");
    }
    expect(values.size).toBeGreaterThan(200);
  });
});

describe("--set", () => {
  test.each(["event=", 'event:=""', "event:=7", "events[0].event:=null"])(
    "%s leaves no name, which is a mistake",
    async (set) => {
      expect(await mistakeIn({ set: [set] })).toMatchObject({ code: "event-unnamed" });
    },
  );

  test("also changes payloads, before their names are read", async () => {
    const data = { file: { id: "1" } };
    const { events } = await make({ data, set: ["file.id=2", "file.size:=3"] });
    expect(events).toEqual([{ event: "file.added", file: { id: "2", size: 3 } }]);
    const asObject = await make({ data, set: { "file.id": 2 } });
    expect(asObject.events).toEqual([{ event: "file.added", file: { id: "2" } }]);
    expect(await mistakeIn({ data, set: { "file.size": 3 } })).toMatchObject({ code: "set-unmatched" });
  });
});

test("more simultaneous events than fit are a mistake", async () => {
  const data = { events: Array.from({ length: 11 }, () => ({ event: "a" })) };
  const error = await mistakeIn({ names: [], data, count: 100_000 });
  expect(error).toMatchObject({ code: "events-too-many", message: expect.stringContaining("1,000,000") });
});
