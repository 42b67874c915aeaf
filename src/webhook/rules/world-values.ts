import type { Config, User } from "../../config/schema.ts";
import { seededRandom } from "../../platform/random.ts";
import type { ValueAt } from "./event-template.ts";
import { type EventPlace, idValue } from "./webhook-events.ts";

/** What templates know apart from the event's position. */
export interface TemplateWorld {
  readonly organization: Config["organization"];
  readonly users: readonly User[];
  readonly ids: "strings" | "numbers";
  readonly seed: number;
  /** The platform's time when the events were made, in milliseconds since the epoch. */
  readonly now: number;
}

/** Ids that are numbers in the world: the choice `webhook.ids` decides how `{{json …}}` writes them. */
export const numericIds: readonly string[] = ["project.id", "organization.id", "user.id"];

/** The values that templates take from the world, by name. */
export function worldValues({ organization, users, ids, seed, now }: TemplateWorld): Readonly<Record<string, ValueAt>> {
  const time = new Date(now).toISOString();
  // From seed and position only, so that everything in an event is about the same user.
  const userAt = ({ index }: EventPlace) => users[Math.floor(seededRandom(seed + index)() * users.length)];
  return {
    event: ({ event }) => event,
    index: ({ index }) => index,
    now: () => time,
    "project.id": ({ project }) => idValue(project.id, ids),
    "project.identifier": ({ project }) => project.identifier,
    "project.name": ({ project }) => project.name,
    "targetLanguage.id": ({ targetLanguage }) => targetLanguage,
    "organization.id": () => idValue(organization.id, ids),
    "organization.domain": () => organization.domain,
    "user.id": (place) => idValue(userAt(place)?.id ?? 0, ids),
    "user.login": (place) => userAt(place)?.login,
  };
}
