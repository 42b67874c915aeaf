import type { CommandCall } from "../action/command-call.ts";
import type { JournalRecord } from "../journal/record.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import { tell } from "../output/tell.ts";
import { plural } from "../output/text.ts";
import { checkPrefix } from "../settings/variables.ts";
import type { ExecFlags } from "./action.ts";
import { commandAsTyped, runChild } from "./run-child.ts";
import { type ServedPlatform, type ServedSimulator, servePlatform } from "./serve-platform.ts";

/** `app-sim exec` */
export async function execCommand({
  invocation,
  args: command,
  flags: { prefix = "PLATFORM_", ...flags },
  startSimulator,
}: CommandCall<ServedSimulator, ExecFlags>): Promise<number> {
  checkPrefix(prefix, `--prefix ${prefix}`);
  // Only the flag counts: the variable may name the port of an enclosing exec.
  const settings = { ...invocation.settings, port: invocation.settings.port ?? "0" };
  await using platform = await servePlatform(
    "exec",
    { invocation: { ...invocation, settings }, startSimulator },
    flags,
  );
  const { simulator } = platform;
  if (invocation.signal.aborted) return 0;
  if (flags.open === true) openInBrowser(platform.inspector);
  let unanswered = 0;
  simulator.journal.subscribe((record) => {
    unanswered += consentPagesOpened(record);
  });
  const code = await runChild(commandAsTyped(command, invocation.typed), invocation, {
    env: childVariables(invocation.env, platform, prefix),
  });
  if (unanswered > 0) {
    tell(invocation, `${plural(unanswered, "unanswered consent page")}: app-sim exec --consent approve answers them`);
  }
  return code;
}

/**
 * The command's environment: the variables of `app-sim env`, and those by which app-sim within it finds this platform.
 */
export function childVariables(
  env: NodeJS.ProcessEnv,
  { simulator, config }: Pick<ServedPlatform, "simulator" | "config">,
  prefix: string,
): NodeJS.ProcessEnv {
  const own = { APP_SIM_PORT: String(config.port), APP_SIM_JOURNAL: config.journal };
  return { ...env, ...simulator.env(prefix), ...own };
}

/** 1 for a page that asks, -1 for a decision, which names the app; a refused form is no decision. */
function consentPagesOpened(record: JournalRecord): number {
  if (record.type !== "oauth") return 0;
  if (record.outcome === "asked") return 1;
  return record.step === "consent" && record.client !== null ? -1 : 0;
}
