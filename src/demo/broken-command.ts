import { once } from "node:events";
import type { Invocation } from "../action/invocation.ts";
import { loadConfig } from "../config/load.ts";
import { platformAddress } from "../config/platform-address.ts";
import { exitCodes } from "../output/exit-code.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { fold, indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { plural } from "../output/text.ts";
import { findFault, type SampleFault, sampleFaults, startBrokenApp } from "./broken-app.ts";
import { listeningAt, portOfApp } from "./sample-app-port.ts";

/**
 * `app-sim demo --broken ID`: the sample app with a fault, until Ctrl-C; `list` shows the faults.
 * @throws UsageError for an unknown fault, or an address at which the sample app cannot listen
 */
export async function brokenCommand(invocation: Invocation, id: string): Promise<number> {
  const { format, out, err, paint, settings, env, cwd, signal } = invocation;
  if (id === "list") {
    const faults = await sampleFaults();
    if (format === "json") out(jsonText({ command: "demo", faults: faults.map(({ edits: _, ...fault }) => fault) }));
    else {
      printLines(invocation, listOf(faults, paint));
    }
    return exitCodes.asExpected;
  }
  const fault = await findFault(id);
  const { config } = await loadConfig(settings, env, cwd);
  const [installation] = config.apps;
  if (installation === undefined) throw new RangeError("a configuration without apps");
  const port = portOfApp(installation.url);
  const authUrl = platformAddress(config);
  const app = await listeningAt(port, () => startBrokenApp(fault, { ...installation, authUrl, port }));
  try {
    if (format === "json") out(jsonText({ command: "demo", url: app.url, fault: fault.id, checks: fault.checks }));
    else {
      const lines = [
        ...fold(`The sample app at ${app.url} has a fault: ${fault.says}`, paint.width),
        ...fold(`To find it: ${findingCommand(app.url, fault)}`, paint.width, 2),
        ...(fault.verify === undefined
          ? []
          : fold(`with this in the config file: ${JSON.stringify({ verify: fault.verify })}`, paint.width, 2)),
      ];
      printLines(invocation, lines);
    }
    err("it stays until Ctrl-C\n");
    invocation.expectInterrupt();
    if (!signal.aborted) await once(signal, "abort");
    return exitCodes.asExpected;
  } finally {
    await app.close();
  }
}

/** The faults by area, those that only random requests find at the end. */
function listOf(faults: readonly SampleFault[], paint: Paint): string[] {
  const areaOf = ({ checks: [first = ""] }: SampleFault) => (first.includes(".fuzz.") ? "fuzz" : first.split(".")[0]);
  const areas = [...new Set(faults.map(areaOf))].toSorted((a, b) => Number(a === "fuzz") - Number(b === "fuzz"));
  return areas.flatMap((area) => {
    const own = faults.filter((fault) => areaOf(fault) === area);
    return [
      paint.strong(`${area}: ${plural(own.length, "fault")}`),
      ...own.flatMap(({ id, says, checks }) => [
        paint.strong(id),
        ...indent(fold(`${says} Found by: ${fewOf(checks)}`, paint.width - 2), 2),
      ]),
      "",
    ];
  });
}

/** The command that finds a fault: for a login by OAuth, redirect_uri must be registered. */
function findingCommand(url: string, { checks, choices = {} }: SampleFault): string {
  const isLogin = checks.some((id) => id.startsWith("oauth."));
  const registered = isLogin ? ` --redirect-uri ${url}/oauth/callback` : "";
  const chosen = Object.entries(choices).map(([id, value]) => ` --choose ${id}=${value}`);
  return `app-sim verify --app ${url}${registered}${chosen.join("")} --only ${checks.slice(0, MOST_NAMED).join(",")} --fail-on warn`;
}

/** Dozens of checks find a guard that verifies nothing. */
const MOST_NAMED = 3;

function fewOf(checks: readonly string[]): string {
  const others = checks.length - MOST_NAMED;
  return checks.slice(0, MOST_NAMED).join(", ") + (others > 0 ? ` and ${others} more` : "");
}
