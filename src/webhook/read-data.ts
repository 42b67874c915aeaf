import path from "node:path";
import type { Invocation } from "../action/invocation.ts";
import { parseJson } from "../protocol/json.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { readPayloadFile } from "./event-payloads.ts";
import { refuseChangedNumbers } from "./rules/event-payload.ts";

/**
 * The value of `--data FILE|JSON|-`: JSON where the text begins with `{` or `[`, all of stdin for `-`, else a file.
 * @throws UsageError naming what was given and what is wrong with it
 */
export async function readData({ cwd, readIn }: Pick<Invocation, "cwd" | "readIn">, text: string): Promise<unknown> {
  if (text === "-") return parseData(await readIn(), "stdin");
  if (/^\s*[{[]/.test(text)) return parseData(Buffer.from(text), "the text");
  return readPayloadFile(path.resolve(cwd, text), "--data");
}

function parseData(bytes: Uint8Array, what: string): unknown {
  const parsed = parseJson(bytes, what);
  if (!parsed.ok) {
    throw new UsageError(
      "not-json",
      `--data: ${parsed.reason}`,
      "give one JSON value in UTF-8, the path of a file, or - for stdin",
    );
  }
  refuseChangedNumbers(parsed.notes, "--data");
  return parsed.value;
}
