import { createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Refusal, unguessable } from "./http.js";

const LIFETIME_MS = 10 * 60_000;

/**
 * Keeps files that are too large for an answer on disk until the platform has fetched them once, for at most 10
 * minutes. The address of each cannot be guessed.
 *
 * @param {string} path where in this app `answer` is
 */
export function createHostedFiles(appUrl, path) {
  /** The name of each file on disk, by its path in this app. */
  const names = new Map();
  /** What `close` has to wait for. */
  const working = new Set();

  function track(work) {
    const done = work.catch(() => {}).finally(() => working.delete(done));
    working.add(done);
    return work;
  }

  async function write(lines) {
    const name = join(tmpdir(), `sample-app-${unguessable()}.ndjson`);
    try {
      // No other user of this machine may read it: imported texts are not published yet.
      await pipeline(lines, createWriteStream(name, { flags: "wx", mode: 0o600, highWaterMark: 256 * 1024 }));
    } catch (error) {
      await removeFromDisk(name);
      if (!(error instanceof Error && "syscall" in error)) throw error;
      // Disk errors contain paths: they belong in this app's log, and the user does not see them.
      process.emitWarning(error);
      throw new Refusal(500, "The app cannot store the strings now. Try again later.");
    }
    const address = `${path}/${unguessable()}`;
    names.set(address, name);
    setTimeout(() => remove(address), LIFETIME_MS).unref();
    return { url: appUrl + address, remove: () => remove(address) };
  }

  async function remove(address) {
    const name = names.get(address);
    names.delete(address);
    if (name !== undefined) await track(removeFromDisk(name));
  }

  return {
    /** Writes a file; if that fails, no part of it remains. */
    host: (lines) => track(write(lines)),
    answer: async (request) => {
      const name = names.get(request.url);
      if (name === undefined) throw gone();
      const file = await openOnDisk(name);
      // Removed when it was read to the end, not when it is closed, so an interrupted fetch can be repeated.
      const body = file.createReadStream({ highWaterMark: 256 * 1024 }).once("end", () => remove(request.url));
      return { status: 200, headers: { "content-type": "application/x-ndjson" }, body };
    },
    close: async () => {
      await Promise.all(working);
      await Promise.all([...names.keys()].map(remove));
    },
  };
}

function gone() {
  return new Refusal(404, "There is no file at this address, or no more.");
}

async function openOnDisk(name) {
  try {
    return await open(name);
  } catch (error) {
    // Another fetch has just read it to the end.
    throw error instanceof Error && "code" in error && error.code === "ENOENT" ? gone() : error;
  }
}

async function removeFromDisk(name) {
  await rm(name, { force: true }).catch((error) => process.emitWarning(error));
}
