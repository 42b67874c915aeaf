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
  const { runner, appSim: installed, packageManager, start, manifest } = project;
  const appSim = appSimOf(project);
  const canWrite = configFormat !== "ts";
  const page =
    installed === null ? "docs/getting-started.md of app-sim" : "node_modules/app-sim/docs/getting-started.md";
  const install = `${installs[packageManager]} FILE`;
  return [
    ...(runner === null || installed !== null
      ? []
      : [{ command: install, purpose: `installs app-sim in your project (${page} says from where)` }]),
    ...(manifest !== null || hasAnswered
      ? []
      : [
          {
            command: `${appSim} manifest`,
            purpose: `reads your app's manifest (${page} has a small one)`,
          },
        ]),
    { command: `${appSim} dev -- ${start ?? "COMMAND"}`, purpose: "runs the platform, and your app with it" },
    { command: `${appSim} doctor`, purpose: "checks that they find each other" },
    ...(hasAnswered
      ? []
      : [
          {
            command: `${appSim} verify --init${canWrite ? " --write" : ""}`,
            purpose: `finds out whom your app's guards let in, and ${canWrite ? "writes it to the config file" : "prints it for the config file"}`,
          },
        ]),
    {
      command: `${appSim} verify`,
      purpose: `tests whether your app checks what it must${runner === null ? "; also usable in your test suite" : ""}`,
    },
  ];
}
