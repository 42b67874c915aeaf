import { stat } from "node:fs/promises";
import path from "node:path";
import type { Invocation } from "../action/invocation.ts";
import { readJsonWithNotes } from "../config/json-file.ts";
import { referencedFile } from "../config/referenced-file.ts";
import { parseJson } from "../protocol/json.ts";
import { locateJsonSlip, withoutPlace } from "../protocol/json-slip.ts";
import { LARGEST_WEBHOOK_BYTES } from "../protocol/limits.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { type PayloadGroups, readPayloads, refuseChangedNumbers } from "./rules/event-payload.ts";

/** Longer names cannot be file names. */
const noSuchFile: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/** A valid file name on every system: no path, drive or stream (hardening S26). */
const fileName = /^\w[\w-]*(\.[\w-]+)*$/;

/**
 * Reads the payloads in the file of an event, `<event>.json`; null without such a file.
 * @param allowed other directories that the file may be in, if it is a link
 * @throws UsageError for a file that is not a payload, naming the place
 */
export async function payloadsOf(
  event: string,
  allowed: readonly string[],
  directory: string,
): Promise<PayloadGroups | null> {
  if (!fileName.test(event)) return null;
  const file = path.join(directory, `${event}.json`);
  const isThere = await stat(file).then(
    () => true,
    ({ code }) => !noSuchFile.includes(code),
  );
  if (!isThere) return null;
  const place = await referencedFile({ name: `${event}.json`, directory, what: `payload ${file}`, allowed });
  return readPayloads(await readPayloadFile(place, "payload"), file);
}

/** @throws UsageError if the file cannot be read, is too large, is not JSON, or holds numbers that would be changed */
async function readPayloadFile(file: string, what: string): Promise<unknown> {
  const { value, notes } = await readJsonWithNotes(file, what, LARGEST_WEBHOOK_BYTES);
  refuseChangedNumbers(notes, `${what} ${file}`);
  return value;
}

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
    const slip = locateJsonSlip(bytes);
    const reason = slip === null ? parsed.reason : `${withoutPlace(parsed.reason)}: ${slip}`;
    const isUnquoted = slip !== null && !Buffer.from(bytes).includes('"');
    const hint = isUnquoted
      ? "did the shell remove its double quotes? Put the JSON in single quotes, or in a file"
      : "give one JSON value in UTF-8, the path of a file, or - for stdin";
    throw new UsageError("not-json", `--data: ${reason}`, hint);
  }
  refuseChangedNumbers(parsed.notes, "--data");
  return parsed.value;
}
