import type { SampleApp } from "../../examples/sample-app/app.js";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * The port for the sample app.
 * @throws UsageError for an address that is not on this machine
 */
export function portOfApp(url: string): number {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === "http:" && ["127.0.0.1", "localhost"].includes(hostname)) return Number(port || 80);
  throw new UsageError(
    "app-elsewhere",
    `the sample app cannot listen at ${url}`,
    `it listens on 127.0.0.1: --app http://127.0.0.1:${port || "3000"}`,
  );
}

/** @throws UsageError if another program listens there */
export async function listeningAt(port: number, start: () => Promise<SampleApp>): Promise<SampleApp> {
  try {
    return await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new UsageError(
      "port-taken",
      `port ${port} of 127.0.0.1 is taken`,
      `end the other program, or choose another port: --app http://127.0.0.1:${port + 1}`,
    );
  }
}
