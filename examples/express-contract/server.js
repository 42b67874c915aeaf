// app-sim env > .env && node --env-file=.env server.js
import { createApp } from "./app.js";

const { env } = process;
createApp({
  clientId: env.PLATFORM_CLIENT_ID ?? "",
  clientSecret: env.PLATFORM_CLIENT_SECRET ?? "",
  appSecret: env.PLATFORM_APP_SECRET ?? "",
}).listen(Number(env.PORT ?? 3000), "127.0.0.1");
