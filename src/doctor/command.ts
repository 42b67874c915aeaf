import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { loadConfig } from "../config/load.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { fold, indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { markOf } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { Diagnosis, DoctorResult } from "./doctor-result.ts";
import { type ExaminedPlatform, examine } from "./examine.ts";
import { examineUnconfigured } from "./examine-unconfigured.ts";

/** `app-sim doctor` */
export async function doctorCommand({ invocation, onSimulator }: CommandCall<ExaminedPlatform>): Promise<number> {
  const error = await configError(invocation);
  if (error === null) {
    return onSimulator((simulator, { loaded }) => examine(simulator, loaded, invocation), {
      text: (result) => doctorText(result, invocation.paint),
      exitCode: ({ outcome, failure }) => (outcome === "ok" ? exitCodes.asExpected : exitCodeOfFailures([failure])),
    });
  }
  const result = await examineUnconfigured(error, invocation);
  if (invocation.format === "json") invocation.out(jsonText(result));
  else printLines(invocation, doctorText(result, invocation.paint));
  return exitCodes.usage;
}

/** Why the configuration cannot be read, which stops every other command; null if it can. */
async function configError({ settings, env, cwd }: Invocation): Promise<UsageError | null> {
  try {
    await loadConfig(settings, env, cwd);
    return null;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** Width of mark, name and the spaces around them. */
const TEXT_COLUMN = 13;

function doctorText({ outcome, checks }: DoctorResult, paint: Paint): string[] {
  const wrong = checks.filter(({ result }) => result === "failed").length;
  return [
    ...checks.flatMap((check) => linesOf(check, paint)),
    "",
    ...(outcome === "ok"
      ? endOf(allThere(checks), paint).map((line) => paint.good(line))
      : [paint.bad(`${wrong} of ${checks.length} checks failed`)]),
  ];
}

/** The last line suggests a command, which is not folded. */
function endOf(said: string, { width }: Paint): string[] {
  const next = "try app-sim verify";
  const line = `${said}: ${next}`;
  return line.length <= width ? [line] : [...fold(`${said}:`, width), next];
}

function allThere(checks: readonly Diagnosis[]): string {
  const untried = [
    ...(checks.some(({ check, result }) => check === "secrets" && result === "skipped")
      ? ["it is unknown whether the app accepts a signed call"]
      : []),
    ...(checks.some(({ check, result }) => check === "app-secret" && result === "skipped")
      ? ["it is unknown whether a webhook accepts a signed delivery"]
      : []),
  ];
  const warned = checks.filter(({ result }) => result === "warned").length;
  if (warned > 0) return `Nothing failed, but there ${warned === 1 ? "is 1 warning" : `are ${warned} warnings`}`;
  return untried.length === 0
    ? "Everything is in place"
    : `Everything that was tried is in place; ${untried.join("; ")}`;
}

function linesOf({ check, result, message, hint }: Diagnosis, paint: Paint): string[] {
  const width = paint.width - TEXT_COLUMN;
  const [first = "", ...rest] = fold(harmlessLine(message), width);
  const below = hint === null ? [] : fold(`hint: ${harmlessLine(hint)}`, width);
  const head = `${markOf(result, paint)} ${check.padEnd(TEXT_COLUMN - 2)}`;
  return [`${head}${first}`, ...indent([...rest, ...below], TEXT_COLUMN)];
}
