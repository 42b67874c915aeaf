import path from "node:path";
import { referencedFile } from "../config/referenced-file.ts";
import { readUserFile } from "../config/user-file.ts";
import { parseYamlFile } from "../config/yaml-file.ts";
import { shellWord } from "../output/shell-word.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import { problemsOf } from "../protocol/problems.ts";
import { type Problem, UsageError } from "../protocol/usage-error.ts";
import { parseStep, within } from "./parse-step.ts";
import { type Action, type Step, scenarioFileSchema } from "./scenario-schema.ts";

export interface Scenario {
  /** As named by the user. */
  readonly file: string;
  readonly name: string;
  readonly seed: number | undefined;
  readonly steps: readonly Step[];
}

const SIZE_LIMIT_BYTES = 1_048_576;

/**
 * Reads a scenario file: YAML 1.2, or JSON.
 * @param grantTypes the ones that the platform knows
 * @param allowed other directories that may hold the files that it names
 * @param cwd the directory for relative names
 * @throws UsageError with everything that is wrong with it, each with its line and column
 */
export async function readScenario(
  file: string,
  grantTypes: readonly string[],
  allowed: readonly string[],
  cwd = ".",
): Promise<Scenario> {
  const place = path.isAbsolute(file) ? file : path.join(cwd, file);
  const scenario = parseScenario(await readText(place, file), file, grantTypes, place);
  await requireReferences(scenario, path.dirname(path.resolve(place)), allowed);
  return scenario;
}

/** @param place where the file is; `file` is its name in messages */
export function parseScenario(text: string, file: string, grantTypes: readonly string[], place = file): Scenario {
  const yaml = parseYamlFile(text);
  const placed = (line: number, column: number, message: string, at = ""): Problem => ({
    path: `${file}:${line}:${column} ${at}`.trimEnd(),
    message,
  });
  if (!yaml.ok) {
    throw invalid(
      file,
      yaml.faults.map(({ line, column, message }) => placed(line, column, message)),
      /\.(?:ya?ml|json)$/i.test(file) ? YAML_HINT : "is it a scenario? That is a YAML or JSON file",
    );
  }
  const { value, placeOf } = yaml;
  if (value === null) throw invalid(file, [placed(1, 1, "is empty: a scenario has a name and steps")]);
  if (Array.isArray(value)) throw invalid(file, [placed(1, 1, "is a list: add a line steps: above it")]);
  if (isFixture(value)) {
    const hint = `it looks like a fixture: \`app-sim post-import ${shellWord(file)}\` imports it`;
    throw invalid(file, [placed(1, 1, "has no steps")], hint);
  }
  const { steps: inputs } = value as { readonly steps?: unknown };
  if (isJsonObject(inputs)) {
    const { line, column } = placeOf("steps");
    const step = Object.keys(inputs)[0] ?? "wait";
    throw invalid(file, [
      placed(line, column, `is not a list: start each step with a dash, as in - ${step}: …`, "steps"),
    ]);
  }
  const parsed = scenarioFileSchema.safeParse(value);
  const problems: Problem[] = parsed.success
    ? []
    : problemsOf(parsed.error, value, (at) => (at === "" ? Object.keys(scenarioFileSchema.shape) : []));
  const steps: Step[] = [];
  for (const [index, input] of (Array.isArray(inputs) ? inputs : []).entries()) {
    const at = `steps[${index}]`;
    const step = parseStep(input, grantTypes);
    if (step.ok) steps.push({ line: placeOf(at).line, action: fromHere(step.action, place) });
    else problems.push(...step.problems.map((problem) => ({ ...problem, path: within(at, problem.path) })));
  }
  if (!parsed.success || problems.length > 0) {
    throw invalid(
      file,
      problems.map(({ path: at, message }) => {
        const { line, column } = placeOf(at);
        return placed(line, column, message, at);
      }),
    );
  }
  const { name = path.basename(file), seed } = parsed.data;
  return { file, name, seed, steps };
}

/** Paths in a scenario are relative to its own file. */
function fromHere(action: Action, file: string): Action {
  const resolved = (name: string) => (path.isAbsolute(name) ? name : path.join(path.dirname(file), name));
  if (action.kind === "import") return { ...action, import: { ...action.import, file: resolved(action.import.file) } };
  if (action.kind !== "deliver" || action.deliver.fixtures === undefined) return action;
  return { ...action, deliver: { ...action.deliver, fixtures: resolved(action.deliver.fixtures) } };
}

/** @throws UsageError for a step's file outside the directories that the scenario may use */
async function requireReferences(
  { file, steps }: Scenario,
  directory: string,
  allowed: readonly string[],
): Promise<void> {
  for (const { line, action } of steps) {
    const name = action.kind === "import" ? action.import.file : action.kind === "deliver" && action.deliver.fixtures;
    if (typeof name !== "string") continue;
    const what = `${file}:${line} ${action.kind}`;
    await referencedFile({ name: path.resolve(name), directory, what, allowed });
  }
}

async function readText(place: string, file: string): Promise<string> {
  const bytes = await readUserFile(place, "scenario", SIZE_LIMIT_BYTES);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(file, [{ path: file, message: "is not UTF-8" }]);
  }
}

/** Whether it is a job for post-import, complete or in the short form. */
function isFixture(value: unknown): boolean {
  if (typeof value !== "object" || value === null || "steps" in value) return false;
  return ["file", "strings", "stringsFile", "jobType"].some((name) => Object.hasOwn(value, name));
}

const YAML_HINT = "fix the first place; `app-sim run --help` shows how to write steps";
const HELP_HINT = "`app-sim run --help` shows every kind of step";

function invalid(file: string, problems: readonly Problem[], hint = HELP_HINT): UsageError {
  return new UsageError("scenario-invalid", `${file} is not a valid scenario`, hint, problems);
}
