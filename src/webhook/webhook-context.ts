import type { SimulatorContext } from "../platform/context.ts";
import type { Hooks } from "../platform/hooks.ts";
import type { ChangeableDelivery } from "./changeable.ts";

/** What webhook actions work with. */
export interface WebhookContext extends SimulatorContext {
  /** Changes of events and deliveries that wait for the next ones. */
  readonly hooks: Hooks<ChangeableDelivery>;
}
