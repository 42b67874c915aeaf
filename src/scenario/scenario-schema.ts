import { z } from "zod";
import { schemaOf } from "../action/check-options.ts";
import { loginOptions, pageSchema } from "../guard/login/login-options.ts";
import { installOptions } from "../install/install-options.ts";
import { oauthLoginOptions } from "../oauth-login/oauth-login-options.ts";
import { statusCode } from "../platform/exchange-matcher.ts";
import { importOptions } from "../post-import/run/import-options.ts";
import { parseDuration } from "../protocol/duration.ts";
import { schemaParts } from "../protocol/schema-parts.ts";
import { webhookOptions } from "../webhook/webhook-options.ts";
import { anyDuration, callText, duration, faultText } from "./scenario-texts.ts";

const loginSchema = schemaOf(loginOptions);
// A scenario may come from elsewhere: only the user decides the target.
const webhookSchema = schemaOf(webhookOptions).omit({ allowPublic: true, diagnose: true });
const installSchema = schemaOf(installOptions);

const eventName = z.string().min(1);
const delivery = webhookSchema.extend({
  events: z.union([eventName, z.array(eventName).min(1)]).optional(),
  delay: z
    .union(
      [
        duration,
        z
          .strictObject({ min: duration, max: duration })
          .refine(({ min, max }) => parseDuration(min) <= parseDuration(max), "min is longer than max"),
      ],
      "expected a duration with its unit, such as 2s, or { min, max }",
    )
    .optional()
    .describe("before each delivery; between two bounds the seed decides"),
  respell: z
    .boolean()
    .optional()
    .describe("spell the JSON of the first delivery of each module with other spaces and escapes; default false"),
});

const deliveryEnd = z.enum(["acknowledged", "refused"]);
const deliveryExpectation = z.strictObject({
  result: deliveryEnd
    .optional()
    .describe("of every delivery; default acknowledged; with `tamper` only tampered deliveries must be refused"),
  status: statusCode.optional().describe("of the last attempt of each delivery; with `tamper`, of the tampered ones"),
  within: duration.optional().describe("for each attempt"),
  attempts: z.number().int().min(1).optional().describe("at each delivery"),
});

const count = z.number().int();
const times = z.union(
  [
    count.min(1).transform((exactly) => ({ min: exactly, max: exactly })),
    z
      .strictObject({
        min: count.min(0).optional(),
        max: count.min(1, "expected at least 1; to expect none at all, use expect: { no: GET /path }").optional(),
      })
      .refine(({ min = 0, max = min }) => min <= max, "min is larger than max"),
  ],
  "expected a number from 1, or { min, max }; to expect none at all, use expect: { no: GET /path }",
);

/** Default of `within`. */
const usualWithin = { call: "10s", token: "10s", no: "2s" } as const;

/** How long an expectation waits, in real time. */
export function withinOf({ kind, within = usualWithin[kind] }: ExpectAction): string {
  return within;
}

const seen = {
  within: duration
    .optional()
    .describe(`default ${usualWithin.call}; ends early once the outcome is certain; at most 1h`),
  times: times
    .optional()
    .describe(
      "default at least once; counts calls since the scenario started that no earlier step matched; with a maximum, the whole time is watched",
    ),
  status: statusCode.optional().describe("status of the platform's answer; calls with another answer do not count"),
};

const oauthLogin = schemaOf(oauthLoginOptions).pick({ start: true, user: true, deny: true, use: true });
const guardedLogin = loginSchema.omit({ manual: true }).extend({
  page: pageSchema(schemaParts, false)
    .refine(
      (page) => page !== "wait",
      "nobody opens a page in a scenario: expected { code }, { error }, { fill, press? } or { browser }",
    )
    .optional(),
});
const loginEnd = z
  .enum(["granted", "denied", "refused"])
  .optional()
  .describe("default granted; denied: a guard says no; refused: a guard answers 401 or 403");
const installEnd = z
  .enum(["accepted", "failed"])
  .optional()
  .describe("default accepted; failed: an app answers anything but 2XX");
const fixtureFile = z.string().min(1).describe("a fixture, relative to the scenario");
const imported = schemaOf(importOptions).pick({ via: true, occasion: true, user: true }).extend({ file: fixtureFile });
const importEnd = z.enum(["imported", "not-modified", "failed"]).optional().describe("of every job; default imported");

/** The members of a step, by the member that names its kind. */
export const stepSchemas = {
  deliver: z.strictObject({ deliver: delivery, expect: deliveryExpectation.optional() }),
  login: z.strictObject({ login: oauthLogin }),
  guard: z.strictObject({ guard: guardedLogin, expect: loginEnd }),
  import: z.strictObject({ import: imported, expect: importEnd }),
  install: z.strictObject({ install: installSchema, expect: installEnd }),
  uninstall: z.strictObject({ uninstall: installSchema, expect: installEnd }),
  wait: z.strictObject({ wait: duration }),
  advance: z.strictObject({ advance: anyDuration.describe("of the platform's clock") }),
  fault: z.strictObject({ fault: z.array(faultText, "expected a fault, such as api=503x1, or a list of them").min(1) }),
};

/** The choices of the platform decide which ones are allowed. */
const grantType = z
  .string()
  .min(1)
  .meta({ examples: ["authorization_code", "refresh_token"] })
  .describe("grant type of a request for tokens");

/** The members of an expectation, by the member that names its kind. */
export const expectationSchemas = {
  call: z.strictObject({ call: callText, ...seen }),
  token: z.strictObject({ token: grantType, ...seen }),
  no: z.strictObject({
    no: callText.describe(
      "a call, written as in `call`, that must not come after the last step that did something (neither an expectation nor a wait) and that no earlier step matched",
    ),
    within: duration.optional().describe(`how long to watch; default ${usualWithin.no}; at most 1h`),
  }),
};

type ActionsOf<Schemas extends Readonly<Record<string, z.ZodType>>> = {
  [Kind in keyof Schemas]: z.infer<Schemas[Kind]> & { readonly kind: Kind };
};
type Steps = ActionsOf<typeof stepSchemas>;

export type DeliverAction = Steps["deliver"];
export type LoginAction = Steps["login"];
export type GuardAction = Steps["guard"];
export type ImportAction = Steps["import"];
export type InstallAction = Steps["install"] | Steps["uninstall"];
export type ExpectAction = ActionsOf<typeof expectationSchemas>[keyof typeof expectationSchemas];
export type Action = Steps[keyof Steps] | ExpectAction;

/** Whether the app must refuse what the step sends. */
export function isTampered({ deliver: { tamper = [] } }: DeliverAction): boolean {
  return tamper.length > 0;
}

export interface Step {
  readonly line: number;
  readonly action: Action;
}

/** A scenario file; its steps are parsed one by one. */
export const scenarioFileSchema = z.strictObject({
  $schema: z.string().optional().describe("where an editor finds this schema"),
  name: z.string().min(1).optional().describe("what it tests; default the file name"),
  seed: webhookSchema.shape.seed,
  steps: z.array(z.unknown()).min(1, "expected at least one step").describe("one after another"),
});

/** The JSON Schema of a scenario file for editors, with its short forms. */
export function scenarioJsonSchema(): unknown {
  const { deliver, login, guard, import: importing, install, uninstall, wait, advance, fault } = stepSchemas;
  const delivered = delivery.meta({
    anyOf: ["events", "data"].map((name) => ({ type: "object", properties: { [name]: {} }, required: [name] })),
  });
  const file = scenarioFileSchema.extend({
    steps: z
      .array(
        z.union([
          deliver.extend({
            deliver: z.union([eventName, z.array(eventName).min(1), delivered]),
            expect: z.union([deliveryEnd, deliveryExpectation]).optional(),
          }),
          login.extend({ login: z.union([z.literal(true), oauthLogin.shape.start.unwrap(), oauthLogin]) }),
          guard.extend({ guard: z.union([z.literal(true), guardedLogin]) }),
          importing.extend({ import: z.union([fixtureFile, imported]) }),
          install.extend({ install: z.union([z.literal(true), installSchema]) }),
          uninstall.extend({ uninstall: z.union([z.literal(true), installSchema]) }),
          z.strictObject({
            expect: z.union([expectationSchemas.call, expectationSchemas.token, expectationSchemas.no]),
          }),
          wait,
          advance,
          fault.extend({ fault: z.union([faultText, z.array(faultText).min(1)]) }),
        ]),
      )
      .min(1),
  });
  return z.toJSONSchema(file, { io: "input", unrepresentable: "any" });
}
