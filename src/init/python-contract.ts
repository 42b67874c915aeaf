import { readFile } from "node:fs/promises";
import path from "node:path";
import { shippedFixtures } from "../config/shipped-fixtures.ts";
import type { FoundProject } from "./project.ts";
import type { ProposedFile } from "./project-files.ts";

/** The contract test of a Python app, for pytest and unittest. */
export async function pythonContract({ tests, start }: FoundProject): Promise<ProposedFile> {
  const name = "test_app_sim.py";
  const file = `${tests}/${name}`;
  const template = await readFile(path.join(shippedFixtures, "contract", name), "utf8");
  const content = template
    .replace("python FILE", () => `python ${file}`)
    .replace(/^START = .*$/m, () => `START = ${startInPython(start)}`);
  return { file, purpose: "each check of app-sim verify as a test, for pytest or unittest", content, isAdded: false };
}

/** A command line as a Python list that starts it with the tests' Python interpreter; empty for none. */
function startInPython(start: string | null): string {
  const [program = "", ...rest] = start?.split(" ") ?? [];
  if (program === "") return "[]";
  // Anything that is not a script is the name of a module, such as flask.
  const words = program === "python" ? rest : ["-m", program, ...rest];
  return `[${["sys.executable", ...words.map((word) => JSON.stringify(word))].join(", ")}]`;
}
