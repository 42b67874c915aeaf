import { fuzzGuard } from "./guard.ts";
import { fuzzImport } from "./import.ts";
import { fuzzWebhook } from "./webhook.ts";

/** What sends random requests to a module, by its area: loaded together, and only when there is something to send. */
export const fuzzModules = { fuzzGuard, fuzzImport, fuzzWebhook };
