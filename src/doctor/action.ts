import { defineAction } from "../action/define-action.ts";
import type { RefusalCause } from "./explain-refusal.ts";

/** What `app-sim doctor` alone asks of a platform. */
export interface DoctorMethods {
  /** Finds out why an app refuses the right call of a guard, by wrong ones. */
  explainRefusal(guard: string): Promise<RefusalCause>;
}

export const doctorActions = {
  explainRefusal: defineAction<DoctorMethods["explainRefusal"]>({
    run: async (context, guard) => (await import("./explain-refusal.ts")).explainRefusal(context, guard),
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
