import type { OptionsOf } from "../../action/define-action.ts";
import { InvalidFlagError } from "../../action/flags.ts";
import { ipAddressSchema } from "../../config/ip-address.ts";
import { type Role, roles } from "../../config/roles.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import type { SchemaParts } from "../../protocol/schema-parts.ts";
import type { PlainStage } from "../rules/login.ts";

/**
 * Values for the fields of the app's form, by field name; several if fields share a name. `KEY:name` applies only to
 * the page of the guard with that key.
 */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** A button to press, by its text, value, id or name; several for successive pages. */
export type ButtonNames = string | readonly string[];

/** How the app's form is filled in and submitted. */
export interface FormAnswers {
  /** Values for the fields of the app's form, by field name; several if fields share a name. */
  readonly fill?: FormValues | undefined;
  /**
   * The button to press; several for successive pages; default the form's first. An object names the buttons of each
   * guard by its key, `{ terms: "accept" }`; so does the text `terms=accept`.
   */
  readonly press?: ButtonNames | Readonly<Record<string, ButtonNames>> | undefined;
}

/**
 * What happens at the page of a redirect or frame guard if nobody is there to use it (interface 3.1, awaiting user
 * interaction): `"wait"` for a person, skip the page with a code or an error, submit its form over HTTP, or walk it in
 * a headless Chromium.
 */
export type PageOption =
  | "wait"
  | {
      /** The code to come back with, as if the app had issued it. */
      readonly code: string;
    }
  | {
      /** The error to come back with. */
      readonly error: string;
    }
  | FormAnswers
  | {
      /** How a headless Chromium walks the page. */
      readonly browser: {
        /** Values for the fields of the app's form, by the field's name. */
        readonly fill?: FormValues | undefined;
        /** The button to press; several for successive pages; an object for the buttons of each guard. */
        readonly press?: FormAnswers["press"];
        /** Path of the Chromium to start; default an installed one. */
        readonly executable?: string | undefined;
      };
    };

/** Stages that can be failed on purpose, and how often each is failed before it is completed. */
export interface FailedStages extends Readonly<Partial<Record<PlainStage, number | undefined>>> {
  /** How often the password stage fails. */
  readonly password?: number | undefined;
  /** How often the second factor fails. */
  readonly mfa?: number | undefined;
  /** How often the device trust stage fails. */
  readonly "device-trust"?: number | undefined;
  /** How often the remember-me stage fails. */
  readonly "remember-me"?: number | undefined;
}

/** Options of `guard()` and `login()`. */
export interface LoginOptions {
  /** Keys of the guards to run, in this order; default all, in the order of the apps and their manifests. */
  readonly modules?: readonly string[] | undefined;
  /** Role of the user who logs in; default the setting `login.user`. */
  readonly user?: Role | undefined;
  /** IPv4 or IPv6 address from which the user logs in; default the setting `login.ipAddress`. */
  readonly ipAddress?: string | undefined;
  /** Whether to ask for a second factor; default the setting `login.mfa`. */
  readonly mfa?: boolean | undefined;
  /** Whether to ask for a trusted device; default the setting `login.deviceTrust`. */
  readonly deviceTrust?: boolean | undefined;
  /** Whether to ask to remember the user; default the setting `login.rememberMe`. */
  readonly rememberMe?: boolean | undefined;
  /** Seconds that a user may take for a stage or a page. */
  readonly interactionTimeout?: number | undefined;
  /** What happens at the page of a guard; by default the login ends when a guard asks for its user. */
  readonly page?: PageOption | undefined;
  /** How often to fail a stage on purpose before completing it. */
  readonly fail?: FailedStages | undefined;
  /** Whether to wait for a person at the stages that are not guards. */
  readonly manual?: boolean | undefined;
}

const AT_LEAST_ONE_KEY = "an empty list names no guard: give some keys, or omit the option to run all";

/** Definitions of {@link LoginOptions}. */
export const loginOptions: OptionsOf<LoginOptions> = {
  modules: {
    flag: "--module <key...>",
    help: "call only these guards, in this order (default: all, in the order of the manifest)",
    schema: (z) => z.array(z.string()).min(1, AT_LEAST_ONE_KEY).readonly(),
  },
  user: { help: "role of the user who logs in", schema: (z) => z.enum(roles) },
  ipAddress: { help: "IP address of the user, IPv4 or IPv6", schema: ipAddressSchema },
  mfa: { help: "turn on the second factor", schema: (z) => z.boolean() },
  deviceTrust: { help: "turn on the device trust stage", schema: (z) => z.boolean() },
  rememberMe: { help: "turn on the remember-me stage", schema: (z) => z.boolean() },
  interactionTimeout: {
    help: "time limit for a user at a stage or a page, in seconds",
    schema: (z) => z.number("expected a number of seconds").positive(),
  },
  page: { help: "what happens at the page of a guard (default: the login ends there)", schema: (z) => pageSchema(z) },
  fail: {
    flag: "--fail <stage[:times]>",
    help: "fail a stage on purpose: password, mfa, device-trust or remember-me; may be repeated",
    read: failedStages,
    schema: (z) => {
      const times = z.number().int().positive();
      return z.strictObject({ password: times, mfa: times, "device-trust": times, "remember-me": times }).partial();
    },
  },
  manual: { help: "wait for a person at the stages that are not guards", schema: (z) => z.boolean() },
};

/**
 * What `page` may be.
 * @param mayNameProgram whether it may name the Chromium to start, which an untrusted file must not
 */
export function pageSchema(z: SchemaParts, mayNameProgram = true) {
  const fill = z
    .record(z.string(), z.union([z.string(), z.array(z.string()).readonly()]))
    .describe(
      "values for the fields of the app's form, by the field's name; several where fields share a name; KEY:name for one guard",
    );
  const buttons = z.union([z.string().min(1), z.array(z.string().min(1)).readonly()]);
  const press = z
    .union([buttons, z.record(z.string().min(1), buttons)], {
      error:
        'expected a button, a list of them, or an object with the buttons of each guard, such as { terms: "accept" }',
    })
    .optional()
    .describe(
      "the button to press, by its text, value, id or name; several for pages that follow each other; default the form's first; for one guard KEY=button, or an object with its key",
    );
  const walked = { fill: fill.optional(), press };
  const executable = z.string().optional().describe("the Chromium to start; default an installed one");
  const browser = z.strictObject(mayNameProgram ? { ...walked, executable } : walked);
  return z.union(
    [
      z.literal("wait").describe("wait for a person to open the page"),
      z.strictObject({ code: z.string().min(1) }).describe("play the app's page: return with this code"),
      z.strictObject({ error: z.string().min(1) }).describe("play the app's page: return with this error"),
      z.strictObject(walked).describe("open the page over HTTP and submit its form as a browser without scripts would"),
      z.strictObject({ browser }).describe("walk the page in a headless Chromium"),
    ],
    { error: 'expected "wait", { code }, { error }, { fill?, press? } or { browser: { fill?, press? } }' },
  );
}

/** More than the tries that a stage allows. */
const ALWAYS = 100;
const failableStages = ["password", "mfa", "device-trust", "remember-me"];

/** Reads `stage` or `stage:times`. */
function failedStages(text: string, earlier: FailedStages = {}): FailedStages {
  const [, stage = "", times] = /^([a-z-]+)(?::([1-9]\d?))?$/.exec(text) ?? [];
  if (!failableStages.includes(stage)) {
    const meant = stage === "" ? "" : didYouMean(stage, failableStages);
    throw new InvalidFlagError(`Expected ${failableStages.join(", ")}, and how often, such as mfa:1.${meant}`);
  }
  return { ...earlier, [stage]: times === undefined ? ALWAYS : Number(times) };
}
