import type { Invocation } from "../action/invocation.ts";
import type { Config } from "../config/schema.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { findPlatform, isAlive } from "./running-platform.ts";

/** Runs what may find the platform's port taken; where another app-sim has it, the error says so. */
export async function namingHolder<T>(
  { port, journal }: Config,
  { env }: Pick<Invocation, "env">,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UsageError) || error.code !== "port-taken") throw error;
    const holder = findPlatform(journal, port);
    if (holder === null || !isAlive(holder)) throw error;
    const isWithin = holder.command === "exec" && env.APP_SIM_PORT === String(port);
    throw new UsageError(
      error.code,
      `app-sim ${holder.command} (process ${holder.pid}) has port ${port}`,
      isWithin
        ? "this command is a platform itself and needs no exec: run it by itself, or give it another --port"
        : "this command is a platform itself: end that one first, or give another --port and tell the app",
    );
  }
}
