import { fuzzGuard } from "./guard.ts";
import { fuzzImport } from "./import.ts";
import { fuzzWebhook } from "./webhook.ts";

/** The senders of random requests, by area: loaded only when needed. */
export const fuzzModules = { fuzzGuard, fuzzImport, fuzzWebhook };
