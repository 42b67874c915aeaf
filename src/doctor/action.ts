import { defineAction } from "../action/define-action.ts";

export const doctorActions = {
  doctor: defineAction<never>({
    command: {
      name: "doctor",
      summary: "look whether everything is there: configuration, app, manifest, secrets, port, clock, browser",
      brief: "look whether everything is there",
      group: "begin",
      hasReport: true,
      examples: ["app-sim doctor", "app-sim doctor --app http://127.0.0.1:8080 --format json"],
      load: async () => (await import("./command.ts")).doctorCommand,
    },
  }),
};
