import { z } from "zod";

/** Addresses of what steers a running platform; no organization can be named so. */
export const CONTROL_PATHS = { clock: "/-/clock", faults: "/-/faults" } as const;

/** How the clock is to be turned: one thing at a time. */
export const clockTurnSchema = z.union([
  z.strictObject({ advance: z.string() }),
  z.strictObject({ set: z.string() }),
  z.strictObject({ freeze: z.union([z.string(), z.literal(true)]) }),
  z.strictObject({ resume: z.literal(true) }),
  z.strictObject({ reset: z.literal(true) }),
]);
export type ClockTurn = z.infer<typeof clockTurnSchema>;

/** Which faults are to be there from now on. */
export const faultOrderSchema = z.union([
  z.strictObject({ add: z.array(z.string()).min(1) }),
  z.strictObject({ clear: z.literal(true) }),
]);
export type FaultOrder = z.infer<typeof faultOrderSchema>;

/** How the clock stands, as the platform answers. */
export const clockStateSchema = z.strictObject({ now: z.string(), frozen: z.boolean(), offsetMs: z.number() });

/** The faults that are still to come, as the platform answers. */
export const faultListSchema = z.strictObject({
  faults: z.array(z.strictObject({ fault: z.string(), left: z.number().nullable() })),
});
