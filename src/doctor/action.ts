import { defineAction } from "../action/define-action.ts";
import type { TriedDelivery } from "./rules/judge-delivery.ts";
import type { RefusalCause } from "./rules/judge-secrets.ts";

/** What `app-sim doctor` needs of a platform besides other methods. */
export interface DoctorMethods {
  /** Finds out why an app refuses a guard's valid call, by sending invalid ones. */
  explainRefusal(guard: string): Promise<RefusalCause>;
  /** Whether a guard that lets a user in also does so by a call whose token is forged. */
  acceptsForged(guard: string): Promise<boolean>;
  /** Sends a signed delivery and a forged one, without events, to the first webhook; null: there is none. */
  tryDelivery(): Promise<TriedDelivery | null>;
}

export const doctorActions = {
  explainRefusal: defineAction<DoctorMethods["explainRefusal"]>({
    run: async (context, guard) => (await import("./explain-refusal.ts")).explainRefusal(context, guard),
  }),
  acceptsForged: defineAction<DoctorMethods["acceptsForged"]>({
    run: async (context, guard) => (await import("./try-forged.ts")).acceptsForged(context, guard),
  }),
  tryDelivery: defineAction<DoctorMethods["tryDelivery"]>({
    run: async (context) => (await import("./try-delivery.ts")).tryDelivery(context),
  }),
  doctor: defineAction<never>({
    command: {
      name: "doctor",
      summary: "check your setup: configuration, app, manifest, secrets, port, clock, browser",
      brief: "check your setup",
      group: "begin",
      hasReport: true,
      examples: ["app-sim doctor", "app-sim doctor --app http://127.0.0.1:8080 --format json"],
      load: async () => (await import("./command.ts")).doctorCommand,
    },
  }),
};
