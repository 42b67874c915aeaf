import { startSampleApp } from "./app.js";

// By hand: `app-sim env` prints these variables; `node --env-file FILE server.js` reads them from a file.
const { PLATFORM_CLIENT_ID, PLATFORM_CLIENT_SECRET, PLATFORM_APP_SECRET } = process.env;
const { PLATFORM_AUTH_URL, PLATFORM_SDK_URL, PLATFORM_API_URL, PORT = "3000" } = process.env;

const app = await startSampleApp({
  clientId: PLATFORM_CLIENT_ID ?? "",
  clientSecret: PLATFORM_CLIENT_SECRET ?? "",
  appSecret: PLATFORM_APP_SECRET ?? "",
  authUrl: PLATFORM_AUTH_URL ?? "",
  ...(PLATFORM_SDK_URL && { sdkUrl: PLATFORM_SDK_URL }),
  ...(PLATFORM_API_URL && { apiUrl: PLATFORM_API_URL }),
  port: Number(PORT),
});
process.stdout.write(`The sample app listens at ${app.url}\n`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => app.close());
