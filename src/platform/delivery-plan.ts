import type { Tampering } from "../protocol/webhook.ts";
import { type Random, shuffled } from "./random.ts";

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
  readonly dropped: boolean;
  readonly delayMs: number;
};

/**
 * Deliveries in the order in which they are made. Whatever was tampered with is sent between two that are right, so that
 * an app that refuses everything proves nothing (hardening 2b).
 */
export function planDeliveries<A extends Addressed>(
  addressed: readonly A[],
  { duplicate, shuffle, delay, drop, tamper }: Adversity,
  random: Random,
): PlannedDelivery<A>[] {
  const tampered: readonly (Tampering | null)[] = tamper.length === 0 ? [] : [...new Set(tamper), null];
  const plan = addressed.flatMap((one) => {
    let copies = 0;
    const right: (Tampering | null)[] = Array.from({ length: 1 + duplicate }, () => null);
    return [...right, ...tampered].map((tampering) => ({
      ...one,
      copy: tampering === null ? copies++ : 0,
      tampering,
    }));
  });
  const inOrder = shuffle ? shuffled(plan, random) : plan;
  return inOrder.map((one) => ({
    ...one,
    dropped: random() < drop,
    delayMs: Math.round(delay.min + (delay.max - delay.min) * random()),
  }));
}
