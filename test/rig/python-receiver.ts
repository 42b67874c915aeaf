import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { killWithThisProcess } from "./program.ts";

/** Whether this machine has Python 3. */
export const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** How the receiver checks signatures; by default as the platform signs by default. */
export interface ReceiverScheme {
  readonly header?: string;
  readonly prefix?: string;
  readonly encoding?: "hex" | "base64" | "base64url";
  readonly timestampHeader?: string | null;
}

/** A delivery that came. */
interface ReceivedDelivery {
  readonly path: string;
  /** Whether its signature was right; what was not was answered with 401. */
  readonly accepted: boolean;
  readonly chunked: boolean;
  readonly zipped: boolean;
  /** Those in a body that was accepted. */
  readonly events: number;
  readonly signature: string;
  /** As it came. */
  readonly body: Buffer;
}

/** A webhook receiver that runs in Python; disposing of it ends it. */
export interface PythonReceiver extends AsyncDisposable {
  readonly url: string;
  /** All that came, in its order. */
  received(): Promise<readonly ReceivedDelivery[]>;
}

/** Starts a receiver that serves this manifest and knows this secret. */
export async function startPythonReceiver(
  manifest: unknown,
  secret: string,
  { header = "X-Platform-Signature", prefix = "", encoding = "hex", timestampHeader = null }: ReceiverScheme = {},
): Promise<PythonReceiver> {
  const settings = { manifest, secret, header, prefix, encoding, timestampHeader };
  const program = join(import.meta.dirname, "receiver.py");
  const child = spawn("python3", [program, JSON.stringify(settings)], { stdio: ["ignore", "pipe", "inherit"] });
  const forget = killWithThisProcess(() => child.kill());
  const ended = once(child, "close");
  const [port] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(() => Promise.reject(new Error("the receiver ended before it listened"))),
  ]);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async received() {
      const answer = await fetch(`${url}/received`);
      const deliveries = (await answer.json()) as (Omit<ReceivedDelivery, "body"> & { readonly body: string })[];
      return deliveries.map((delivery) => ({ ...delivery, body: Buffer.from(delivery.body, "base64") }));
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
      forget();
    },
  };
}
