import { z } from "zod";
import { nonEmptyText } from "../protocol/non-empty-text.ts";
import { isHttpUrl } from "../protocol/url.ts";

const moduleUrl = addressSchema();
const pageUrl = addressSchema("a redirect or frame guard needs the address of its page");

/**
 * An address of an app: relative to app_base_url, or absolute (interface 2.1).
 * @param expected the message if it is missing
 */
function addressSchema(expected?: string) {
  return z
    .string(expected)
    .refine((url) => url.startsWith("/") || isHttpUrl(url), 'must begin with "/" or be an http(s) URL');
}

const applyToAdmins = z.boolean().optional();
const guardOptions = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("direct"), applyToAdmins, url: moduleUrl.optional() }),
  z.looseObject({ type: z.literal("redirect"), applyToAdmins, url: pageUrl }),
  z.looseObject({ type: z.literal("frame"), applyToAdmins, url: pageUrl }),
]);

const guardEntry = z.looseObject({
  key: nonEmptyText,
  name: nonEmptyText,
  description: z.string().nullish(),
  url: moduleUrl,
  options: guardOptions,
});

const importEntry = z.looseObject({
  key: nonEmptyText,
  url: moduleUrl,
  signaturePatterns: z
    .looseObject({ fileName: nonEmptyText.optional(), fileContent: nonEmptyText.optional() })
    .optional(),
});

/** The names of product editions in `environments` (interface 2.1). */
const environmentNames = ["platform", "platform-enterprise"] as const;
export type Environment = (typeof environmentNames)[number];

/** A webhook's key is sent in a header (RFC 9110, 5.5). */
const headerKey = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, "must be visible ASCII: it is sent in the header X-Module-Key");

const webhookEntry = z.looseObject({
  key: headerKey,
  url: moduleUrl,
  events: z.array(nonEmptyText).min(1, "must name at least one event"),
  environments: z.array(z.enum(environmentNames)).optional(),
});

export const entrySchemas = { "auth-guard": guardEntry, "file-post-import": importEntry, webhook: webhookEntry };
export type ModuleType = keyof typeof entrySchemas;
export type EntryOf<Type extends ModuleType> = z.infer<(typeof entrySchemas)[Type]>;

export const eventsSchema = z.looseObject({
  installed: addressSchema().nullish(),
  uninstall: addressSchema().nullish(),
});
