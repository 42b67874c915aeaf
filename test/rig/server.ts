import { systemClock } from "../../src/app-client/ports.ts";
import { createPlatformClock } from "../../src/platform/platform-clock.ts";
import { serveCapabilities } from "../../src/serve-capabilities.ts";
import type { Simulator } from "../../src/simulator.ts";
import type { OnBug } from "../../src/web/errors.ts";
import type { PlatformServer } from "../../src/web/server.ts";

/** Serves a simulator, or one with parts of the test's own, on a free port. */
export function startServer(simulator: Simulator, onBug: OnBug = () => {}): Promise<PlatformServer> {
  const { face } = createPlatformClock(systemClock);
  return serveCapabilities({ simulator, clock: face, port: 0, control: null, onBug });
}
