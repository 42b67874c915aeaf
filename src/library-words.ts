import { actions, type SimulatorMethods } from "./actions.ts";
import { UsageError } from "./protocol/usage-error.ts";

type Words = ReadonlyMap<string, string>;
interface Optional {
  readonly run?: unknown;
  readonly options?: Readonly<Record<string, { readonly flag?: string }>>;
}

/** Flags of every command, and what decides the same in the library. */
const ofPlatform: readonly (readonly [flag: string, option: string])[] = [
  ["--app", "app.url"],
  ["--choose", "choices"],
  ["--allow-path", "allowPaths"],
  ["--journal", "journal"],
  ["--port", "port"],
  ["--seed", "seed"],
];

/** Lets the errors of each method name options where those of its command name flags. */
export function inLibraryWords<Methods extends SimulatorMethods>(methods: Methods): Methods {
  const translated = Object.entries<Optional>(actions as never).flatMap(([name, { run, options = {} }]) => {
    if (run === undefined) return [];
    const method = methods[name as keyof SimulatorMethods] as (...args: readonly unknown[]) => Promise<unknown>;
    const ofMethod = Object.entries(options).flatMap(([option, { flag }]) =>
      flag === undefined ? [] : [[flag.split(" ", 1)[0] ?? "", option] as const],
    );
    const words = new Map([...ofPlatform, ...ofMethod]);
    return [[name, (...args: readonly unknown[]) => withWords(method(...args), words)] as const];
  });
  return Object.assign(methods, Object.fromEntries(translated));
}

/** @throws the error of a start, with a hint of the option where a port is taken, or a config file is not there */
export function startInLibraryWords(error: unknown): never {
  if (!(error instanceof UsageError)) throw error;
  if (error.code === "config-unreadable" && error.hint.includes("--config")) {
    const hint = "configFile is the path of a file, as it is or from the working directory; without it, none is read";
    throw new UsageError(error.code, error.summary, hint);
  }
  if (error.code !== "port-taken") throw error;
  const hint = "end the other program, or give another port; without the option port, a free one is taken";
  throw new UsageError(error.code, error.summary, hint);
}

async function withWords<Result>(result: Promise<Result>, words: Words): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw error instanceof UsageError ? translatedError(error, words) : error;
  }
}

function translatedError(error: UsageError, words: Words): UsageError {
  const { code, summary, hint, problems } = error;
  const [said, tried] = [inOptions(summary, words), inOptions(hint, words)];
  return said === summary && tried === hint ? error : new UsageError(code, said, tried, problems);
}

/** A text with options in place of flags, each with its path; what stands for a value, such as KEY, is left out. */
function inOptions(text: string, words: Words): string {
  return text
    .replaceAll(/--choose ([\w.]+)=([\w-]+)/g, 'choices: { "$1": "$2" }')
    .replaceAll(
      /(?<!`[^`]*)(--[a-z]+(?:-[a-z]+)*)(?: [A-Z]{3,}\b| (\/[\w/-]+))?/g,
      (whole, flag: string, path?: string) => {
        const option = words.get(flag);
        if (option === undefined) return whole;
        return path === undefined ? `the option ${option}` : `${option}: "${path}"`;
      },
    );
}
