import { createReadStream } from "node:fs";
import path from "node:path";
import { unreadable } from "../config/json-file.ts";
import { problemsOf } from "../protocol/problems.ts";
import { type Problem, UsageError } from "../protocol/usage-error.ts";
import { parseStep, within } from "./parse-step.ts";
import { type Action, type Step, scenarioFileSchema } from "./scenario-schema.ts";
import { parseYamlFile } from "./yaml-file.ts";

/** A scenario as it is to be run. */
export interface Scenario {
  /** As the user named it. */
  readonly file: string;
  readonly name: string;
  readonly seed: number | undefined;
  readonly steps: readonly Step[];
}

const SIZE_LIMIT_BYTES = 1_048_576;

/**
 * Reads a scenario file: YAML 1.2, or JSON.
 * @param grantTypes those that the platform knows
 * @throws UsageError with everything that is wrong with it, each with its line and column
 */
export async function readScenario(file: string, grantTypes: readonly string[]): Promise<Scenario> {
  return parseScenario(await readText(file), file, grantTypes);
}

/** The same of the text of a file. */
export function parseScenario(text: string, file: string, grantTypes: readonly string[]): Scenario {
  const yaml = parseYamlFile(text);
  if (!yaml.ok) {
    throw invalid(
      file,
      yaml.faults.map(({ line, column, message }) => ({ path: `${file}:${line}:${column}`, message })),
    );
  }
  const { value, placeOf } = yaml;
  if (value === null)
    throw invalid(file, [{ path: `${file}:1:1`, message: "is empty: a scenario has a name and steps" }]);
  const placed = ({ path: at, message }: Problem): Problem => {
    const { line, column } = placeOf(at);
    return { path: `${file}:${line}:${column} ${at}`.trimEnd(), message };
  };
  const parsed = scenarioFileSchema.safeParse(value);
  const inputs = stepsIn(value);
  const steps = inputs.map((input) => parseStep(input, grantTypes));
  const problems = [
    ...(parsed.success ? [] : problemsOf(parsed.error, value, keysAt)),
    ...steps.flatMap((step, index) =>
      step.ok ? [] : step.problems.map(({ path: at, message }) => ({ path: within(`steps[${index}]`, at), message })),
    ),
  ];
  if (!parsed.success || problems.length > 0) throw invalid(file, problems.map(placed));
  const { name = path.basename(file), seed } = parsed.data;
  return {
    file,
    name,
    seed,
    steps: steps.flatMap((step, index) =>
      step.ok ? [{ line: placeOf(`steps[${index}]`).line, action: fromHere(step.action, file) }] : [],
    ),
  };
}

/** Files that a scenario names lie where it says as seen from where it lies. */
function fromHere(action: Action, file: string): Action {
  const seen = (name: string) => (path.isAbsolute(name) ? name : path.join(path.dirname(file), name));
  if (action.kind === "import") return { ...action, import: { ...action.import, file: seen(action.import.file) } };
  if (action.kind !== "deliver" || action.deliver.fixtures === undefined) return action;
  return { ...action, deliver: { ...action.deliver, fixtures: seen(action.deliver.fixtures) } };
}

function stepsIn(value: unknown): readonly unknown[] {
  const { steps } = (value ?? {}) as { readonly steps?: unknown };
  return Array.isArray(steps) ? steps : [];
}

function keysAt(at: string): readonly string[] {
  return at === "" ? Object.keys(scenarioFileSchema.shape) : [];
}

async function readText(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(file, { end: SIZE_LIMIT_BYTES })) chunks.push(chunk as Buffer);
  } catch (error) {
    throw unreadable(error as NodeJS.ErrnoException, file, "scenario");
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length > SIZE_LIMIT_BYTES) throw invalid(file, [{ path: file, message: "is larger than 1 MiB" }]);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(file, [{ path: file, message: "is not UTF-8" }]);
  }
}

function invalid(file: string, problems: readonly Problem[]): UsageError {
  return new UsageError(
    "scenario-invalid",
    `${file} is not a valid scenario`,
    "`app-sim run --help` shows every kind of step",
    problems,
  );
}
