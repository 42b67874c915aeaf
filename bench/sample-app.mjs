import { startSampleApp } from "../examples/sample-app/app.js";

const [port, platform = ""] = process.argv.slice(2);

const app = await startSampleApp({
  port: Number(port),
  authUrl: platform,
  clientId: "app-sim-client",
  clientSecret: "app-sim-client-secret-long-enough-for-HS256",
  appSecret: "app-sim-app-secret",
});
process.once("SIGTERM", () => app.close());
process.stdout.write(`${app.url}\n`);
