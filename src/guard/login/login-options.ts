import { z } from "zod";
import { ipAddressSchema, roles } from "../../config/schema.ts";

const fillSchema = z
  .record(z.string(), z.union([z.string(), z.array(z.string()).readonly()]))
  .describe("values for the fields of the app's form, by the field's name; several where fields share a name");
const pressSchema = z
  .union([z.string().min(1), z.array(z.string().min(1)).readonly()])
  .optional()
  .describe(
    "the button to press, by its text, value, id or name; several where pages follow each other; default the form's first",
  );

/** What a guard that asks for its user gets, where no person is there (interface 3.1, awaiting user interaction). */
const pageSchema = z.union(
  [
    z.literal("wait").describe("wait for a person to open the page"),
    z.strictObject({ code: z.string().min(1) }).describe("play the app's page: return with this code"),
    z.strictObject({ error: z.string().min(1) }).describe("play the app's page: return with this error"),
    z
      .strictObject({ fill: fillSchema, press: pressSchema })
      .describe("open the page over HTTP and submit its form as a browser without scripts would"),
    z
      .strictObject({
        browser: z.strictObject({
          fill: fillSchema.optional(),
          press: pressSchema,
          executable: z.string().optional().describe("the Chromium to start; default one that is installed"),
        }),
      })
      .describe("walk the page in a headless Chromium"),
  ],
  { error: 'expected "wait", { code }, { error }, { fill, press? } or { browser: { fill?, press?, executable? } }' },
);

const times = z.number().int().positive();

/** Options of a login. */
export const loginOptionsSchema = z.strictObject({
  modules: z
    .array(z.string())
    .readonly()
    .optional()
    .describe("keys of the guards to run, in this order; default all, in the order of the apps and their manifests"),
  user: z.enum(roles).optional(),
  ipAddress: ipAddressSchema.optional().describe("IPv4 or IPv6"),
  mfa: z.boolean().optional(),
  deviceTrust: z.boolean().optional(),
  rememberMe: z.boolean().optional(),
  interactionTimeout: z.number().positive().optional().describe("seconds that a user may take at a stage or page"),
  page: pageSchema.optional().describe("default: the login ends where a guard asks for its user"),
  fail: z
    .strictObject({ password: times, mfa: times, "device-trust": times, "remember-me": times })
    .partial()
    .optional()
    .describe("how often to fail a stage on purpose before it is done right"),
  manual: z.boolean().optional().describe("wait for a person at the stages that are not guards"),
});
export type LoginOptions = z.input<typeof loginOptionsSchema>;
export type PageOption = z.infer<typeof pageSchema>;
