import path from "node:path";
import { pathToFileURL } from "node:url";
import { isSlipOf } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** The default export of a config file that is a module. @throws UsageError for one that fails, or exports a promise */
export function importConfig(place: string): Promise<unknown> {
  return inModule(place, async () => {
    const { default: value } = (await import(pathToFileURL(place).href)) as { default?: unknown };
    if (!(value instanceof Promise)) return value;
    // Nothing else handles its rejection, which may come later.
    value.catch(() => {});
    await Promise.race([value, null]);
    throw unusable(
      `the config file ${place} exports a promise`,
      "wait for its value: `export default await …`, in a file that ends in .mjs",
    );
  });
}

/** Runs code that may execute the config file. @throws UsageError for what that throws */
export async function inModule<Result>(place: string, run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const other = otherModuleSystem(place, error) ?? unreadTypes(place, error);
    if (other !== null) throw other;
    const reason = error instanceof Error ? error.message.replaceAll("\n", " ") : String(error);
    const line = lineIn(place, error);
    throw unusable(
      `the config file ${place} fails when it is loaded${line === null ? "" : `, in line ${line}`}: ${reason}`,
      // Node does not say where a module has a syntax error.
      error instanceof SyntaxError && line === null
        ? `\`node --check ${place}\` shows where`
        : (missingImportHint(error) ??
            `the module threw this itself: fix ${line === null ? "it" : `its line ${line}`}, or what it calls`),
    );
  }
}

/** The error for an ES module that Node treats as CommonJS, or the reverse; null if it is neither. */
function otherModuleSystem(place: string, error: unknown): UsageError | null {
  const text = error instanceof Error ? error.message : "";
  const { name } = path.parse(place);
  const is = (kind: string) =>
    `the config file ${place} is ${kind} to Node, because of its file extension and the nearest package.json`;
  if (error instanceof SyntaxError && /Unexpected token 'export'|Cannot use import statement/.test(text))
    return unusable(is("CommonJS"), `rename it to ${name}.mjs, or write module.exports = { … }`);
  if (error instanceof ReferenceError && /^(?:module|exports|require) is not defined in ES module scope/.test(text))
    return unusable(is("an ES module"), `rename it to ${name}.cjs, or write export default { … }`);
  return null;
}

/** The error for a TypeScript config file that this version of Node does not run; null if it failed for another reason. */
function unreadTypes(place: string, error: unknown): UsageError | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const { name } = path.parse(place);
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") {
    return unusable(
      `this version of Node does not run TypeScript, so it cannot read the config file ${place}`,
      `use Node 22.18 or newer, or rename the file to ${name}.mjs and remove the types`,
    );
  }
  if (code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") return null;
  return unusable(
    `the config file ${place} has TypeScript that Node cannot strip: ${(error as Error).message.replaceAll("\n", " ")}`,
    "leave out enums, namespaces and parameter properties: Node only removes types",
  );
}

const OWN_NAME = "app-sim";

/** What to do about a missing import of a module; null if it failed for another reason. */
function missingImportHint(error: unknown): string | null {
  if (error instanceof SyntaxError && error.message.includes("does not provide an export named"))
    return "correct the name of the import: upper and lower case differ; app-sim exports defineConfig";
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return null;
  const [, name = ""] = /Cannot find (?:package|module) '([^']+)'/.exec((error as Error).message) ?? [];
  const [packageName] = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?=\/|$)/.exec(name) ?? [];
  if (packageName === undefined)
    return "a file that it imports does not exist: correct the path, which is relative to the importing file";
  // Another package may have the misspelt name.
  return packageName !== OWN_NAME && isSlipOf(packageName, OWN_NAME)
    ? `did you mean "${OWN_NAME}"?`
    : `npm install ${packageName}`;
}

/**
 * The line of a file where an error was thrown, or which called the code that threw it; null if the error does not say.
 */
function lineIn(place: string, error: unknown): string | null {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const found = [pathToFileURL(place).href, place]
    .flatMap((name) => stack.split(name).slice(1))
    .flatMap((rest) => /^:(\d+)/.exec(rest)?.[1] ?? []);
  return found[0] ?? null;
}

/** A config file that cannot be read. */
export function unusable(message: string, hint: string): UsageError {
  return new UsageError("config-unreadable", message, hint);
}
