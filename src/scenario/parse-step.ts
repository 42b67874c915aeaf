import type { z } from "zod";
import { isJsonObject } from "../protocol/json-object.ts";
import { namesAt } from "../protocol/names-in-schema.ts";
import { didYouMean, isSlipOf } from "../protocol/nearest.ts";
import { problemsOf, valueText } from "../protocol/problems.ts";
import type { Problem } from "../protocol/usage-error.ts";
import { type Action, expectationSchemas, isTampered, stepSchemas } from "./scenario-schema.ts";

/** A step, or its problems, with paths relative to the step. */
export type ParsedStep =
  | { readonly ok: true; readonly action: Action }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Members = Readonly<Record<string, unknown>>;

const stepKinds = [...names(stepSchemas), "expect"];
const expectationKinds = names(expectationSchemas);

/** @param grantTypes the ones that the platform knows */
export function parseStep(input: unknown, grantTypes: readonly string[]): ParsedStep {
  if (!isJsonObject(input))
    return wrong("", `is ${valueText(input)}: expected a step, such as wait: 2s${withColon(input)}`);
  const kind = names(stepSchemas).find((name) => Object.hasOwn(input, name));
  if (kind !== undefined) return parseAction(kind, written(input, kind));
  if (Object.hasOwn(input, "expect")) return parseExpectation(input, grantTypes);
  return wrong("", `has no action: expected one of ${stepKinds.join(", ")}.${near(input, stepKinds)}`);
}

/** The question for a step without its colon; "": it is not one. */
function withColon(input: unknown): string {
  const [, word = "", value] = /^([\w-]+)\s+(\S.*)$/.exec(String(input)) ?? [];
  const kind = otherNames[word] ?? stepKinds.find((name) => name === word);
  return kind === undefined ? "" : `. Did you mean "${kind}: ${value}"?`;
}

/** @param at path of the input in its step */
function parseMembers(kind: Action["kind"], schema: z.ZodObject, input: Members, at = ""): ParsedStep {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, action: { kind, ...parsed.data } as Action };
  const places = (path: string, name: string) => {
    if (path === "" && namesAt(schema, kind).includes(name)) return [`${kind}: { ${name}: … }`];
    return path === kind && name === "expect" && namesAt(schema, "").includes(name)
      ? [`expect: …, in the same column as ${kind}`]
      : [];
  };
  const problems = problemsOf(parsed.error, input, (path) => namesAt(schema, path), places);
  return {
    ok: false,
    problems: problems.map(({ path, message }) => ({
      path: within(at, path),
      message: message + (path === "expect" ? endExample(input.expect, message) : ""),
    })),
  };
}

/** How an expected outcome of the wrong kind is written; "" if it is unknown. */
function endExample(expect: unknown, message: string): string {
  if (typeof expect === "number")
    return message.endsWith("expected an object") ? `, such as { status: ${expect} }` : "";
  const [, first] = /: allowed: "([\w-]+)"/.exec(message) ?? [];
  return first !== undefined && isJsonObject(expect) ? `; a single word, such as expect: ${first}` : "";
}

function parseAction(kind: keyof typeof stepSchemas, input: Members): ParsedStep {
  const slip = guardHint(kind, input[kind]);
  if (slip !== null) return wrong(kind, slip);
  const second = Object.keys(input).filter((name) => name !== kind && Object.hasOwn(stepSchemas, name));
  if (second.length > 0) return { ok: false, problems: second.map((path) => ({ path, message: ANOTHER_STEP })) };
  const parsed = parseMembers(kind, stepSchemas[kind], input);
  if (!parsed.ok || parsed.action.kind !== "deliver") return parsed;
  const { deliver, expect } = parsed.action;
  if (deliver.events === undefined && deliver.data === undefined)
    return wrong("deliver", "names no event: expected events, such as project.translated, or data with events");
  if (isTampered(parsed.action) && expect?.result === "acknowledged")
    return wrong("expect.result", 'is "acknowledged": the app must refuse tampered deliveries');
  return parsed;
}

function parseExpectation(input: Members, grantTypes: readonly string[]): ParsedStep {
  const { expect, ...others } = input;
  const strays = Object.keys(others).map((name) => ({
    path: name,
    message: slipOfStep(name) ?? "belongs inside expect, as in expect: { call: GET /api/v2/projects, within: 5s }",
  }));
  if (strays.length > 0) return { ok: false, problems: strays };
  if (!isJsonObject(expect)) {
    const allowed =
      "expected { call }, { token } or { no }; put the expected outcome of a delivery into its deliver step";
    return wrong("expect", `is ${valueText(expect)}: ${allowed}`);
  }
  const kind = expectationKinds.find((name) => Object.hasOwn(expect, name));
  if (kind === undefined)
    return wrong(
      "expect",
      `has no expectation: expected one of ${expectationKinds.join(", ")}.${near(expect, expectationKinds)}${endText(expect)}`,
    );
  const parsed = parseMembers(kind, expectationSchemas[kind], expect, "expect");
  if (!parsed.ok || parsed.action.kind !== "token" || grantTypes.includes(parsed.action.token)) return parsed;
  const { token } = parsed.action;
  const allowed = `the platform's grant types: ${grantTypes.join(", ")}.${didYouMean(token, grantTypes)}`;
  return wrong("expect.token", `is ${valueText(token)}: ${allowed}`);
}

/** The hint for an expected outcome of a step; "": it is something else. */
function endText(expect: Members): string {
  const isEnd = ["outcome", "result", "status", "attempts"].some((name) => Object.hasOwn(expect, name));
  return isEnd
    ? " Put the expected outcome into the step itself, without a dash: - guard: true, and below it expect: denied"
    : "";
}

/** The error for a step, perhaps with an expectation, that has a typo in a name; null: no typo. */
function slipOfStep(name: string): string | null {
  const meant = otherNames[name] ?? Object.keys(stepSchemas).find((kind) => isSlipOf(name, kind));
  return meant === undefined ? null : `is not a step. Did you mean "${meant}"?`;
}

/** The path of a member, as seen from outside. */
export function within(path: string, member: string): string {
  return path === "" || member === "" || member.startsWith("[") ? path + member : `${path}.${member}`;
}

/** The member that the short form of a step, a single text, gives. */
const shortForms: Readonly<Record<string, string>> = { deliver: "events", login: "start", import: "file" };

/** The guard step has no short form: its value could be mistaken for a user. */
function guardHint(kind: string, value: unknown): string | null {
  const isKey = kind === "guard" && typeof value === "string";
  return isKey ? `is ${valueText(value)}: expected an object, such as guard: { modules: [${value}] }` : null;
}

const ANOTHER_STEP = "is a separate step, and each step does one thing: start it with - below this one";

/** The short forms in full: a text for an object with one member, `true` for one without members. */
function written(input: Members, kind: keyof typeof stepSchemas): Members {
  const { [kind]: value, expect } = input;
  const member = shortForms[kind];
  const isText = typeof value === "string" || (kind === "deliver" && Array.isArray(value));
  const full = { ...input };
  if (member !== undefined && isText) full[kind] = { [member]: value };
  if (kind === "deliver" && typeof expect === "string") full.expect = { result: expect };
  if (kind === "fault" && isText) full.fault = [value];
  if (["login", "guard", "install", "uninstall"].includes(kind) && value === true) full[kind] = {};
  return full;
}

/** Steps by the names of their commands, and by other words for them. */
const otherNames: Readonly<Record<string, string>> = {
  webhook: "deliver",
  event: "deliver",
  "post-import": "import",
  oauth: "login",
  sleep: "wait",
  clock: "advance",
};

function near(input: Members, kinds: readonly string[]): string {
  const isMeant = (other: string) => Object.keys(input).some((name) => name === other || isSlipOf(name, other));
  const [, step] = Object.entries(otherNames).find(([other]) => isMeant(other)) ?? [];
  if (step !== undefined && kinds.includes(step)) return ` Did you mean "${step}"?`;
  const [guess = ""] = Object.keys(input).flatMap((name) => didYouMean(name, kinds) || []);
  return guess;
}

function wrong(path: string, message: string): ParsedStep {
  return { ok: false, problems: [{ path, message }] };
}

function names<Name extends string>(record: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(record) as Name[];
}
