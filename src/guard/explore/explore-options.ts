import type { z } from "zod";
import { loginOptionsSchema, type PageOption } from "../login/login-options.ts";

const { modules, user, ipAddress, page } = loginOptionsSchema.shape;

/** Options of an exploration. */
export const exploreOptionsSchema = loginOptionsSchema
  .pick({ modules: true, user: true, ipAddress: true, interactionTimeout: true, page: true })
  .extend({
    modules: modules.describe("keys of the guards to explore; default all"),
    user: user.describe("who is tried first, before every other user"),
    ipAddress: ipAddress.describe("the address that is tried first, before those of the exploration; IPv4 or IPv6"),
    page: page
      .refine(leadsToCode, "expected { code }, { fill } or { browser }: an exploration waits for nobody")
      .describe("how the app's own page is walked to a code that the app accepts; default { fill: {} } for redirect"),
  });
export type ExploreOptions = z.input<typeof exploreOptionsSchema>;

function leadsToCode(option: PageOption | undefined): boolean {
  return option === undefined || (option !== "wait" && !("error" in option));
}
