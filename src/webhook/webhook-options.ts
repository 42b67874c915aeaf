import type { OptionsOf } from "../action/define-action.ts";
import { InvalidFlagError, millisecondsWithUnit, repeated, wholeNumber, wholeNumberBetween } from "../action/flags.ts";
import type { SchemaParts } from "../protocol/schema-parts.ts";
import { type Tampering, tamperings } from "../protocol/webhook.ts";

/** Maximum number of events of each name in one run; `load` sends more. */
const COUNT_LIMIT = 100_000;
/** Longest pause before a delivery, in milliseconds: an hour. */
const DELAY_LIMIT_MS = 3_600_000;
const SEED_LIMIT = 2 ** 31 - 1;

/** The content of deliveries. */
export interface EventOptions {
  /** Events of each name, up to 100,000; default 1, or as many as `data` lists payloads. */
  readonly count?: number | undefined;
  /** Maximum number of events in one body, up to 100,000; default the choice `webhook.batch.events`. */
  readonly batch?: number | undefined;
  /**
   * Payload of the events: the fields of one, a list of them, or a body with `events`; may hold templates. Default
   * the file NAME.json in `fixtures`, else the fields of interface 2.6.
   */
  readonly data?: unknown;
  /**
   * Fields of the events to replace, by their paths: `{ "project.id": 42 }`, where a string stays a string; or
   * `path=value` pairs as on the command line, `path:=JSON` for a new field or a value of any type.
   */
  readonly set?: Readonly<Record<string, unknown>> | readonly string[] | undefined;
  /** Seed of everything random, 0 to 2³¹ - 1; default a new one. */
  readonly seed?: number | undefined;
  /** Directory with a payload NAME.json for events; default fixtures/events, if it exists. */
  readonly fixtures?: string | undefined;
}

/** Options of `webhook()`, and flags of `app-sim webhook`. */
export interface WebhookOptions extends EventOptions {
  /** Sends every delivery this many more times, 1 to 100. */
  readonly duplicate?: number | undefined;
  /** Sends events and deliveries in another order, decided by the seed. */
  readonly shuffle?: boolean | undefined;
  /** Milliseconds before each delivery, up to an hour; the seed picks a value between two bounds. */
  readonly delay?:
    | number
    | {
        /** Minimum, in milliseconds. */
        readonly min: number;
        /** Maximum, in milliseconds. */
        readonly max: number;
      }
    | undefined;
  /** The share of deliveries, 0 to 1, that is lost; the seed decides which. */
  readonly drop?: number | undefined;
  /** Also sends deliveries with these faults, which the app must refuse (interface 5.1). */
  readonly tamper?: Tampering | "all" | readonly (Tampering | "all")[] | undefined;
  /**
   * Spells the JSON of the first delivery to each module as no usual serializer does, if nothing is tampered with. An
   * app that refuses it with 400, 401 or 403 gets it again as `JSON.stringify` writes it; if it acknowledges that, a
   * warning says so. Default false; `app-sim webhook` does it unless `--no-respell` is given.
   */
  readonly respell?: boolean | undefined;
  /**
   * Finds out why an app refuses every correct delivery to a module with 400, 401 or 403: sends deliveries signed in
   * other ways until it acknowledges one. Default false.
   */
  readonly diagnose?: boolean | undefined;
  /** Sends the bodies with `Content-Encoding: gzip`. */
  readonly gzip?: boolean | undefined;
  /** Sends the bodies with `Transfer-Encoding: chunked`. */
  readonly chunked?: boolean | undefined;
  /** Whether `tamper` and `diagnose` may target an app at a public address, which must be yours; default false. */
  readonly allowPublic?: boolean | undefined;
}

/** Definitions of {@link EventOptions}; other actions override some of them. */
export const eventOptions: OptionsOf<EventOptions> = {
  count: {
    flag: "--count <n>",
    help: "number of events of each name, up to 100000 (default: 1, or the number of payloads in --data)",
    read: wholeNumber,
    schema: (z) => z.number().int().min(1).max(COUNT_LIMIT),
  },
  batch: {
    flag: "--batch <n>",
    help: "maximum number of events in one body, up to 100000 (default: the choice webhook.batch.events)",
    read: wholeNumber,
    schema: (z) => z.number().int().min(1).max(COUNT_LIMIT),
  },
  data: {
    flag: "--data <file|json|->",
    help: "payload of the events: a file, JSON, or - for stdin; may contain {{templates}}",
    schema: (z) => z.unknown(),
  },
  set: {
    flag: "--set <path=value>",
    help: "set a field of the events (path:=JSON for any type); may be repeated",
    read: repeated,
    schema: (z) => z.union([z.array(z.string()).readonly(), z.record(z.string(), z.unknown())]),
  },
  seed: {
    flag: "--seed <n>",
    help: "seed of the random generator (default: a new one)",
    read: wholeNumberBetween(0, SEED_LIMIT),
    schema: (z) => z.number().int().min(0).max(SEED_LIMIT),
  },
  fixtures: {
    help: "directory with payloads, NAME.json for each event (default: fixtures/events)",
    schema: (z) => z.string().min(1),
  },
};

/** Definitions of {@link WebhookOptions}. */
export const webhookOptions: OptionsOf<WebhookOptions> = {
  ...eventOptions,
  duplicate: {
    flag: "--duplicate <n>",
    help: "send each delivery n more times",
    read: wholeNumber,
    schema: (z) => z.number().int().min(1).max(100),
  },
  shuffle: {
    flag: "--shuffle",
    help: "shuffle events and deliveries",
    schema: (z) => z.boolean(),
  },
  delay: {
    flag: "--delay <duration>",
    help: "pause before each delivery: 200ms, or 0ms..2s for a random pause",
    read: delay,
    schema: (z) => z.union([delayMs(z), z.strictObject({ min: delayMs(z), max: delayMs(z) })]),
  },
  drop: {
    flag: "--drop <share>",
    help: "drop this share of the deliveries: 0.1 or 10%",
    read: share,
    schema: (z) => z.number().min(0).max(1),
  },
  tamper: {
    flag: "--tamper <what...>",
    help: "also send forged deliveries, which the app must refuse (then exit 0): body, signature, secret, header or all",
    read: tampering,
    schema: (z) => z.union([z.enum(tamperedParts), z.array(z.enum(tamperedParts)).readonly()]),
  },
  respell: {
    flag: "--no-respell",
    help: "do not reformat the JSON of the first delivery to test whether the app hashes the raw body",
    schema: (z) => z.boolean(),
  },
  diagnose: {
    flag: "--diagnose",
    help: "if an app refuses every delivery, find out why: try common signing mistakes until it accepts one",
    schema: (z) => z.boolean(),
  },
  gzip: {
    flag: "--gzip",
    help: "compress the bodies (choice webhook.signature.gzip)",
    schema: (z) => z.boolean(),
  },
  chunked: {
    flag: "--chunked",
    help: "send the bodies in chunks, without Content-Length",
    schema: (z) => z.boolean(),
  },
  allowPublic: {
    flag: "--allow-public",
    help: "also send forged requests to an app at a public address, which must be yours",
    schema: (z) => z.boolean(),
  },
};

/** Options of `replay()`. */
export interface ReplayOptions {
  /** Signs again, with the current secret and choices. */
  readonly resign?: boolean | undefined;
  /** Other bytes, before compression if the delivery was compressed; signed again. */
  readonly body?: Uint8Array | undefined;
}

/** Definitions of {@link ReplayOptions}. */
export const replayOptions: OptionsOf<ReplayOptions> = {
  resign: {
    flag: "--resign",
    help: "sign again, with the current secret and choices",
    schema: (z) => z.boolean(),
  },
  body: {
    help: "another body, before compression; it is signed again",
    schema: (z) => z.custom<Uint8Array>((value) => value instanceof Uint8Array, "expected bytes, such as a Buffer"),
  },
};

const tamperedParts = [...tamperings, "all"] as const;

function delayMs(z: SchemaParts) {
  return z.number().min(0).max(DELAY_LIMIT_MS);
}

/** `200ms`, or `0ms..2s`. */
function delay(text: string): number | { min: number; max: number } {
  const expected = "Expected a duration such as 200ms, with its unit, or two: 0ms..2s.";
  const [min = "", max, ...more] = text.split("..");
  if (more.length > 0) throw new InvalidFlagError(expected);
  const from = millisecondsWithUnit(min, expected);
  return max === undefined ? from : { min: from, max: millisecondsWithUnit(max, expected) };
}

/** `0.1` or `10%`. */
function share(text: string): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const value = Number(digits) / (percent === "%" ? 100 : 1);
  if (digits === undefined || value > 1) {
    const meant = value > 1 && value <= 100 && percent === "" ? ` Did you mean ${digits}%?` : "";
    throw new InvalidFlagError(`Expected a share such as 0.1 or 10%.${meant}`);
  }
  return value;
}

/** One of the values after `--tamper`, with those before it. */
function tampering(text: string, earlier: WebhookOptions["tamper"]): (Tampering | "all")[] {
  const found = tamperedParts.find((part) => part === text);
  if (found !== undefined) return [...(earlier === undefined ? [] : [earlier].flat()), found];
  throw new InvalidFlagError(`Allowed are ${tamperedParts.join(", ")}; put events before --tamper.`);
}
