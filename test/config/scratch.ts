import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { UsageError } from "../../src/protocol/usage-error.ts";

/** Directories for the tests of one file, removed after them. */
export function scratch() {
  let root = "";
  let count = 0;
  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), "app-sim-config-"));
  });
  afterAll(() => rm(root, { recursive: true }));

  /** A new directory with these files; what is not text is written as JSON. */
  const directory = async (files: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const made = path.join(root, String(count++));
    await mkdir(made);
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(made, name)), { recursive: true });
      await writeFile(path.join(made, name), typeof content === "string" ? content : JSON.stringify(content));
    }
    return made;
  };
  const withConfig = (config: unknown) => directory({ "app-sim.config.json": config });
  return { directory, withConfig };
}

/** The UsageError that a promise is expected to be rejected with. */
export async function refusal(promise: Promise<unknown>): Promise<UsageError> {
  const error = await promise.then(
    () => new Error("nothing was refused"),
    (reason: unknown) => reason,
  );
  if (error instanceof UsageError) return error;
  throw error;
}

/** The problems of a refusal as they are printed. */
export function linesOf({ problems }: UsageError): string[] {
  return problems.map(({ path: where, message }) => `${where} ${message}`);
}
