import type { CommandCall } from "../action/command-call.ts";
import { jsonText } from "../output/json.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { CONTROL_PATHS, type FaultOrder, faultListSchema } from "./control.ts";
import { steer } from "./running-control.ts";
import { faultsText } from "./steer-text.ts";

/** `app-sim fault`: asks a running platform for faults, ends them, and lists those that are still to come. */
export async function faultCommand({ invocation, args: words }: CommandCall<never>): Promise<number> {
  const order = orderOf(words);
  const { url, state } = await steer(invocation, { path: CONTROL_PATHS.faults, order, schema: faultListSchema });
  const { format, out } = invocation;
  out(format === "json" ? jsonText({ command: "fault", url, ...state }) : `${faultsText(state.faults).join("\n")}\n`);
  return 0;
}

function orderOf(words: readonly string[]): FaultOrder | null {
  const [first] = words;
  if (first === undefined) return null;
  if (first !== "list" && first !== "clear") return { add: words.map(faultIn) };
  if (words.length === 1) return first === "list" ? null : { clear: true };
  throw new UsageError("fault-invalid", `fault ${first} takes nothing more`, `app-sim fault ${first}, then the rest`);
}

/** @throws UsageError for what was meant to be one of the other words */
function faultIn(word: string): string {
  const meant = word.includes("=") ? "" : didYouMean(word, ["list", "clear"]);
  if (meant === "") return word;
  const hint = "app-sim fault list, app-sim fault clear, or faults such as token=500x2";
  throw new UsageError("fault-invalid", `fault ${word} is no fault.${meant}`, hint);
}
