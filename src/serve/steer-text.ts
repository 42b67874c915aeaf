import type { z } from "zod";
import { table } from "../output/layout.ts";
import { plural } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { clockStateSchema, faultListSchema } from "./control.ts";

type Faults = Readonly<z.infer<typeof faultListSchema>["faults"]>;

/** The platform's clock, on one line. */
export function clockText({ now, frozen, offsetMs }: z.infer<typeof clockStateSchema>): string {
  return harmlessLine(`${now}  ${frozen ? "frozen" : "running"}, ${offsetText(offsetMs)}`);
}

/** How far the clock is from real time, to the second: real time goes on meanwhile. */
export function offsetText(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  if (seconds === 0) return "real time";
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const counts = { d: Math.floor(hours / 24), h: hours % 24, m: minutes % 60, s: seconds % 60 };
  const text = Object.entries(counts)
    .map(([unit, count]) => (count === 0 ? "" : `${count}${unit}`))
    .join("");
  return `${text} ${offsetMs > 0 ? "ahead of" : "behind"} real time`;
}

/** The pending faults as a table. */
export function faultsText(faults: Faults): string[] {
  if (faults.length === 0) return ["no faults"];
  const leftText = (left: number | null) => (left === null ? "until cleared" : `${plural(left, "time")} more`);
  return table(faults.map(({ fault, left }) => [harmlessLine(fault), leftText(left)]));
}

/** The pending faults on one line. */
export function faultsLine(faults: Faults): string {
  const all = faults.map(({ fault, left }) => harmlessLine(left === null ? fault : `${fault} (${left} more)`));
  return all.length === 0 ? "none" : all.join(", ");
}
