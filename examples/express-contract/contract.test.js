import { once } from "node:events";
import { startSimulator } from "app-sim";
import { contractMatchers, describeContract } from "app-sim/vitest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "./app.js";

const port = Number(process.env.CONTRACT_PORT ?? 3210);
const app = { url: `http://127.0.0.1:${port}` };

/** Starts the app with the secrets that the platform issued to it. */
async function start({ config }) {
  const server = createApp(config.apps[0]).listen(port, "127.0.0.1");
  await once(server, "listening");
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
}

// Every check is a test of its own: `npx vitest -t guard.token` runs those of the token alone.
describeContract({ app, start });

expect.extend(contractMatchers);
let sim;
let stop;
beforeAll(async () => {
  sim = await startSimulator({ app });
  stop = await start(sim);
});
afterAll(async () => {
  await stop();
  await sim.close();
});

test("the office is let in, others are not", async () => {
  expect(await sim.guard({ ipAddress: "203.0.113.10" })).toBeGranted();
  expect(await sim.guard({ ipAddress: "198.51.100.7" })).toBeDeniedBy("office");
});

test("deliveries are acknowledged", async () => {
  expect(await sim.webhook("project.translated")).toBeAcknowledged();
});
