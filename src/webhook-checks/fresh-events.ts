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
export function freshEvents(world: EventWorld, number: number): WebhookEvent[] {
  const { length } = placesIn(world);
  return placesOf(number, length).map((place, index) => eventAt(world, number + index, place));
}

/** Bodies of one process begin somewhere below this, so that those of another one are others. */
const BEGINNINGS = 10_000_000;
/** A body of a larger number is one of many events, for what an app makes of these. */
const LARGEST = 10 * BEGINNINGS;
/** So many bodies may have been made that were not sent. */
const UNSENT = 50;

/**
 * The number after those of the bodies that were sent; where none was, one that no other process is likely to begin at.
 * @param sent the events of each delivery so far
 * @param seed a whole number from 0
 */
export function freshNumber(world: EventWorld, sent: readonly unknown[], seed: number): number {
  const places = placesIn(world);
  const known = places.map((place) => aboutOf(about(place, world.ids)));
  const numbers = sent.flatMap((events) => numberOf(known, events) ?? []);
  if (numbers.length > 0) return Math.max(...numbers) + UNSENT;
  // With one target language alone, a body has as many events as its number says.
  return places.length === 1 ? 1 : 1 + (seed % BEGINNINGS);
}

/**
 * The number of a body with these events; null: they are not as {@link freshEvents} makes them.
 * @param known what events can be about, as {@link aboutOf} writes it
 */
function numberOf(known: readonly string[], events: unknown): number | null {
  const digits = Array.isArray(events) ? events.map((event) => known.indexOf(aboutOf(event))) : [];
  if (digits.length === 0 || digits.includes(-1)) return null;
  const number = digits.reduce((before, digit) => before * known.length + digit + 1, 0);
  return number > LARGEST ? null : number;
}

/** What an event is about, in a form that can be compared. */
function aboutOf(event: unknown): string {
  const { project, targetLanguage } = (event ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify([project, targetLanguage]);
}

/**
 * The event of this name about this target language of a project.
 * @param name position of its name; beyond the last one they begin anew
 * @param place position of the target language among those of all projects, likewise
 */
export function eventAt(world: EventWorld, name: number, place: number): WebhookEvent {
  return { event: inTurn(world.names, name), ...about(inTurn(placesIn(world), place), world.ids) };
}

/** A target language of a project. */
interface Place {
  readonly id: Project["id"];
  readonly language: string;
}

function about({ id, language }: Place, ids: EventWorld["ids"]): Pick<WebhookEvent, "project" | "targetLanguage"> {
  return { project: { id: idValue(id, ids) }, targetLanguage: { id: language } };
}

function placesIn({ projects }: EventWorld): Place[] {
  return projects.flatMap(({ id, targetLanguages }) => targetLanguages.map((language) => ({ id, language })));
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
