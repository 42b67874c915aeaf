import { isJsonObject } from "../protocol/json-object.ts";
import { type Action, type DeliverAction, type ExpectAction, withinOf } from "./scenario-schema.ts";

/** A step in words, on one line. */
export function stepText(action: Action): string {
  switch (action.kind) {
    case "deliver":
      return `deliver ${deliveryText(action)}`;
    case "login":
      return `log in at ${action.login.start ?? "verify.oauth.start"}${optionsText(action.login, ["start"])}`;
    case "guard":
      return `log in through the guards${optionsText(action.guard)}${endText(action.expect)}`;
    case "import":
      return `import ${action.import.file}${optionsText(action.import, ["file"])}${endText(action.expect)}`;
    case "install":
    case "uninstall":
      return `${action.kind}${optionsText("install" in action ? action.install : action.uninstall)}${endText(action.expect)}`;
    case "wait":
      return `wait ${action.wait}`;
    case "advance":
      return `advance the clock by ${action.advance}`;
    case "fault":
      return `fault ${action.fault.join(", ")}`;
    default:
      return `expect ${expectationText(action)}`;
  }
}

/** A running step in words. */
export function progressText(action: Action): string {
  if (action.kind !== "call" && action.kind !== "token" && action.kind !== "no") return stepText(action);
  return `${action.kind === "no" ? "watching" : "waiting"} for ${wantedText(action)}, at most ${withinOf(action)}`;
}

export function wantedText(action: ExpectAction): string {
  if (action.kind === "no") return action.no;
  const status = action.status === undefined ? "" : ` with status ${action.status}`;
  return (action.kind === "call" ? action.call : `a token request with ${action.token}`) + status;
}

function expectationText(action: ExpectAction): string {
  const within = action.within === undefined ? "" : ` within ${action.within}`;
  if (action.kind === "no") return `no ${action.no}${within}`;
  return `${wantedText(action)}${timesText(action.times)}${within}`;
}

function timesText(times: { readonly min?: number | undefined; readonly max?: number | undefined } = {}): string {
  const { min = 1, max } = times;
  if (min === max) return ` ${min === 1 ? "once" : `${min} times`}`;
  if (max !== undefined) return ` ${min} to ${max} times`;
  return min === 1 ? "" : ` at least ${min} times`;
}

function deliveryText({ deliver, expect = {} }: DeliverAction): string {
  const { result, status, within, attempts } = expect;
  const expected = [
    result,
    status && `with status ${status}`,
    within && `within ${within}`,
    attempts && `after ${attempts === 1 ? "one attempt" : `${attempts} attempts`}`,
  ].filter(Boolean);
  const events = [deliver.events ?? []].flat().join(", ") || "the events in its data";
  const options = optionsText(deliver, ["events", "data", "fixtures"]);
  return events + options + endText(expected.join(" "));
}

function endText(expected = ""): string {
  return expected === "" ? "" : ` and expect it ${expected}`;
}

function optionsText(options: object, omitted: readonly string[] = []): string {
  const shown = Object.entries(options).filter(([name]) => !omitted.includes(name));
  return shown.length === 0 ? "" : ` (${shown.map(([name, value]) => optionText(name, value)).join(", ")})`;
}

/** A form field may be a password: only the names of an object's members are shown. */
function optionText(name: string, value: unknown): string {
  if (value === true) return name;
  if (!isJsonObject(value)) return `${name} ${[value].flat().join(" ")}`;
  const isRange = "min" in value && "max" in value;
  return `${name} ${isRange ? `${value.min} to ${value.max}` : Object.keys(value).join(" ")}`;
}
