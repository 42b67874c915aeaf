import { once } from "node:events";
import { createServer } from "node:net";

/** The system gives ports from 32768 on to whoever asks for any; it gives none of these. */
const FIRST_PORT = 20_000;
const PORTS_PER_WORKER = 500;

let next = Math.floor(Math.random() * PORTS_PER_WORKER);

/**
 * A port that is free now and stays free until the test listens there: each worker has ports of its own.
 * For servers whose address must be known before they start; others listen at port 0.
 */
export async function portForLater(): Promise<number> {
  const worker = Number(process.env.VITEST_POOL_ID ?? 0);
  for (;;) {
    next = (next + 1) % PORTS_PER_WORKER;
    const port = FIRST_PORT + (worker % 20) * PORTS_PER_WORKER + next;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (free) await once(server.close(), "close");
  return free;
}
