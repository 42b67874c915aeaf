import { describe, expect, test } from "vitest";
import type { Project } from "../../src/config/schema.ts";
import { shownEvents } from "../../src/protocol/webhook.ts";
import { type EventPlace, eventsInTurn, idValue, shownEvent } from "../../src/webhook/rules/webhook-events.ts";

const app: Project = {
  id: 501,
  identifier: "app",
  name: "App",
  sourceLanguage: "en",
  targetLanguages: ["uk", "de", "pl"],
};
const site: Project = { id: 502, identifier: "site", name: "Site", sourceLanguage: "en", targetLanguages: ["ja"] };
const projects = [app, site];

const withStrings = shownEvent("strings");

function shown(names: readonly string[], rounds: number) {
  return eventsInTurn(
    names.map((name) => ({ name, makers: [withStrings] })),
    rounds,
    projects,
  );
}

describe("2.6 the shown fields", () => {
  const place: EventPlace = { event: "project.translated", index: 0, project: app, targetLanguage: "uk" };

  test("are event, project and targetLanguage, with ids that are strings", () => {
    const text = '{"event":"project.translated","project":{"id":"501"},"targetLanguage":{"id":"uk"}}';
    expect(JSON.stringify(withStrings(place))).toBe(text);
  });

  test("with numeric ids, the project's is a number; a language's is its code", () => {
    expect(shownEvent("numbers")(place)).toEqual({
      event: "project.translated",
      project: { id: 501 },
      targetLanguage: { id: "uk" },
    });
    expect([idValue(7, "strings"), idValue(7, "numbers")]).toEqual(["7", 7]);
  });
});

describe("eventsInTurn", () => {
  test("mixes the names: each round has one event of each name", () => {
    expect(shown(["b", "a"], 2).map(({ event }) => event)).toEqual(["b", "a", "b", "a"]);
  });

  test("alternates between the target languages of all projects", () => {
    const places = shown(["a", "b"], 5).map(({ project, targetLanguage }) => ({ project, targetLanguage }));
    const turns: [project: string, language: string][] = [
      ["501", "uk"],
      ["501", "de"],
      ["501", "pl"],
      ["502", "ja"],
      ["501", "uk"],
    ];
    const round = ([project, language]: [string, string]) => ({
      project: { id: project },
      targetLanguage: { id: language },
    });
    expect(places).toEqual(turns.flatMap((turn) => [round(turn), round(turn)]));
  });

  test("alternates between the payloads of a name, and counts the events of the run", () => {
    const maker = (by: string) => (place: EventPlace) => ({ event: place.event, by, index: place.index });
    const slots = [
      { name: "a", makers: [maker("x"), maker("y")] },
      { name: "b", makers: [maker("z")] },
    ];
    const made = eventsInTurn(slots, 3, projects).map(({ event, by, index }) => `${index} ${event} ${by}`);
    expect(made).toEqual(["0 a x", "1 b z", "2 a y", "3 b z", "4 a x", "5 b z"]);
  });

  test.each([0, 1, 500])("makes %d events of each name", (count) => {
    expect(shown(shownEvents, count)).toHaveLength(count * shownEvents.length);
  });
});
