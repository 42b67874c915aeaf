import { z } from "zod";
import { roles } from "../config/schema.ts";

/** Options of a login by OAuth without a person. */
export const oauthLoginOptionsSchema = z.strictObject({
  start: z
    .string()
    .min(1)
    .describe("the app's own login link: relative to the app's url, or a whole address of a configured app"),
  user: z.enum(roles).optional().describe("who consents; default the user who logs in"),
  deny: z.boolean().optional().describe("the user declines; default they approve"),
  use: z
    .string()
    .min(1)
    .optional()
    .describe("address of the app that makes it call the API; default the page on which the login ends"),
  refresh: z
    .boolean()
    .optional()
    .describe("whether the platform's clock is turned past the life of the access token, twice; default true"),
  forge: z
    .boolean()
    .optional()
    .describe("whether a second login, in another browser, ends with a forged callback; default true"),
  strict: z.boolean().optional().describe("whether a warning fails the login; default false"),
});
export type OAuthLoginOptions = z.input<typeof oauthLoginOptionsSchema>;
