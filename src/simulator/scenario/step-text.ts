import type { Action, DeliverAction, ExpectAction } from "./scenario-schema.ts";

/** A step in words, on one line. */
export function stepText(action: Action): string {
  switch (action.kind) {
    case "deliver":
      return `deliver ${deliveryText(action)}`;
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

/** Which of the app's calls an expectation is about. */
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

function deliveryText({ deliver: { events = [], ...options }, expect = {} }: DeliverAction): string {
  const told = Object.entries(options).filter(([name]) => name !== "data" && name !== "fixtures");
  const { result, status, within, attempts } = expect;
  const expected = [
    ...(result === undefined ? [] : [result]),
    ...(status === undefined ? [] : [`with status ${status}`]),
    ...(within === undefined ? [] : [`within ${within}`]),
    ...(attempts === undefined ? [] : [`after ${attempts === 1 ? "one attempt" : `${attempts} attempts`}`]),
  ];
  return [
    [events].flat().join(", ") || "events of its data",
    ...(told.length === 0 ? [] : [`(${told.map(([name, value]) => optionText(name, value)).join(", ")})`]),
    ...(expected.length === 0 ? [] : ["and expect it", ...expected]),
  ].join(" ");
}

function optionText(name: string, value: unknown): string {
  if (value === true) return name;
  const isRange = typeof value === "object" && value !== null && "min" in value && "max" in value;
  return `${name} ${isRange ? `${value.min} to ${value.max}` : [value].flat().join(" ")}`;
}
