import { indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, plural, reasonText } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { AppInstallation, InstallResult } from "./install-result.ts";

/** Installation events as lines: for each app the event, its requests meanwhile, and the outcome. */
export function installText(result: InstallResult, exchanges: ExchangeLines, paint: Paint): string[] {
  return [
    ...result.apps.flatMap((app) => [...appLines(app, result.command, exchanges, paint), ""]),
    ...verdict(result, paint),
    ...choicesLine(result.choices, paint),
  ];
}

/** The report of `reset`. */
export function resetText(): string[] {
  return ["Installations and tokens were reset: every app is installed, and none has a token"];
}

function appLines(
  { app, exchange, reason, hint, state, grant, failure }: AppInstallation,
  command: InstallResult["command"],
  exchanges: ExchangeLines,
  paint: Paint,
): string[] {
  const ending = state === "installed" ? "installed" : command === "install" ? "not installed" : "uninstalled";
  return [
    `${command === "install" ? "Installing" : "Uninstalling"} ${paint.strong(harmlessLine(app))}`,
    ...indent(exchanges(exchange), 4),
    ...indent(grantLines(grant, exchanges), 4),
    ...(reason === null ? [] : [`    ${paint.bad(reasonText(reason))}`]),
    ...(hint === null ? [] : [`    hint: ${harmlessLine(hint)}`]),
    `  ${markOf(failure === null ? "passed" : "denied", paint)} ${ending}`,
  ];
}

function grantLines(
  { outcome, type, error, reason, exchange }: AppInstallation["grant"],
  exchanges: ExchangeLines,
): string[] {
  if (outcome === "not-asked") return [];
  const why = outcome === "granted" ? "" : ` (${error}: ${reason})`;
  const what = type === null ? "a token" : `a token by ${type}`;
  const line = harmlessLine(`meanwhile the app requested ${what}: ${outcome}${why}`);
  return [line, ...(exchange === null ? [] : indent(exchanges(exchange), 2))];
}

function verdict({ outcome, reason, hint, apps }: InstallResult, paint: Paint): string[] {
  if (outcome === "installed") return [paint.good(`Installed: ${plural(apps.length, "app")}`)];
  if (outcome === "uninstalled") return [paint.good(`Uninstalled: ${plural(apps.length, "app")}`)];
  const what = outcome === "no-event" ? "Nothing was sent" : "Failed";
  const hintLine = hint === null || apps.length > 0 ? [] : [`hint: ${harmlessLine(hint)}`];
  return [paint.bad(`${what}: ${reasonText(reason ?? "")}`), ...hintLine];
}
