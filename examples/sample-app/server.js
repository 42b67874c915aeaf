// Starts the app with the variables that `app-sim env` prints:
// npm install && app-sim env > .env && node --env-file=.env server.js
import { startSampleApp } from "./app.js";

const { env } = process;
const app = await startSampleApp({
  clientId: env.PLATFORM_CLIENT_ID ?? "",
  clientSecret: env.PLATFORM_CLIENT_SECRET ?? "",
  appSecret: env.PLATFORM_APP_SECRET ?? "",
  authUrl: env.PLATFORM_AUTH_URL ?? "",
  ...(env.PLATFORM_SDK_URL && { sdkUrl: env.PLATFORM_SDK_URL }),
  ...(env.PLATFORM_API_URL && { apiUrl: env.PLATFORM_API_URL }),
  port: Number(env.PORT ?? 3000),
});
process.stdout.write(`The sample app listens at ${app.url}\n`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => app.close());
