import { once } from "node:events";
import { startSimulator } from "app-sim";
import { contractMatchers, describeContract } from "app-sim/vitest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "./app.js";

const port = Number(process.env.CONTRACT_PORT ?? 3210);
const app = { url: `http://127.0.0.1:${port}` };

let sim;
let server;
beforeAll(async () => {
  sim = await startSimulator({ app });
  // With the secrets that the platform issued to it.
  server = createApp(sim.config.apps[0]).listen(port, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await sim.close();
});

// Every check is a separate test: `npx vitest -t guard.token` runs only those of the token.
describeContract({ app });

expect.extend(contractMatchers);

test("the office is let in, others are not", async () => {
  expect(await sim.guard({ ipAddress: "203.0.113.10" })).toBeGranted();
  expect(await sim.guard({ ipAddress: "198.51.100.7" })).toBeDeniedBy("office");
});

test("deliveries are acknowledged", async () => {
  expect(await sim.webhook("project.translated")).toBeAcknowledged();
});
