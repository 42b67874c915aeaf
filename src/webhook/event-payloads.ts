import { stat } from "node:fs/promises";
import path from "node:path";
import { readJsonWithNotes, unreadable } from "../config/json-file.ts";
import { LARGEST_WEBHOOK_BYTES } from "../protocol/limits.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { type PayloadGroups, readPayloads, refuseChangedNumbers } from "./rules/event-payload.ts";

/** Where payloads are looked for if nobody says; relative to where the process runs. */
const DEFAULT_DIRECTORY = "fixtures/events";

/** A name that is too long for a file is no file's. */
const noSuchFile: readonly unknown[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];

/** A name that is one file's on every system: no path, no drive, no stream (hardening S26). */
const fileName = /^\w[\w-]*(\.[\w-]+)*$/;

/**
 * Reads the payloads in the file of an event, `<event>.json`; null where there is none.
 * @param directory relative to where the process runs; default `fixtures/events`
 * @throws UsageError for a file that is no payload, naming the place
 */
export async function payloadsOf(event: string, directory = DEFAULT_DIRECTORY): Promise<PayloadGroups | null> {
  if (!fileName.test(event)) return null;
  const file = path.join(directory, `${event}.json`);
  const isThere = await stat(file).then(
    () => true,
    ({ code }) => !noSuchFile.includes(code),
  );
  return isThere ? readPayloads(await readPayloadFile(file, "payload"), file) : null;
}

/**
 * Reads a JSON file with payloads.
 * @param what what the file is, for messages
 * @throws UsageError when it cannot be read, is too large, no JSON, or holds numbers that would be sent as others
 */
export async function readPayloadFile(file: string, what: string): Promise<unknown> {
  const { size } = await stat(file).catch((error) => Promise.reject(unreadable(error, file, what)));
  if (size > LARGEST_WEBHOOK_BYTES) {
    throw new UsageError(
      "file-too-large",
      `${what} ${file} has ${size.toLocaleString("en-US")} bytes: at most ${LARGEST_WEBHOOK_BYTES.toLocaleString("en-US")} are read`,
      "give fewer payloads and let count repeat them",
    );
  }
  const { value, notes } = await readJsonWithNotes(file, what);
  refuseChangedNumbers(notes, `${what} ${file}`);
  return value;
}
