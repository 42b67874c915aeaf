import { type Random, shuffled } from "../../platform/random.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { type Tampering, tamperings } from "../../protocol/webhook.ts";
import type { WebhookOptions } from "../webhook-options.ts";

/** Faults injected on the way to the app. */
export interface Disturbances {
  /** Extra copies of every delivery. */
  readonly duplicate: number;
  readonly shuffle: boolean;
  /** Milliseconds before a delivery. */
  readonly delay: { readonly min: number; readonly max: number };
  /** The share of deliveries that is lost, from 0 to 1. */
  readonly drop: number;
  readonly tamper: readonly Tampering[];
  /** Whether one delivery of each module is spelled differently. */
  readonly respell: boolean;
}

/** @throws UsageError for options that exclude each other */
export function readDisturbances(options: WebhookOptions): Disturbances {
  const { duplicate = 0, shuffle = false, delay = 0, drop = 0, tamper = [], respell = false } = options;
  const bounds = typeof delay === "number" ? { min: delay, max: delay } : delay;
  if (bounds.min > bounds.max) {
    throw new UsageError(
      "delay-invalid",
      `a delay from ${bounds.min} to ${bounds.max} milliseconds has its bounds swapped`,
      "put the shorter one first",
    );
  }
  const wanted = [tamper].flat();
  const tampering = tamperings.filter((kind) => wanted.includes(kind) || wanted.includes("all"));
  if (tampering.length > 0 && drop > 0) {
    throw new UsageError(
      "drop-with-tamper",
      "drop and tamper cannot be combined: a lost delivery cannot show that correct ones are accepted",
      "run them one after the other",
    );
  }
  return { duplicate, shuffle, delay: bounds, drop, tamper: tampering, respell };
}

/** What a delivery is for. */
interface DeliveryKind {
  readonly tampering: Tampering | null;
  /** The same JSON, reformatted and correctly signed: accepted only by an app that hashes the raw bytes. */
  readonly respelled: boolean;
  /** With non-ASCII names, correctly signed: accepted only by an app that hashes bytes, not text. */
  readonly nonAscii: boolean;
  /** Sent again in the usual spelling, or with ASCII names, if the app does not believe it. */
  readonly fallsBack: boolean;
}

/** A planned delivery. */
export type PlannedDelivery<Body> = Body &
  DeliveryKind & {
    /** 0: the delivery itself; from 1: its duplicates. */
    readonly copy: number;
    readonly dropped: boolean;
    readonly delayMs: number;
  };

const right: DeliveryKind = { tampering: null, respelled: false, nonAscii: false, fallsBack: false };

interface DeliverableBody {
  /** Of the delivery. */
  readonly id: string;
  /** Whether it may be spelled differently, as the first of its module. */
  readonly mayRespell?: boolean;
}

/**
 * Plans the deliveries in the order in which they are made. Forged ones are sent between two correct ones, so that an
 * app that refuses everything proves nothing (hardening 2b); then follow a correct one in another spelling (W2) and, if
 * everything is tried, one with non-ASCII letters. If nothing is forged, the first delivery of each module itself is
 * spelled differently, if wanted: no event is delivered twice.
 */
export function planDeliveries<Body extends DeliverableBody>(
  bodies: readonly Body[],
  { duplicate, shuffle, delay, drop, tamper, respell }: Disturbances,
  random: Random,
): PlannedDelivery<Body>[] {
  const kinds: DeliveryKind[] = [
    ...Array.from({ length: 1 + duplicate }, () => right),
    ...[...new Set(tamper)].map((tampering) => ({ ...right, tampering })),
    ...(tamper.length === 0 ? [] : [right, { ...right, respelled: true }]),
    ...(tamperings.every((tampering) => tamper.includes(tampering))
      ? [{ ...right, nonAscii: true, fallsBack: true }]
      : []),
  ];
  const respells = respell && tamper.length === 0;
  const plan = bodies.flatMap((body) => {
    const spelling = respells && body.mayRespell === true ? { respelled: true, fallsBack: true } : {};
    return kinds.map((kind) => ({ ...body, ...kind, ...spelling }));
  });
  const copies = new Map<string, number>();
  return (shuffle ? shuffled(plan, random) : plan).map((one) => {
    const isRight = one.tampering === null && !one.nonAscii && (!one.respelled || tamper.length === 0);
    const copy = isRight ? (copies.get(one.id) ?? 0) : 0;
    if (isRight) copies.set(one.id, copy + 1);
    const delayMs = Math.round(delay.min + (delay.max - delay.min) * random());
    return { ...one, copy, dropped: random() < drop, delayMs };
  });
}
