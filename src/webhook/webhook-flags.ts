import { type Command, InvalidArgumentError } from "commander";
import { collect, number, wholeNumber } from "../output/options.ts";
import { parseDuration } from "../protocol/duration.ts";
import { type Tampering, tamperings } from "../protocol/webhook.ts";

/** What is in the bodies: options of every command that delivers. */
export interface EventFlags {
  readonly count?: number;
  readonly batch?: number;
  readonly set?: readonly string[];
  /** A file, JSON, or - for stdin. */
  readonly data?: string;
  readonly seed?: number;
}

/** The options of `app-sim webhook`, as commander gives them. */
export interface WebhookFlags extends EventFlags {
  readonly duplicate?: number;
  readonly shuffle?: boolean;
  /** Milliseconds. */
  readonly delay?: number | { readonly min: number; readonly max: number };
  readonly drop?: number;
  readonly tamper?: readonly (Tampering | "all")[];
  readonly gzip?: boolean;
  readonly chunked?: boolean;
  /** true: in the usual language. */
  readonly explain?: string | true;
}

/** Declares where what is in the bodies comes from. */
export function addPayloadFlags(command: Command): Command {
  return command
    .option("--data <file|json|->", "payload of the events: a file, JSON, or stdin; may hold {{templates}}")
    .option("--set <path=value>", "put a value into the events (path:=JSON for any type); may be repeated", collect)
    .option("--seed <n>", "for all that happens by chance (default: a new one)", number(0, 2 ** 31 - 1));
}

/** Declares the options of `app-sim webhook`. */
export function addWebhookFlags(command: Command): Command {
  return addPayloadFlags(
    command
      .option("--count <n>", "events of each name, up to 100000 (default: 1, or as many as --data lists)", wholeNumber)
      .option(
        "--batch <n>",
        "at most so many events in one body, up to 100000 (default: the choice webhook.batch.events)",
        wholeNumber,
      ),
  )
    .option("--duplicate <n>", "send every delivery so many times more", wholeNumber)
    .option("--shuffle", "events and deliveries in another order")
    .option("--delay <duration>", "pause before each delivery: 200ms, or 0ms..2s for a random one", delay)
    .option("--drop <share>", "lose so many of the deliveries: 0.1 or 10%", share)
    .option(
      "--tamper <what...>",
      "also send deliveries with this wrong, which the app has to refuse (exit 0 if it does): body, signature, secret, header or all",
      tampering,
    )
    .option("--gzip", "compress the bodies (choice webhook.signature.gzip)")
    .option("--chunked", "send the bodies in chunks, without their length")
    .option("--explain [language]", "show how the first body is signed and how to verify it; nothing is sent");
}

const everyTampering = [...tamperings, "all"] as const;

/** One of the values after `--tamper`, with those before it. */
function tampering(value: string, earlier: WebhookFlags["tamper"] = []): NonNullable<WebhookFlags["tamper"]> {
  const found = everyTampering.find((kind) => kind === value);
  if (found !== undefined) return [...earlier, found];
  throw new InvalidArgumentError(`Allowed are ${everyTampering.join(", ")}; events stand before --tamper.`);
}

/** `200ms`, or `0ms..2s`. */
function delay(text: string): number | { min: number; max: number } {
  const [min = "", max, ...more] = text.split("..");
  if (more.length > 0) throw new InvalidArgumentError("Expected a duration such as 200ms, or two: 0ms..2s.");
  const from = milliseconds(min);
  return max === undefined ? from : { min: from, max: milliseconds(max) };
}

function milliseconds(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError("Expected a duration such as 200ms, or two: 0ms..2s.");
  }
}

/** `0.1` or `10%`. */
function share(text: string): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const value = Number(digits) / (percent === "%" ? 100 : 1);
  if (digits === undefined || value > 1) throw new InvalidArgumentError("Expected a share such as 0.1 or 10%.");
  return value;
}
