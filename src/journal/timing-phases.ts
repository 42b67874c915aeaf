import type { Timings } from "./exchange.ts";

/** A stage of an exchange, for a waterfall; in milliseconds. */
export interface TimingPhase {
  readonly name: "connect" | "TLS" | "headers" | "until the headers" | "body" | "no answer";
  /** From the start of the exchange. */
  readonly startMs: number;
  readonly ms: number;
}

/** The consecutive stages of an exchange; together they take all of its time. */
export function timingPhases({ connectMs, tlsMs, headersMs, totalMs }: Timings): TimingPhase[] {
  const ends: [TimingPhase["name"], number][] = [];
  if (connectMs !== undefined) ends.push(["connect", connectMs]);
  if (tlsMs !== undefined) ends.push(["TLS", tlsMs]);
  if (headersMs === null) ends.push(["no answer", totalMs]);
  else ends.push([connectMs === undefined ? "until the headers" : "headers", headersMs], ["body", totalMs]);
  return ends.map(([name, end], index) => {
    const startMs = ends[index - 1]?.[1] ?? 0;
    return { name, startMs, ms: Math.max(0, Math.round((end - startMs) * 10) / 10) };
  });
}
