import type { z } from "zod";
import { table } from "../output/layout.ts";
import { plural } from "../output/text.ts";
import { offsetText } from "../platform/platform-clock.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { clockStateSchema, faultListSchema } from "./control.ts";

type Faults = Readonly<z.infer<typeof faultListSchema>["faults"]>;

/** The platform's clock, on one line. */
export function clockText({ now, frozen, offsetMs }: z.infer<typeof clockStateSchema>): string {
  return harmlessLine(`${now}  ${frozen ? "frozen" : "running"}, ${offsetText(offsetMs)}`);
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
