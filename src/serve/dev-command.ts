import type { CommandCall } from "../action/command-call.ts";
import { type AppChange, followListener } from "../app-client/listener.ts";
import { systemClock } from "../app-client/ports.ts";
import { listens } from "../app-client/wait-for-app.ts";
import type { App } from "../config/schema.ts";
import { exitCodes } from "../output/exit-code.ts";
import { indent, table } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { shellWord } from "../output/shell-word.ts";
import { tell } from "../output/tell.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { checkPrefix } from "../settings/variables.ts";
import type { DevFlags } from "./action.ts";
import { type Served, serveWhile } from "./command.ts";
import { childVariables } from "./exec-command.ts";
import { commandAsTyped, runChild } from "./run-child.ts";
import type { ServedSimulator } from "./serve-platform.ts";
import type { ServeFacts } from "./serve-text.ts";

/** `app-sim dev -- CMD` */
export async function devCommand(call: CommandCall<ServedSimulator, DevFlags>): Promise<number> {
  const { args, flags, invocation } = call;
  const command = commandAsTyped(args, invocation.typed);
  const { prefix = "PLATFORM_" } = flags;
  checkPrefix(prefix, `--prefix ${prefix}`);
  return serveWhile(call, {
    command: "dev",
    require: ({ apps }) => requireFree(apps),
    facts: (facts, paint) => devText(facts, command, paint),
    whileUp: (served, ended) => runApp(served, { command, prefix, ended }),
  });
}

interface AppRun {
  readonly command: readonly string[];
  readonly prefix: string;
  readonly ended: AbortSignal;
}

/** Runs the app until it ends, by itself or by our signals, and reports its restarts. */
async function runApp(
  { config, simulator, readManifests, invocation, hasKeys }: Served,
  { command, prefix, ended }: AppRun,
): Promise<number> {
  if (ended.aborted) return exitCodes.asExpected;
  const over = new AbortController();
  const signals: NodeJS.Signals[] = [];
  const began = systemClock.monotonic();
  const followed = config.apps.map(({ url }) =>
    followListener(url, {
      clock: systemClock,
      signal: over.signal,
      onChange: (change) => {
        if (signals.length > 0 || ended.aborted) return;
        tell(invocation, changeText(change, url, systemClock.monotonic() - began));
        if (change !== "down") readManifests();
      },
    }),
  );
  // Its output is not a terminal then, so it would turn colours off.
  const colours = hasKeys && invocation.paint.hasColor ? { FORCE_COLOR: "1" } : {};
  try {
    const code = await runChild(command, invocation, {
      env: { ...colours, ...childVariables(invocation.env, { simulator, config }, prefix) },
      // stdout contains nothing but lines of JSON.
      ...(invocation.format === "json" ? { stdio: [0, 2, 2] } : {}),
      ...(hasKeys ? { onLine: (line) => invocation.out(`${line}\n`), ended } : {}),
      onSignal: (signal) => {
        // The terminal shows ^C on this row.
        if (signal === "SIGINT" && invocation.isInteractive) invocation.err("\n");
        signals.push(signal);
      },
    });
    const [signal] = signals;
    if (ended.aborted && signal === undefined) return exitCodes.asExpected;
    if (signal === undefined) tell(invocation, `The app has ended with exit code ${code}.`);
    return signal === undefined ? code : endedBy(signal);
  } finally {
    over.abort();
    await Promise.all(followed);
  }
}

/**
 * Something that listens already would be mistaken for the app. With several apps, some may be started by other means.
 * @throws UsageError if something listens at every address
 */
async function requireFree(apps: readonly App[]): Promise<void> {
  const taken = await Promise.all(apps.map(({ url }) => listens(url)));
  if (taken.includes(false)) return;
  const urls = apps.map(({ url }) => url).join(", ");
  throw new UsageError(
    "app-listens",
    `something already listens at ${urls}`,
    "end it; if the app is running already, use `app-sim serve`; if it listens elsewhere, --app",
  );
}

/** Ctrl-C is the normal end. */
function endedBy(signal: NodeJS.Signals): number {
  if (signal === "SIGINT") return exitCodes.asExpected;
  return signal === "SIGHUP" ? exitCodes.hungUp : exitCodes.terminated;
}

function changeText(change: AppChange, url: string, sinceMs: number): string {
  if (change === "up") return `The app listens at ${url} after ${(sinceMs / 1000).toFixed(1)} s.`;
  return change === "again" ? `The app at ${url} has started again.` : `Nothing listens at ${url} any more.`;
}

function devText({ url, inspector, apps }: ServeFacts, command: readonly string[], paint: Paint): string[] {
  const rows = [
    ["inspector", inspector],
    ["app", apps.map((app) => app.url).join(", ")],
    ["starts", command.map(shellWord).join(" ")],
  ];
  return [
    `${paint.strong(`The platform is ready at ${url}`)} (Ctrl-C ends it and the app)`,
    ...indent(table(rows), 2),
    "",
  ];
}
