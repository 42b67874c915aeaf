import { z } from "zod";
import { didYouMean } from "../protocol/nearest.ts";
import { problemsOf, valueText } from "../protocol/problems.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { type Action, type DeliverAction, expectationSchemas, isTampered, stepSchemas } from "./scenario-schema.ts";

/** A step as it is to be done, or what is wrong with it; paths begin at the step. */
export type ParsedStep =
  | { readonly ok: true; readonly action: Action }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Members = Readonly<Record<string, unknown>>;

const stepKinds = [...names(stepSchemas), "expect"];
const expectationKinds = names(expectationSchemas);

/**
 * Reads one step.
 * @param grantTypes those that the platform knows
 */
export function parseStep(input: unknown, grantTypes: readonly string[]): ParsedStep {
  if (!isMembers(input)) return wrong("", `is ${valueText(input)}: expected a step, such as wait: 2s`);
  const kind = names(stepSchemas).find((name) => Object.hasOwn(input, name));
  if (kind !== undefined) return parseAction(kind, written(input, kind));
  if (Object.hasOwn(input, "expect")) return parseExpectation(input, grantTypes);
  return wrong("", `says not what to do: expected one of ${stepKinds.join(", ")}.${near(input, stepKinds)}`);
}

function parseAction(kind: keyof typeof stepSchemas, input: Members): ParsedStep {
  const schema = stepSchemas[kind];
  const parsed = schema.safeParse(input);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error, input, (path) => namesAt(schema, path)) };
  const action = { kind, ...parsed.data } as Action;
  return action.kind === "deliver" ? withEvents(action) : { ok: true, action };
}

/** What no schema of a member alone can say. */
function withEvents(action: DeliverAction): ParsedStep {
  const { deliver, expect } = action;
  if (deliver.events === undefined && deliver.data === undefined)
    return wrong("deliver", "names no event: expected events, such as project.translated, or data with some");
  if (isTampered(action) && expect?.result === "acknowledged")
    return wrong("expect.result", `is "acknowledged": what is tampered with has to be refused`);
  return { ok: true, action };
}

function parseExpectation(input: Members, grantTypes: readonly string[]): ParsedStep {
  const { expect, ...others } = input;
  const strays = Object.keys(others).map((name) => ({
    path: name,
    message: "belongs within expect, as in expect: { call: GET /api/v2/projects, within: 5s }",
  }));
  if (strays.length > 0) return { ok: false, problems: strays };
  if (!isMembers(expect)) {
    const allowed = "expected { call }, { token } or { no }; what is to come of a delivery stands beside its deliver";
    return wrong("expect", `is ${valueText(expect)}: ${allowed}`);
  }
  const kind = expectationKinds.find((name) => Object.hasOwn(expect, name));
  if (kind === undefined)
    return wrong(
      "expect",
      `says not what: expected one of ${expectationKinds.join(", ")}.${near(expect, expectationKinds)}`,
    );
  const schema = expectationSchemas[kind];
  const parsed = schema.safeParse(expect);
  if (!parsed.success) {
    const problems = problemsOf(parsed.error, expect, (path) => namesAt(schema, path));
    return { ok: false, problems: problems.map(({ path, message }) => ({ path: within("expect", path), message })) };
  }
  const action = { kind, ...parsed.data } as Action;
  if (action.kind === "token" && !grantTypes.includes(action.token)) {
    const allowed = `the platform's grant types: ${grantTypes.join(", ")}.${didYouMean(action.token, grantTypes)}`;
    return wrong("expect.token", `is ${valueText(action.token)}: ${allowed}`);
  }
  return { ok: true, action };
}

/** The path of a member of what stands at another path. */
export function within(path: string, member: string): string {
  return member === "" || member.startsWith("[") ? path + member : `${path}.${member}`;
}

/** The short forms written out: one event, or the like, for what it stands for; `true` for no options at all. */
function written(input: Members, kind: keyof typeof stepSchemas): Members {
  const { [kind]: said, expect } = input;
  switch (kind) {
    case "deliver":
      return {
        ...input,
        ...(typeof said === "string" || Array.isArray(said) ? { deliver: { events: said } } : {}),
        ...(typeof expect === "string" ? { expect: { result: expect } } : {}),
      };
    case "fault":
      return typeof said === "string" ? { ...input, fault: [said] } : input;
    case "login":
      return typeof said === "string" ? { ...input, login: { start: said } } : input;
    case "import":
      return typeof said === "string" ? { ...input, import: { file: said } } : input;
    case "guard":
    case "install":
    case "uninstall":
      return said === true ? { ...input, [kind]: {} } : input;
    default:
      return input;
  }
}

/** The names that are allowed at a path. */
function namesAt(schema: z.ZodObject, path: string): readonly string[] {
  const at = path.split(".").filter((name) => name !== "");
  const objects = at.reduce((within, name) => within.flatMap(({ shape }) => objectsIn(shape[name])), [schema]);
  return objects.flatMap(({ shape }) => Object.keys(shape));
}

/** The objects that a value may be, where it may be something else, too, or missing. */
function objectsIn(schema: unknown): z.ZodObject[] {
  if (schema instanceof z.ZodOptional) return objectsIn(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(objectsIn);
  return schema instanceof z.ZodObject ? [schema] : [];
}

function near(input: Members, kinds: readonly string[]): string {
  const [guess = ""] = Object.keys(input).flatMap((name) => didYouMean(name, kinds) || []);
  return guess;
}

function wrong(path: string, message: string): ParsedStep {
  return { ok: false, problems: [{ path, message }] };
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function names<Name extends string>(record: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(record) as Name[];
}
