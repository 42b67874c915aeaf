import { z } from "zod";
import { nonEmptyText } from "../protocol/non-empty-text.ts";
import { schemaParts } from "../protocol/schema-parts.ts";
import { ipAddressSchema } from "./ip-address.ts";
import { roles } from "./roles.ts";

/** A user, for checks that need one whom a guard treats in a certain way. */
const somebody = z.strictObject({
  user: z.enum(roles).optional().describe("role of the user; default the one of `login`"),
  ip: ipAddressSchema(schemaParts).optional().describe("where the login comes from; default the one of `login`"),
});
const fieldValue = z.union([z.string(), z.array(z.string()), z.boolean()]);
/** What a user does on the page of a guard. */
const pageWork = z.strictObject({
  fill: z
    .record(z.string(), z.union([fieldValue, z.partialRecord(z.enum(roles), fieldValue)]))
    .optional()
    .describe("values for its fields, true or false for a checkbox; an object by role where users have different ones"),
  press: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe("the buttons to press, by name, value, id or text"),
});
const verifiedGuard = z.strictObject({
  lets: somebody.optional().describe("a user whom it lets in on the first call"),
  denies: somebody.optional().describe("a user whom it denies, or sends to its page"),
  pass: pageWork.optional().describe("how its page is passed"),
  fail: pageWork.optional().describe("how its page is failed"),
});

/** The headers of a delivery that say whom it is for (interface 2.6), which its signature does not cover. */
export const recipientHeaders = ["module", "organization"] as const;
const verifiedWebhook = z.strictObject({
  compares: z
    .array(z.enum(recipientHeaders))
    .describe("what the app compares with its own values before it accepts a delivery, in addition to the signature"),
});

/** A finding that the app's owner knows about and accepts until a certain day. */
export const knownFindingSchema = z.strictObject({
  id: nonEmptyText.describe("id of the check"),
  module: nonEmptyText.optional().describe("key of the module; default any"),
  reason: nonEmptyText.describe("why it is left as it is"),
  until: z.iso.date("expected a day such as 2030-01-31").describe("the last day on which it does not fail, in UTC"),
});

/** The setting `verify`. */
export const verifySettings = z.strictObject({
  guards: z.record(z.string(), verifiedGuard).describe("what `verify` cannot find out about guards, by their keys"),
  webhooks: z
    .record(z.string(), verifiedWebhook)
    .describe("what `verify` cannot find out about webhooks, by their keys"),
  oauth: z
    .strictObject({
      start: nonEmptyText.describe("the app's login link, relative to its url"),
      use: nonEmptyText.optional().describe("a page of the app that calls the API"),
    })
    .nullable()
    .describe("how the app logs its users in by OAuth; null: it does not"),
  fixtures: z.array(nonEmptyText).describe("fixtures or jobs to verify imports with, relative to the config file"),
  known: z.array(knownFindingSchema).describe("findings that do not fail a run until a certain day, but stay visible"),
});
