import { z } from "zod";
import { checkObject } from "../platform/check-input.ts";

const eventNamesSchema = z.strictObject({
  names: z.array(z.string().min(1)).min(1, "name an event, for example project.translated"),
});

/**
 * The names of events that a method was given; none where the payload names them.
 * @param method for the message, such as `webhook()`
 * @throws UsageError where neither names an event
 */
export function eventNames(method: string, events: string | readonly string[], data: unknown): readonly string[] {
  const names = [events].flat();
  return names.length === 0 && data !== undefined ? names : checkObject(method, eventNamesSchema, { names }).names;
}
