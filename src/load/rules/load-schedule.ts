/** When the deliveries of an open loop leave: one after another at a rate that no answer slows down. */
export interface LoadSchedule {
  /** Deliveries a second. */
  readonly rate: number;
  /** Total number. */
  readonly total: number;
}

/** The schedule for a duration: all deliveries due before its end. */
export function scheduleFor(rate: number, durationMs: number): LoadSchedule {
  let total = Math.ceil((durationMs * rate) / 1000);
  // The product of two decimal fractions may be slightly off an integer.
  while (dueAt({ rate, total }, total - 1) >= durationMs) total--;
  return { rate, total: Math.max(1, total) };
}

/** Milliseconds after the start at which the delivery with this number, from 0, is due. */
export function dueAt({ rate }: LoadSchedule, index: number): number {
  return (index * 1000) / rate;
}

/** How many are due this many milliseconds after the start. */
export function dueBy(schedule: LoadSchedule, elapsedMs: number): number {
  let due = Math.floor((elapsedMs * schedule.rate) / 1000) + 1;
  while (dueAt(schedule, due) <= elapsedMs) due++;
  while (dueAt(schedule, due - 1) > elapsedMs) due--;
  return Math.min(due, schedule.total);
}
