import type { z } from "zod";
import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { createAppGateway } from "../app-client/app-gateway.ts";
import { systemClock } from "../app-client/ports.ts";
import { loadConfig } from "../config/load.ts";
import { isFault, parseFault } from "../oauth/rules/faults.ts";
import { exitCodes } from "../output/exit-code.ts";
import { ExitError } from "../output/exit-error.ts";
import { printLines } from "../output/fit-lines.ts";
import { jsonText } from "../output/json.ts";
import { shellWord } from "../output/shell-word.ts";
import { parseJson } from "../protocol/json.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { knownPort } from "../settings/env-command.ts";
import type { ClockVerb } from "./action.ts";
import { type ClockChange, CONTROL_PATHS, clockStateSchema, type FaultsChange, faultListSchema } from "./control.ts";
import { findPortHolder, holderWords } from "./port-holder.ts";
import { type AnnouncedPlatform, announcedPorts, findPlatform, runningPlatformPath } from "./running-platform.ts";
import { clockText, faultsText } from "./steer-text.ts";

const TIMEOUT_MS = 10_000;

/** `app-sim clock`: shows or changes the clock of a running platform. */
export async function clockCommand({ invocation, args: [verb = "show", value] }: CommandCall<never>): Promise<number> {
  const change = clockChange(verb as ClockVerb, value);
  const { url, state } = await steer(invocation, { path: CONTROL_PATHS.clock, change, schema: clockStateSchema });
  const { format, out } = invocation;
  if (format === "json") out(jsonText({ command: "clock", url, ...state }));
  else printLines(invocation, [clockText(state)]);
  return 0;
}

/** `app-sim fault`: adds faults to a running platform, clears or lists them. */
export async function faultCommand({ invocation, args: words }: CommandCall<never>): Promise<number> {
  const change = faultsChange(words);
  const { url, state } = await steer(invocation, { path: CONTROL_PATHS.faults, change, schema: faultListSchema });
  const { format, out } = invocation;
  if (format === "json") out(jsonText({ command: "fault", url, ...state }));
  else printLines(invocation, faultsText(state.faults));
  return 0;
}

function clockChange(verb: ClockVerb, value: string | undefined): ClockChange | null {
  if (verb === "freeze") return { freeze: value ?? true };
  if (verb === "advance" || verb === "set") {
    const example =
      verb === "advance" ? "a duration: app-sim clock advance 2h" : "a time: app-sim clock set 2031-05-06";
    if (value === undefined)
      throw new UsageError("clock-invalid", `clock ${verb}: its value is missing`, `give ${example}`);
    return verb === "advance" ? { advance: value.replace(/^\+/, "") } : { set: value };
  }
  if (value !== undefined)
    throw new UsageError("clock-invalid", `clock ${verb} takes no value, but ${value} was given`, "leave it out");
  if (verb === "show") return null;
  return verb === "resume" ? { resume: true } : { reset: true };
}

function faultsChange(words: readonly string[]): FaultsChange | null {
  const [first] = words;
  if (first === undefined) return null;
  if (first === "list" || first === "clear") {
    if (words.length === 1) return first === "list" ? null : { clear: true };
    throw new UsageError(
      "fault-invalid",
      `fault ${first} takes no other arguments`,
      `run app-sim fault ${first}, then the rest`,
    );
  }
  if (first === "add") {
    const fault = words[1] ?? "token=500";
    throw new UsageError("fault-invalid", "a fault is given without add", `app-sim fault ${shellWord(fault)}`);
  }
  const joined = words.flatMap((word, index) => (isFault(`${words[index - 1]}=${word}`) ? [] : faultAt(words, index)));
  if (joined.length < words.length) {
    const line = joined.map(shellWord).join(" ");
    throw new UsageError("fault-invalid", "a fault is one word, PLACE=KIND", `app-sim fault ${line}`);
  }
  for (const word of words) {
    const [other = word] = Object.entries(wordsForVerbs).find(([, others]) => others.includes(word)) ?? [];
    const meant = word.includes("=") ? "" : didYouMean(other, ["list", "clear"]);
    if (meant === "") continue;
    const hint = "app-sim fault list, app-sim fault clear, or faults such as token=500x2";
    throw new UsageError("fault-invalid", `${word} is not a fault.${meant}`, hint);
  }
  // The platform would refuse it too, but may not even be running.
  for (const word of words) parseFault(word);
  return { add: [...words] };
}

/** Other words for them. */
const wordsForVerbs: Readonly<Record<"list" | "clear", readonly string[]>> = {
  list: ["show", "ls", "status", "get"],
  clear: ["off", "reset", "none", "remove", "delete", "rm", "stop", "unset"],
};

/** The fault that begins with this word: the word alone, or with the next one if the = between them is missing. */
function faultAt(words: readonly string[], index: number): string {
  const whole = `${words[index]}=${words[index + 1]}`;
  return isFault(whole) ? whole : (words[index] ?? "");
}

/**
 * Changes the `app-sim serve` on the configured port (null: nothing), and returns its state afterwards.
 * @param schema of the state
 * @throws UsageError if no platform runs there, or it refuses the change; ExitError if it does not answer
 */
async function steer<Schema extends z.ZodType>(
  { settings, env, cwd }: Invocation,
  { path, change, schema }: { path: string; change: ClockChange | FaultsChange | null; schema: Schema },
): Promise<{ readonly url: string; readonly state: z.infer<Schema> }> {
  const { config } = await loadConfig(settings, env, cwd);
  const port = knownPort(config);
  const file = runningPlatformPath(config.journal, port);
  const platform = findPlatform(config.journal, port);
  if (platform === null) {
    throw await notRunning(port, file, config.journal);
  }
  const { status, value } = await call(platform, path, change);
  if (status === 400) throw refusal(value);
  const state = schema.safeParse(value);
  if (status === 200 && state.success) return { url: platform.url, state: state.data };
  throw unreachable(
    `the server at ${platform.url} is not the platform that ${file} describes (status ${status})`,
    "end it, then start `app-sim serve`",
  );
}

/**
 * Names the platform that is probably meant: one of this folder on another port, or one of another folder on this port.
 */
async function notRunning(port: number, file: string, directory: string): Promise<UsageError> {
  const [only, ...more] = announcedPorts(directory).filter((other) => other !== port);
  const holder = await findPortHolder(port);
  if (holder !== null) {
    const { message, hint } = holderWords(port, holder, `start one here: app-sim serve --port ${port + 1}`);
    return new UsageError("not-running", `no platform of this folder runs on port ${port}: ${message}`, hint);
  }
  return new UsageError(
    "not-running",
    `no platform runs on port ${port}: there is no ${file}`,
    only !== undefined && more.length === 0
      ? `one runs on port ${only}: --port ${only}`
      : "start it with `app-sim serve`; if it is running, give its port with --port and the directory of its journal with --journal",
  );
}

async function call({ url, trust, pid, controlToken }: AnnouncedPlatform, path: string, change: object | null) {
  const called = await createAppGateway(systemClock, trust).call({
    method: change === null ? "GET" : "POST",
    url: `${url}${path}`,
    headers: [
      ["authorization", `Bearer ${controlToken}`],
      ["accept", "application/json"],
      ...(change === null ? [] : [["content-type", "application/json"] as const]),
    ],
    body: change === null ? new Uint8Array() : Buffer.from(JSON.stringify(change)),
    timeoutMs: TIMEOUT_MS,
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  });
  if (!called.ok) {
    throw unreachable(
      `no answer from the platform at ${url}, process ${pid} (${called.outcome.kind})`,
      "did it end? Restart it with `app-sim serve`",
    );
  }
  const parsed = parseJson(called.body);
  return { status: called.response.status, value: parsed.ok ? parsed.value : null };
}

function refusal(value: unknown): UsageError {
  const { message, hint } = (value as { error?: { message?: unknown; hint?: unknown } } | null)?.error ?? {};
  // The platform's message names a method of the library.
  const text = String(message).replace(/^clock\.(\w+)\(\): /, "clock $1: ");
  return new UsageError("control-invalid", text, String(hint ?? "see --help"));
}

function unreachable(message: string, hint: string): ExitError {
  return new ExitError(exitCodes.unreachable, "platform-unreachable", message, hint);
}
