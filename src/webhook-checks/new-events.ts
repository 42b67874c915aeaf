import type { TrialCheck } from "../checking/check.ts";
import { withMembers } from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";
import { withEvents } from "./body.ts";
import { each } from "./each-request.ts";

const facts = { area: "webhook", section: "2.6", severity: "should" } as const;

const newer =
  "The platform knows new events and fields before the app does. An app that refuses them loses the known ones in the same delivery, too.";
const ignore = "Ignore events and fields that the app does not know, and acknowledge the delivery.";

/** A project with this id, of the type that its id has now (choice `webhook.ids`). */
function idLike(project: unknown, id: number): { readonly id: number | string } {
  const { id: now } = (project ?? {}) as { readonly id?: unknown };
  return { id: typeof now === "number" ? id : String(id) };
}

/** What a platform learns before the app does (hardening W4). */
export const newEventChecks: readonly TrialCheck[] = [
  seriesCheck({
    ...facts,
    id: "webhook.events.unknown",
    title: "The app acknowledges events that it does not know",
    section: "6.3",
    why: newer,
    fix: ignore,
    right: "accepted",
    requests: (prepare) =>
      each(prepare, {
        "an unknown event": (request) =>
          withEvents(request, (events) => events.map((event) => ({ ...event, event: "app-sim.happened" }))),
        "an unknown event after a known one": (request) =>
          withEvents(request, (events) => [...events, { ...events[0], event: "app-sim.happened" }]),
      }),
  }),
  seriesCheck({
    ...facts,
    id: "webhook.events.new-field",
    title: "The app acknowledges events with fields that it does not know",
    why: newer,
    fix: ignore,
    right: "accepted",
    requests: (prepare) =>
      each(prepare, {
        "a field in the event": (request) =>
          withEvents(request, (events) => events.map((event) => ({ ...event, occurredAt: "2030-01-01T00:00:00Z" }))),
        "a field in the project": (request) =>
          withEvents(request, (events) =>
            events.map((event) => ({ ...event, project: { ...(event.project as object), name: "Mobile app" } })),
          ),
        "a field in the language": (request) =>
          withEvents(request, (events) =>
            events.map((event) => ({ ...event, targetLanguage: { ...(event.targetLanguage as object), name: "Any" } })),
          ),
        "a field next to the events": (request) =>
          withMembers(request, { delivery: request.signature?.id ?? "app-sim" }),
        "a user in the event": (request) =>
          withEvents(request, (events) => events.map((event) => ({ ...event, user: { id: "101", roles: ["any"] } }))),
      }),
  }),
  seriesCheck({
    ...facts,
    id: "webhook.events.new-places",
    title: "The app acknowledges events of projects and languages that it has never seen",
    section: "6.5",
    why: "Projects are created and languages added at any time, and an event may be the first that an app hears of them. Ids are strings of any length.",
    fix: "Acknowledge the delivery, and ignore what does not concern the app. Keep ids as strings.",
    right: "accepted",
    requests: (prepare) =>
      each(prepare, {
        "another project": (request) =>
          withEvents(request, (events) =>
            events.map((event) => ({ ...event, project: idLike(event.project, 31_847) })),
          ),
        "a project with a large id": (request) =>
          withEvents(request, (events) =>
            events.map((event) => ({ ...event, project: idLike(event.project, 4_294_967_297) })),
          ),
        "another language": (request) =>
          withEvents(request, (events) => events.map((event) => ({ ...event, targetLanguage: { id: "sr-CS" } }))),
      }),
  }),
];
