import { type Command, InvalidArgumentError, Option } from "commander";
import { collect, number, wholeNumber } from "../output/options.ts";
import { parseDuration } from "../protocol/duration.ts";
import { addPayloadFlags, type EventFlags } from "../webhook/webhook-flags.ts";

/** The options of `app-sim load`, as commander gives them; `count` is of deliveries. */
export interface LoadFlags extends EventFlags {
  /** Deliveries a second. */
  readonly rate?: number;
  readonly concurrency?: number;
  /** Milliseconds. */
  readonly duration?: number;
  readonly connections?: number;
  readonly expect?: readonly string[];
  readonly allowPublic?: boolean;
  readonly export?: "artillery";
  readonly out?: string;
}

/** Declares the options of `app-sim load`. */
export function addLoadFlags(command: Command): Command {
  return addPayloadFlags(command)
    .addOption(
      new Option("--rate <n>", "open loop: so many deliveries a second, however long the answers take")
        .argParser(rate)
        .conflicts("concurrency"),
    )
    .option(
      "--concurrency <n>",
      "closed loop: so many senders that each wait for their answer (default: 10)",
      number(1, 10_000),
    )
    .addOption(
      new Option("--duration <duration>", "how long to send: 30s, 5m (default: 10s)")
        .argParser(duration)
        .conflicts("count"),
    )
    .option("--count <n>", "so many deliveries, in place of a duration", wholeNumber)
    .option("--batch <n>", "events in each delivery (default: 1)", wholeNumber)
    .option(
      "--connections <n>",
      "at most so many connections (default: 100, or one for each sender)",
      number(1, 10_000),
    )
    .option(
      "--expect <expectation>",
      'what has to be so: "p99<250ms", "errors<1%", "rate>=990"; may be repeated',
      collect,
    )
    .option("--allow-public", "send to addresses too that are neither this machine's nor private")
    .addOption(
      new Option("--export <program>", "write the load as a test for another program; nothing is sent").choices([
        "artillery",
      ]),
    )
    .option("--out <dir>", "where an exported test goes (default: load-test)");
}

function rate(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value >= 0.1 && value <= 1_000_000) return value;
  throw new InvalidArgumentError("Expected deliveries a second, from 0.1 to 1000000.");
}

function duration(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError("Expected a duration such as 30s, 500ms or 1m30s.");
  }
}
