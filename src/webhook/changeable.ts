import { z } from "zod";
import type { SimulatorContext } from "../platform/context.ts";
import type { Hooks } from "../platform/hooks.ts";
import type { WebhookEvent } from "../protocol/webhook.ts";
import type { DeliveryRequest } from "./rules/delivery-request.ts";

/** The parts of webhooks that `once()` can change, by name. */
export interface ChangeableDelivery {
  /** The events of a run, before they are put into bodies. */
  readonly events: readonly WebhookEvent[];
  /** One attempt at a delivery, already signed. */
  readonly delivery: DeliveryRequest;
}

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "a header name");
const headerValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "a header value: one line");

export const changeableSchemas: { readonly [N in keyof ChangeableDelivery]: z.ZodType<ChangeableDelivery[N]> } = {
  events: z.array(z.looseObject({ event: z.string().min(1) })).min(1, "at least one event"),
  delivery: z.strictObject({
    headers: z.array(z.tuple([headerName, headerValue])),
    body: z.instanceof(Uint8Array),
  }),
};

/** What webhook actions work with. */
export interface WebhookContext extends SimulatorContext {
  /** Changes waiting to be applied to the next events and deliveries. */
  readonly hooks: Hooks<ChangeableDelivery>;
}
