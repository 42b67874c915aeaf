import type { z } from "zod";
import { table } from "../output/layout.ts";
import { plural } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { clockStateSchema, faultListSchema } from "./control.ts";

/** How the platform's clock stands, on one line. */
export function clockText({ now, frozen, offsetMs }: z.infer<typeof clockStateSchema>): string {
  return harmlessLine(`${now}  ${frozen ? "frozen" : "running"}, ${offsetText(offsetMs)}`);
}

const UNITS = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
] as const;

/** To the second: the real time goes on while this is asked for. */
function offsetText(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  if (seconds === 0) return "real time";
  let rest = seconds;
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : `${count}${unit}`;
  });
  return `${parts.join("")} ${offsetMs > 0 ? "ahead of" : "behind"} real time`;
}

/** The faults that are still to come, and how often. */
export function faultsText(faults: z.infer<typeof faultListSchema>["faults"]): string[] {
  if (faults.length === 0) return ["no faults"];
  return table(
    faults.map(({ fault, left }) => [
      harmlessLine(fault),
      left === null ? "until cleared" : `${plural(left, "time")} more`,
    ]),
  );
}

/** The faults that are still to come, on one line. */
export function faultsLine(faults: Readonly<z.infer<typeof faultListSchema>["faults"]>): string {
  const told = faults.map(({ fault, left }) => harmlessLine(left === null ? fault : `${fault} (${left} more)`));
  return told.length === 0 ? "none" : told.join(", ");
}
