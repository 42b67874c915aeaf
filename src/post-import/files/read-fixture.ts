import type { ChoiceReader } from "../../config/choices.ts";
import { readJsonWithNotes } from "../../config/json-file.ts";
import { noteText } from "../../protocol/json.ts";
import type { ImportContext } from "../import-context.ts";
import type { Fixture } from "./fixture.ts";
import { isWireJob } from "./fixture-shape.ts";
import { shortFixture } from "./short-fixture.ts";
import { wireFixture } from "./wire-fixture.ts";

/**
 * The job that a fixture file stands for: a whole wire job (interface 2.3), or the short form completed from the
 * world. Strings in a file of their own are not read yet.
 * @throws UsageError naming file, path and what is wrong
 */
export async function readFixture(file: string, context: ImportContext, choices: ChoiceReader): Promise<Fixture> {
  const { value: input, notes } = await readJsonWithNotes(file, "fixture");
  // A lone surrogate is an escape again when it is sent; a number is not what it was.
  const warnings = notes.filter(({ kind }) => kind === "number").map((note) => `${file}: ${noteText(note)}`);
  if (isWireJob(input)) return { ...(await wireFixture(file, file, input)), warnings };
  return { ...(await shortFixture(file, file, input, context, choices)), warnings };
}
