import { z } from "zod";
import { problemsOf } from "../protocol/problems.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { addressSchema, isObject, unknownKeys } from "./manifest-parts.ts";

/** Where an app is told that it was installed, and that it is no more (choice `install.event`); null: nowhere. */
export interface InstallEvents {
  readonly installed: string | null;
  readonly uninstall: string | null;
}

const eventsSchema = z.looseObject({ installed: addressSchema().nullish(), uninstall: addressSchema().nullish() });

interface ReadEvents {
  readonly events: InstallEvents;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Reads the top-level `events` of a manifest, which the interface does not show.
 * @param isOn whether the platform sends installation events: where it sends none, they are ignored with a warning,
 * whatever they hold
 */
export function readEvents(manifest: Record<string, unknown>, isOn: boolean): ReadEvents {
  const { events } = manifest;
  if (!Object.hasOwn(manifest, "events")) return { events: nowhere, errors: [], warnings: [] };
  const parsed = z.object({ events: eventsSchema }).safeParse({ events });
  return {
    events: parsed.success ? addressesIn(parsed.data.events) : nowhere,
    errors: parsed.success || !isOn ? [] : problemsOf(parsed.error, { events }),
    warnings: isOn ? unknownEvents(events) : [{ path: "events", message: IGNORED }],
  };
}

const nowhere: InstallEvents = { installed: null, uninstall: null };

const IGNORED =
  "is not part of the interface; ignored. The choice install.event turns installation events on: --choose install.event=on";

function addressesIn({ installed, uninstall }: z.infer<typeof eventsSchema>): InstallEvents {
  return { installed: installed ?? null, uninstall: uninstall ?? null };
}

function unknownEvents(events: unknown): Problem[] {
  return isObject(events) ? unknownKeys(events, Object.keys(eventsSchema.shape), "events") : [];
}
