import type { Project } from "../../config/schema.ts";
import type { WebhookEvent } from "../../protocol/webhook.ts";

/** An event's position in the run, and its project and language. */
export interface EventPlace {
  readonly event: string;
  /** From 0, over all events of the run. */
  readonly index: number;
  readonly project: Project;
  /** A language id. */
  readonly targetLanguage: string;
}

export type MakeEvent = (place: EventPlace) => WebhookEvent;

/** One event of each round; its makers are used in turn. */
export interface EventSlot {
  readonly name: string;
  readonly makers: readonly MakeEvent[];
}

/**
 * The events of a run: each round makes one event per slot, so that names are mixed, and the rounds cycle through the
 * target languages of all projects.
 * @param projects at least one
 */
export function eventsInTurn(
  slots: readonly EventSlot[],
  rounds: number,
  projects: readonly Project[],
): WebhookEvent[] {
  const targets = projects.flatMap((project) =>
    project.targetLanguages.map((targetLanguage) => ({ project, targetLanguage })),
  );
  const events: WebhookEvent[] = [];
  for (let round = 0; round < rounds; round++) {
    const { project, targetLanguage } = inTurn(targets, round);
    for (const { name, makers } of slots) {
      events.push(inTurn(makers, round)({ event: name, index: events.length, project, targetLanguage }));
    }
  }
  return events;
}

function inTurn<T>(items: readonly T[], turn: number): T {
  const item = items[turn % items.length];
  if (item === undefined) throw new RangeError("nothing to take in turn");
  return item;
}

/** The fields of the events that interface 2.6 shows. */
export function shownEvent(ids: "strings" | "numbers"): MakeEvent {
  return ({ event, project, targetLanguage }) => ({
    event,
    project: { id: idValue(project.id, ids) },
    targetLanguage: { id: targetLanguage },
  });
}

/** A numeric id in the form that the choice `webhook.ids` sets. */
export function idValue(id: number, ids: "strings" | "numbers"): string | number {
  return ids === "strings" ? String(id) : id;
}
