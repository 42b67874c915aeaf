import { z } from "zod";
import type { Choices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { ClockState } from "../platform/platform-clock.ts";
import type { Progress, StartedCall } from "../platform/simulator-options.ts";
import type { UsageCode } from "../protocol/usage-codes.ts";
import type { Problem } from "../protocol/usage-error.ts";

/** Addresses at which a running platform is changed; no organization can have this name. */
export const CONTROL_PATHS = { clock: "/-/clock", faults: "/-/faults" } as const;

export const clockChangeSchema = z.union([
  z.strictObject({ advance: z.string() }),
  z.strictObject({ set: z.string() }),
  z.strictObject({ freeze: z.union([z.string(), z.literal(true)]) }),
  z.strictObject({ resume: z.literal(true) }),
  z.strictObject({ reset: z.literal(true) }),
]);
export type ClockChange = z.infer<typeof clockChangeSchema>;

export const faultsChangeSchema = z.union([
  z.strictObject({ add: z.array(z.string()).min(1) }),
  z.strictObject({ clear: z.literal(true) }),
]);
export type FaultsChange = z.infer<typeof faultsChangeSchema>;

export const clockStateSchema = z.strictObject({ now: z.string(), frozen: z.boolean(), offsetMs: z.number() });

/** The faults that are still pending. */
export const faultListSchema = z.strictObject({
  faults: z.array(z.strictObject({ fault: z.string(), left: z.number().nullable() })),
});

/** Where a command requests another link to the inspector. */
export const INSPECTOR_LINKS_PATH = "/-/inspector/links";
/** Where a command requests its settings on a running platform. */
export const SETTINGS_PATH = "/-/settings";
/** Where a command runs an action; the answer is lines of JSON, each a {@link Frame}. */
export const actionPath = (name: string): string => `/-/actions/${name}`;
/** Where a command calls a function of a running action, or aborts it. */
export const runningPath = (id: string): string => `/-/running/${id}`;

const givenSchema = z.strictObject({
  value: z.record(z.string(), z.unknown()),
  origins: z.record(z.string(), z.string()),
});

export const settingsRequestSchema = z.strictObject({ given: givenSchema });
export const actionRequestSchema = z.strictObject({ given: givenSchema, cwd: z.string(), args: z.array(z.unknown()) });
/** `call`: the number of a function. */
export const runningRequestSchema = z.union([
  z.strictObject({ abort: z.literal(true) }),
  z.strictObject({ call: z.number().int(), args: z.array(z.unknown()) }),
]);

/** A user's mistake that an action found, in transit. */
export interface WireProblem {
  readonly code: UsageCode;
  readonly message: string;
  readonly hint: string;
  readonly problems: readonly Problem[];
}

/** What a platform tells a command about its action, one object per line; the last one has `result` or `failed`. */
export type Frame =
  /** Identifies the action, for {@link runningPath}. */
  | { readonly started: string }
  | { readonly record: JournalRecord }
  | { readonly call: StartedCall }
  | { readonly pause: number }
  | { readonly progress: Progress }
  /** Calls a function of the command. */
  | { readonly event: number; readonly args: readonly unknown[] }
  | { readonly result: unknown }
  | { readonly failed: { readonly mistake: WireProblem } | { readonly bug: string } | { readonly ended: true } };

/** What a command works with on a running platform. */
export interface SettledSettings {
  readonly url: string;
  readonly config: Config;
  readonly choices: Choices;
  readonly clock: ClockState;
}
