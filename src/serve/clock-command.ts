import type { CommandCall } from "../action/command-call.ts";
import { jsonText } from "../output/json.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { ClockVerb } from "./action.ts";
import { type ClockTurn, CONTROL_PATHS, clockStateSchema } from "./control.ts";
import { steer } from "./running-control.ts";
import { clockText } from "./steer-text.ts";

/** `app-sim clock`: turns the clock of a running platform, and shows it. */
export async function clockCommand({ invocation, args: [verb = "show", value] }: CommandCall<never>): Promise<number> {
  const order = orderOf(verb as ClockVerb, value);
  const { url, state } = await steer(invocation, { path: CONTROL_PATHS.clock, order, schema: clockStateSchema });
  const { format, out } = invocation;
  out(format === "json" ? jsonText({ command: "clock", url, ...state }) : `${clockText(state)}\n`);
  return 0;
}

function orderOf(action: ClockVerb, value: string | undefined): ClockTurn | null {
  switch (action) {
    case "show":
      return without(value, action, null);
    case "advance":
      return { advance: needed(value, "a duration: app-sim clock advance 2h") };
    case "set":
      return { set: needed(value, "a time: app-sim clock set 2031-05-06T07:08:09Z") };
    case "freeze":
      return { freeze: value ?? true };
    case "resume":
      return without(value, action, { resume: true });
    case "reset":
      return without(value, action, { reset: true });
  }
}

function needed(value: string | undefined, what: string): string {
  if (value !== undefined) return value;
  throw new UsageError("clock-invalid", "how the clock is to be turned is missing", `give ${what}`);
}

function without(value: string | undefined, action: string, order: ClockTurn | null): ClockTurn | null {
  if (value === undefined) return order;
  throw new UsageError("clock-invalid", `clock ${action} takes nothing more, not ${value}`, "leave it out");
}
