import { z } from "zod";
import type { SimulatorContext } from "../platform/context.ts";
import type { Hooks } from "../platform/hooks.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import type { DeliveryRequest } from "./rules/delivery-request.ts";

/** What `once()` can change of webhooks, by name. */
export interface ChangeableDelivery {
  /** The events of a run, before they are put into bodies. */
  readonly events: readonly WebhookEvent[];
  /** One attempt at a delivery, after it was signed. */
  readonly delivery: DeliveryRequest;
}

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "a header name");
const headerValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "one line, as a header value is");

export const changeableSchemas: { readonly [N in keyof ChangeableDelivery]: z.ZodType<ChangeableDelivery[N]> } = {
  events: z.array(z.looseObject({ event: z.string().min(1) })).min(1, "at least one event"),
  delivery: z.strictObject({
    headers: z.array(z.tuple([headerName, headerValue])),
    body: z.instanceof(Uint8Array),
  }),
};

/** What webhook actions work with. */
export interface WebhookContext extends SimulatorContext {
  /** Changes of events and deliveries that wait for the next ones. */
  readonly hooks: Hooks<ChangeableDelivery>;
}
