import { z } from "zod";
import { parseFault } from "../../platform/faults.ts";
import { parseDuration } from "../../protocol/duration.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { pathPattern, statusCode } from "../exchange-matcher.ts";
import { importOptionsSchema } from "../import/import-options.ts";
import { loginOptionsSchema } from "../login/login-options.ts";
import { oauthLoginOptionsSchema } from "../oauth-login/oauth-login-options.ts";
import { installOptionsSchema } from "../run-install.ts";
import { webhookOptionsSchema } from "../webhook/webhook-options.ts";

/** Nobody waits longer for one step: an hour. */
const LONGEST_MS = 3_600_000;

/** A text that this function takes; what it says of others is what is wrong with them. */
function textFor(parse: (text: string) => unknown): z.ZodString {
  return z.string().superRefine((text, context) => {
    try {
      parse(text);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      context.addIssue({ code: "custom", message: `${error.message} (${error.hint})` });
    }
  });
}

const anyDuration = textFor(parseDuration);
const duration = textFor((text) => {
  const milliseconds = parseDuration(text);
  if (milliseconds > LONGEST_MS) throw new UsageError("duration-long", `${text} is too long`, "at most 1h");
  return milliseconds;
}).describe("real time, such as 2s or 500ms, at most 1h");
const faultText = textFor((text) => (text === "clear" ? text : parseFault(text)));

/** `GET /api/v2/projects`, or a path alone for any method. */
const callText = z
  .string()
  .superRefine((text, context) => {
    const { method, path } = callIn(text);
    const parsed = pathPattern.safeParse(path);
    const isMethod = method === undefined || /^[A-Z]+$/.test(method);
    if (parsed.success && isMethod) return;
    const message = `expected a method and a path, or a path alone, without a query: GET /api/v2/projects${
      parsed.success ? "" : `; ${parsed.error.issues[0]?.message}`
    }`;
    context.addIssue({ code: "custom", message });
  })
  .describe("method and path, or a path alone; * stands for one segment, ** at the end for the rest");

/** Method, if there is one, and path of a call as it is written in a scenario. */
export function callIn(text: string): { readonly method: string | undefined; readonly path: string } {
  const [first = "", ...rest] = text.split(" ");
  return rest.length === 0 ? { method: undefined, path: first } : { method: first, path: rest.join(" ") };
}

const eventName = z.string().min(1);
const delivery = webhookOptionsSchema.extend({
  events: z.union([eventName, z.array(eventName).min(1)]).optional(),
  delay: z
    .union([duration, z.strictObject({ min: duration, max: duration })])
    .optional()
    .describe("before each delivery, by the seed where there are two bounds"),
});

const deliveryEnd = z.enum(["acknowledged", "refused"]);
const deliveryExpectation = z.strictObject({
  result: deliveryEnd.optional().describe("default acknowledged; refused where something is tampered with"),
  status: statusCode.optional().describe("of the last attempt at each delivery"),
  within: duration.optional().describe("for each attempt"),
  attempts: z.number().int().min(1).optional().describe("at each delivery"),
});

const times = z
  .strictObject({ min: z.number().int().min(0).optional(), max: z.number().int().min(1).optional() })
  .refine(({ min = 0, max = min }) => min <= max, "min is larger than max");

const seen = {
  within: duration.optional().describe("default 10s; over at once when nothing more can come of it"),
  times: times.optional().describe("default at least once; for a largest number the whole time is watched"),
  status: statusCode.optional().describe("what the platform answered; calls that it answered otherwise do not count"),
};

const oauthLogin = oauthLoginOptionsSchema.pick({ start: true, user: true, deny: true, use: true });
const guardedLogin = loginOptionsSchema.omit({ manual: true }).extend({
  page: loginOptionsSchema.shape.page.refine(
    (page) => page !== "wait",
    "nobody opens a page in a scenario: expected { code }, { error }, { fill, press? } or { browser }",
  ),
});
const loginEnd = z.enum(["granted", "denied"]).optional().describe("default granted; denied: a guard says no");
const fixtureFile = z.string().min(1).describe("a fixture; from where the scenario lies");
const imported = importOptionsSchema.pick({ via: true, occasion: true, user: true }).extend({ file: fixtureFile });
const importEnd = z.enum(["imported", "not-modified", "failed"]).optional().describe("of every job; default imported");

/** What the members of a step are, by the one that says what kind of step it is. */
export const stepSchemas = {
  deliver: z.strictObject({ deliver: delivery, expect: deliveryExpectation.optional() }),
  login: z.strictObject({ login: oauthLogin }),
  guard: z.strictObject({ guard: guardedLogin, expect: loginEnd }),
  import: z.strictObject({ import: imported, expect: importEnd }),
  install: z.strictObject({ install: installOptionsSchema }),
  uninstall: z.strictObject({ uninstall: installOptionsSchema }),
  wait: z.strictObject({ wait: duration }),
  advance: z.strictObject({ advance: anyDuration.describe("of the platform's clock") }),
  fault: z.strictObject({ fault: z.array(faultText).min(1) }),
};

/** What an expectation of the app's calls may say, by the member that says what is expected. */
export const expectationSchemas = {
  call: z.strictObject({ call: callText, ...seen }),
  token: z.strictObject({ token: z.string().describe("grant type of a request for tokens"), ...seen }),
  no: z.strictObject({ no: callText, within: duration.optional().describe("default 2s") }),
};

type StepOf<Kind extends keyof typeof stepSchemas> = z.infer<(typeof stepSchemas)[Kind]> & { readonly kind: Kind };
type ExpectationOf<Kind extends keyof typeof expectationSchemas> = z.infer<(typeof expectationSchemas)[Kind]> & {
  readonly kind: Kind;
};

export type DeliverAction = StepOf<"deliver">;
export type LoginAction = StepOf<"login">;
export type GuardAction = StepOf<"guard">;
export type ImportAction = StepOf<"import">;
export type ExpectAction = ExpectationOf<"call"> | ExpectationOf<"token"> | ExpectationOf<"no">;

/** What a step does. */
export type Action =
  | DeliverAction
  | LoginAction
  | GuardAction
  | ImportAction
  | ExpectAction
  | StepOf<"install">
  | StepOf<"uninstall">
  | StepOf<"wait">
  | StepOf<"advance">
  | StepOf<"fault">;

/** One step of a scenario, and where it stands. */
export interface Step {
  readonly line: number;
  readonly action: Action;
}

/** A scenario file; its steps are looked at one by one. */
export const scenarioFileSchema = z.strictObject({
  $schema: z.string().optional().describe("where an editor finds this schema"),
  name: z.string().min(1).optional().describe("what it is about; default the name of the file"),
  seed: webhookOptionsSchema.shape.seed,
  steps: z.array(z.unknown()).min(1, "expected at least one step").describe("one after another"),
});

/** The JSON Schema of a scenario file, for editors: with the short forms that a file may use. */
export function scenarioJsonSchema(): unknown {
  const { deliver, login, guard, import: importing, install, uninstall, wait, advance, fault } = stepSchemas;
  const often = z.union([z.number().int().min(1), times]).optional();
  const file = scenarioFileSchema.extend({
    steps: z
      .array(
        z.union([
          deliver.extend({
            deliver: z.union([eventName, z.array(eventName).min(1), delivery]),
            expect: z.union([deliveryEnd, deliveryExpectation]).optional(),
          }),
          login.extend({ login: z.union([oauthLogin.shape.start, oauthLogin]) }),
          guard.extend({ guard: z.union([z.literal(true), guardedLogin]) }),
          importing.extend({ import: z.union([fixtureFile, imported]) }),
          install.extend({ install: z.union([z.literal(true), installOptionsSchema]) }),
          uninstall.extend({ uninstall: z.union([z.literal(true), installOptionsSchema]) }),
          z.strictObject({
            expect: z.union([
              expectationSchemas.call.extend({ times: often }),
              expectationSchemas.token.extend({ times: often }),
              expectationSchemas.no,
            ]),
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
