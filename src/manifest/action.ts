import { defineAction } from "../action/define-action.ts";
import type { ManifestResult } from "./manifest-result.ts";

/** What the library can do with manifests. */
export interface ManifestMethods {
  /** Reads the manifests of the installed apps (interface 2.1). */
  manifest(): Promise<ManifestResult>;
}

export const manifestActions = {
  manifest: defineAction<ManifestMethods["manifest"]>({
    run: async (context) => (await import("./run-manifest.ts")).runManifest(context),
    command: {
      name: "manifest",
      summary: "read the app's manifest and show what the platform makes of it",
      examples: ["app-sim manifest", "app-sim manifest --manifest ./manifest.json --format json"],
      load: async () => (await import("./command.ts")).manifestCommand,
    },
  }),
};
