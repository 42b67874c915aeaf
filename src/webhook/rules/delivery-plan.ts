import { type Random, shuffled } from "../../platform/random.ts";
import type { Tampering } from "../../protocol/webhook.ts";

/** What goes otherwise than it should on the way to the app. */
export interface Adversity {
  /** So many further copies of every delivery. */
  readonly duplicate: number;
  readonly shuffle: boolean;
  /** Milliseconds before a delivery. */
  readonly delay: { readonly min: number; readonly max: number };
  /** The share of deliveries that is lost, from 0 to 1. */
  readonly drop: number;
  readonly tamper: readonly Tampering[];
}

/** A body for a module. */
export interface Addressed {
  /** Of the delivery: the same for whatever is sent again. */
  readonly id: string;
}

/** One delivery, as it is to be made. */
export type PlannedDelivery<A extends Addressed> = A & {
  /** 0: the delivery itself; 1 and on: what repeats it. */
  readonly copy: number;
  readonly tampering: Tampering | null;
  /** The same JSON in another spelling, rightly signed: only who hashes the raw bytes takes it. */
  readonly respelled: boolean;
  readonly dropped: boolean;
  readonly delayMs: number;
};

interface Kind {
  readonly tampering: Tampering | null;
  readonly respelled: boolean;
}

const right: Kind = { tampering: null, respelled: false };

/**
 * Deliveries in the order in which they are made. Whatever was tampered with is sent between two that are right, so that
 * an app that refuses everything proves nothing (hardening 2b); then comes a right one in another spelling (W2).
 */
export function planDeliveries<A extends Addressed>(
  addressed: readonly A[],
  { duplicate, shuffle, delay, drop, tamper }: Adversity,
  random: Random,
): PlannedDelivery<A>[] {
  const kinds: Kind[] = [
    ...Array.from({ length: 1 + duplicate }, () => right),
    ...[...new Set(tamper)].map((tampering) => ({ tampering, respelled: false })),
    ...(tamper.length === 0 ? [] : [right, { tampering: null, respelled: true }]),
  ];
  const plan = addressed.flatMap((one) => kinds.map((kind) => ({ ...one, ...kind })));
  const copies = new Map<string, number>();
  return (shuffle ? shuffled(plan, random) : plan).map((one) => {
    const isRight = one.tampering === null && !one.respelled;
    const copy = isRight ? (copies.get(one.id) ?? 0) : 0;
    if (isRight) copies.set(one.id, copy + 1);
    const delayMs = Math.round(delay.min + (delay.max - delay.min) * random());
    return { ...one, copy, dropped: random() < drop, delayMs };
  });
}
