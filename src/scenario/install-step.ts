import type { InstallResult } from "../install/install-result.ts";
import { failed, passed, type StepOutcome } from "./step-outcome.ts";

/** Every app has to take the news of its installation, or of the end of it. */
export function judgeInstall({ outcome, reason, hint, failure, apps }: InstallResult): StepOutcome {
  const exchanges = apps.flatMap((app) => [app.exchange, ...app.exchanges]);
  if (outcome === "installed" || outcome === "uninstalled") return passed(exchanges);
  return failed(reason ?? "the app did not take it", hint, exchanges, failure ?? "other");
}
