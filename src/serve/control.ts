import { z } from "zod";

/** Addresses at which a running platform is changed; no organization can have this name. */
export const CONTROL_PATHS = { clock: "/-/clock", faults: "/-/faults" } as const;

export const clockChangeSchema = z.union([
  z.strictObject({ advance: z.string() }),
  z.strictObject({ set: z.string() }),
  z.strictObject({ freeze: z.union([z.string(), z.literal(true)]) }),
  z.strictObject({ resume: z.literal(true) }),
  z.strictObject({ reset: z.literal(true) }),
]);
export type ClockChange = z.infer<typeof clockChangeSchema>;

export const faultsChangeSchema = z.union([
  z.strictObject({ add: z.array(z.string()).min(1) }),
  z.strictObject({ clear: z.literal(true) }),
]);
export type FaultsChange = z.infer<typeof faultsChangeSchema>;

export const clockStateSchema = z.strictObject({ now: z.string(), frozen: z.boolean(), offsetMs: z.number() });

/** The faults that are still pending. */
export const faultListSchema = z.strictObject({
  faults: z.array(z.strictObject({ fault: z.string(), left: z.number().nullable() })),
});
