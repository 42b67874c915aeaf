import { defineAction } from "../action/define-action.ts";
import type { ManifestResult } from "./manifest-result.ts";

/** What the library can do with manifests. */
export interface ManifestMethods {
  /** Reads the manifests of the installed apps (interface 2.1); what is wrong with them is in the result. */
  manifest(): Promise<ManifestResult>;
}

/** Flags of `app-sim manifest` that are not options of the method. */
export interface ManifestFlags {
  readonly strict?: boolean;
}

export const manifestActions = {
  manifest: defineAction<ManifestMethods["manifest"], ManifestFlags>({
    run: async (context) => (await import("./run-manifest.ts")).runManifest(context),
    command: {
      name: "manifest",
      summary: "read the app's manifest, and show how the platform understands it",
      group: "check",
      examples: ["app-sim manifest", "app-sim manifest --manifest ./manifest.json --format json"],
      flags: { strict: { flag: "--strict", help: "fail on warnings" } },
      flagFor: (value) => (/\.json$/.test(value) ? `--manifest ${value}` : `--app ${value}`),
      load: async () => (await import("./command.ts")).manifestCommand,
    },
  }),
};
