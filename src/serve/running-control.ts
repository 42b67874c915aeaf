import type { z } from "zod";
import type { Invocation } from "../action/invocation.ts";
import { createAppGateway } from "../app-client/app-gateway.ts";
import { systemClock } from "../app-client/ports.ts";
import { loadConfig } from "../config/load.ts";
import { exitCodes } from "../output/exit-code.ts";
import { ExitError } from "../output/exit-error.ts";
import { parseJson } from "../protocol/json.ts";
import { SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { knownPort } from "../settings/env-command.ts";
import { announcedPorts, findPlatform, type RunningPlatform, runningPlatformPath } from "./running-platform.ts";

const TIMEOUT_MS = 10_000;

/** A request to one of the addresses that steer a running platform (`protocol/control.ts`). */
export interface SteeringRequest<Schema extends z.ZodType> {
  readonly path: string;
  /** What is to be changed; null: nothing, only the state is asked for. */
  readonly order: unknown;
  /** Of the state that is answered. */
  readonly schema: Schema;
}

/**
 * Steers the `app-sim serve` at the configured port, and returns its state as it is then.
 * @throws UsageError where none runs there, or it refuses the order; ExitError where it does not answer any more
 */
export async function steer<Schema extends z.ZodType>(
  { settings, env, cwd }: Invocation,
  { path, order, schema }: SteeringRequest<Schema>,
): Promise<{ readonly url: string; readonly state: z.infer<Schema> }> {
  const { config } = await loadConfig(settings, env, cwd);
  const port = knownPort(config);
  const file = runningPlatformPath(config.journal, port);
  const platform = findPlatform(config.journal, port);
  if (platform === null) {
    throw new UsageError(
      "not-running",
      `no platform runs at port ${port}: there is no ${file}`,
      hintFor(announcedPorts(config.journal).filter((other) => other !== port)),
    );
  }
  const { status, value } = await call(platform, path, order);
  if (status === 400) throw refusal(value);
  const state = schema.safeParse(value);
  if (status === 200 && state.success) return { url: platform.url, state: state.data };
  throw unreachable(
    `what answers at ${platform.url} is not the platform that ${file} tells of (status ${status})`,
    "end it, then start `app-sim serve`",
  );
}

function hintFor(others: readonly number[]): string {
  const [only] = others;
  if (only !== undefined && others.length === 1) return `one runs at port ${only}: --port ${only}`;
  return "start it with `app-sim serve`; where it runs, name its port with --port and the directory of its journal with --journal";
}

async function call({ url, pid, controlToken }: RunningPlatform, path: string, order: unknown) {
  const called = await createAppGateway(systemClock).call({
    method: order === null ? "GET" : "POST",
    url: `${url}${path}`,
    headers: [
      ["authorization", `Bearer ${controlToken}`],
      ["accept", "application/json"],
      ...(order === null ? [] : [["content-type", "application/json"] as const]),
    ],
    body: order === null ? new Uint8Array() : Buffer.from(JSON.stringify(order)),
    timeoutMs: TIMEOUT_MS,
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  });
  if (!called.ok) {
    throw unreachable(
      `no answer from the platform at ${url}, process ${pid} (${called.outcome.kind})`,
      "did it end? start it again with `app-sim serve`",
    );
  }
  const parsed = parseJson(called.body);
  return { status: called.response.status, value: parsed.ok ? parsed.value : null };
}

function refusal(value: unknown): UsageError {
  const { message, hint } = (value as { error?: { message?: unknown; hint?: unknown } } | null)?.error ?? {};
  // The platform speaks of methods, because it is a library's as well.
  const said = String(message).replace(/^clock\.(\w+)\(\): /, "clock $1: ");
  return new UsageError("control-invalid", said, String(hint ?? "see --help"));
}

function unreachable(message: string, hint: string): ExitError {
  return new ExitError(exitCodes.unreachable, "platform-unreachable", message, hint);
}
