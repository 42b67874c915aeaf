import { type Action, type DeliverAction, type ExpectAction, withinOf } from "./scenario-schema.ts";

/** A step in words, on one line. */
export function stepText(action: Action): string {
  switch (action.kind) {
    case "deliver":
      return `deliver ${deliveryText(action)}`;
    case "login":
      return `log in at ${action.login.start}${optionsText(action.login, ["start"])}`;
    case "guard":
      return `guard a login${optionsText(action.guard)}${endText(action.expect)}`;
    case "import":
      return `import ${action.import.file}${optionsText(action.import, ["file"])}${endText(action.expect)}`;
    case "install":
      return `install${optionsText(action.install)}`;
    case "uninstall":
      return `uninstall${optionsText(action.uninstall)}`;
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

/** What is under way while a step is taken, in words. */
export function underWayText(action: Action): string {
  switch (action.kind) {
    case "call":
    case "token":
      return `waiting for ${wantedText(action)}, at most ${withinOf(action)}`;
    case "no":
      return `watching for ${wantedText(action)}, at most ${withinOf(action)}`;
    default:
      return stepText(action);
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

function deliveryText({ deliver, expect = {} }: DeliverAction): string {
  const { result, status, within, attempts } = expect;
  const expected = [
    ...(result === undefined ? [] : [result]),
    ...(status === undefined ? [] : [`with status ${status}`]),
    ...(within === undefined ? [] : [`within ${within}`]),
    ...(attempts === undefined ? [] : [`after ${attempts === 1 ? "one attempt" : `${attempts} attempts`}`]),
  ];
  const events = [deliver.events ?? []].flat().join(", ") || "events of its data";
  const options = optionsText(deliver, ["events", "data", "fixtures"]);
  return events + options + endText(expected.length === 0 ? undefined : expected.join(" "));
}

function endText(expected: string | undefined): string {
  return expected === undefined ? "" : ` and expect it ${expected}`;
}

/** @param left those of which nothing is said here */
function optionsText(options: object, left: readonly string[] = []): string {
  const told = Object.entries(options).filter(([name]) => !left.includes(name));
  return told.length === 0 ? "" : ` (${told.map(([name, value]) => optionText(name, value)).join(", ")})`;
}

/** What goes into a form may be a password: of such an option only the names are told. */
function optionText(name: string, value: unknown): string {
  if (value === true) return name;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return `${name} ${[value].flat().join(" ")}`;
  const isRange = "min" in value && "max" in value;
  return `${name} ${isRange ? `${value.min} to ${value.max}` : Object.keys(value).join(" ")}`;
}
