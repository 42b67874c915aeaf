import type { Project } from "../config/schema.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import { idValue } from "../webhook/rules/webhook-events.ts";

/** What events can be about: the names of a module, and the projects of the configuration. */
export interface EventWorld {
  /** At least one. */
  readonly names: readonly string[];
  /** At least one, with at least one target language. */
  readonly projects: readonly Project[];
  /** Choice `webhook.ids`. */
  readonly ids: "strings" | "numbers";
}

/**
 * The events of a body that no other number has, of what the configuration has and nothing else: an app may know its
 * projects. For an app that removes duplicates, a forgery has to be none of something it knows. No two bodies differ in
 * the names of their events alone: so a changed name makes a body that was not there yet, either.
 * @param number from 1; as few events as possible
 */
export function freshEvents({ names, projects, ids }: EventWorld, number: number): WebhookEvent[] {
  const places = projects.flatMap(({ id, targetLanguages }) => targetLanguages.map((language) => ({ id, language })));
  return placesOf(number, places.length).map((place, index) => ({
    event: inTurn(names, number + index),
    project: { id: idValue(inTurn(places, place).id, ids) },
    targetLanguage: { id: inTurn(places, place).language },
  }));
}

/** The number in the bijective numeral system of this base: each sequence of digits stands for another number. */
function placesOf(number: number, base: number): number[] {
  const digits: number[] = [];
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / base)) digits.unshift((rest - 1) % base);
  return digits;
}

function inTurn<T>(items: readonly T[], turn: number): T {
  const item = items[turn % items.length];
  if (item === undefined) throw new RangeError("nothing to take in turn");
  return item;
}
