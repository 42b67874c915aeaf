import type { Project } from "../config/schema.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import { idValue } from "../webhook/rules/webhook-events.ts";

/** What events can be about: the event names of a module, and the configured projects. */
export interface EventWorld {
  /** At least one. */
  readonly names: readonly string[];
  /** At least one, with at least one target language. */
  readonly projects: readonly Project[];
  /** Choice `webhook.ids`. */
  readonly ids: "strings" | "numbers";
}

/**
 * The events of a body, unique for its number, and only about configured projects, which an app may know. For an app
 * that removes duplicates, a forgery must not resemble a known body. No two bodies differ only in event names, so
 * changing a name also makes a new body.
 * @param number from 1; the body has as few events as possible
 */
export function freshEvents(world: EventWorld, number: number): WebhookEvent[] {
  const { length } = placesIn(world);
  return placesOf(number, length).map((place, index) => eventAt(world, number + index, place));
}

/** Bodies of a process start at a random number below this, so that processes do not repeat each other. */
const BEGINNINGS = 10_000_000;
/** Larger numbers are bodies with many events. */
const LARGEST = 10 * BEGINNINGS;
/** How many bodies may have been made but not sent. */
const UNSENT = 50;

/**
 * The number after those of the bodies sent so far; without any, one at which no other process is likely to start.
 * @param sent the events of each delivery so far
 * @param seed an integer from 0
 */
export function freshNumber(world: EventWorld, sent: readonly unknown[], seed: number): number {
  const places = placesIn(world);
  const known = places.map((place) => aboutOf(about(place, world.ids)));
  const numbers = sent.flatMap((events) => numberOf(known, events) ?? []);
  if (numbers.length > 0) return Math.max(...numbers) + UNSENT;
  // With a single target language, a body has as many events as its number.
  return places.length === 1 ? 1 : 1 + (seed % BEGINNINGS);
}

/**
 * The number of a body with these events; null: {@link freshEvents} did not make them.
 * @param known what events can be about, in the form of {@link aboutOf}
 */
function numberOf(known: readonly string[], events: unknown): number | null {
  const digits = Array.isArray(events) ? events.map((event) => known.indexOf(aboutOf(event))) : [];
  if (digits.length === 0 || digits.includes(-1)) return null;
  const number = digits.reduce((before, digit) => before * known.length + digit + 1, 0);
  return number > LARGEST ? null : number;
}

/** What an event is about, in comparable form. */
function aboutOf(event: unknown): string {
  const { project, targetLanguage } = (event ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify([project, targetLanguage]);
}

/**
 * The event of this name about this target language of a project.
 * @param name index of its name, modulo their number
 * @param place index of the target language among those of all projects, likewise
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

/** The number in the bijective numeral system of this base: each sequence of digits is another number. */
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
