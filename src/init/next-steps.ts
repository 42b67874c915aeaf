import type { ConfigFormat } from "./config-text.ts";
import type { InitResult } from "./init-result.ts";
import type { FoundProject } from "./project.ts";
import { appSimOf } from "./project-files.ts";

const installs = {
  npm: "npm install --save-dev",
  pnpm: "pnpm add --save-dev",
  yarn: "yarn add --dev",
  bun: "bun add --dev",
} as const;

/** What to do after the files were written. */
export function nextSteps(
  project: FoundProject,
  { hasAnswered, configFormat }: { readonly hasAnswered: boolean; readonly configFormat: ConfigFormat },
): InitResult["next"] {
  const { runner, appSim, hasSchema, packageManager, start, manifest } = project;
  // Only a project in JavaScript or TypeScript has to list what it uses.
  const isInstalled = appSim !== null || (runner === null && hasSchema);
  const command = appSimOf(project);
  const canWrite = configFormat !== "ts";
  const page = isInstalled ? "node_modules/app-sim/docs/getting-started.md" : "docs/getting-started.md of app-sim";
  const install = `${runner === null ? "npm install --no-save" : installs[packageManager]} FILE`;
  return [
    ...(isInstalled
      ? []
      : [{ command: install, purpose: `installs app-sim in your project (${page} says from where)` }]),
    { command: `${command} dev -- ${start ?? "COMMAND"}`, purpose: "runs the platform, and your app with it" },
    ...(manifest !== null || hasAnswered
      ? []
      : [
          {
            command: `${command} manifest`,
            purpose: `reads your app's manifest (${page} has a small one)`,
          },
        ]),
    { command: `${command} doctor`, purpose: "checks that they find each other" },
    ...(hasAnswered
      ? []
      : [
          {
            command: `${command} verify --init${canWrite ? " --write" : ""}`,
            purpose: `finds out whom your app's guards let in, and ${canWrite ? "writes it to the config file" : "prints it for the config file"}`,
          },
        ]),
    {
      command: `${command} verify`,
      purpose: `tests whether your app checks what it must${runner === null ? "; also usable in your test suite" : ""}`,
    },
  ];
}
