import { demand, isObject, json, parseJson, Refusal, readBody } from "./http.js";
import { bearerToken, verifyToken } from "./jwt.js";
import { readNdjson } from "./ndjson.js";
import { demandPlatformUrl, download } from "./platform.js";
import { PREVIEW_STRINGS, parseString, previewOf, tidyString } from "./strings.js";

/** The largest job and the largest answer; anything larger goes by URL. */
const MAX_BYTES = 5 * 1024 * 1024;
/** The platform waits 2 minutes for an answer; this leaves some time for the answer to arrive. */
const DOWNLOAD_TIMEOUT_MS = 110_000;

/**
 * A post-import module that tidies the strings of a file, which come in the job or by URL.
 *
 * @returns {import("./http.js").Handler}
 */
export function postImport(moduleKey, settings, files) {
  return async (request, signal) => {
    await verifyToken(bearerToken(request), moduleKey, settings);
    const body = await readBody(request, MAX_BYTES);
    try {
      const job = parseJob(body, settings);
      if (job.strings !== undefined) return await tidyInline(job.strings, files);
      const ending = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS)]);
      return await tidyByUrl(job.stringsUrl, files, ending);
    } catch (error) {
      // The platform shows error.message of a 200 answer to the user who imported the file.
      if (error instanceof Refusal) return json(200, { error: { message: error.message } });
      // JSON.parse reads JSON of any depth, but JSON.stringify cannot write it.
      if (error instanceof RangeError) return json(200, { error: { message: "The strings are nested too deeply." } });
      throw error;
    }
  };
}

/** Reads what this app needs of a job: its strings, or where they are. */
function parseJob(body, settings) {
  const job = parseJson(body);
  demand(isObject(job), "The job must be an object.");
  // This app does not use the file, but still refuses one that it could not read.
  demand(isObject(job.file), "The job has no file.");
  const { content, contentUrl } = job.file;
  if (isInline("The file", { content, contentUrl }))
    demand(isBase64(content), "The content of the file must be base64.");
  else demandPlatformUrl("contentUrl", contentUrl, settings);
  const { strings, stringsUrl } = job;
  if (!isInline("The job", { strings, stringsUrl })) {
    return { stringsUrl: demandPlatformUrl("stringsUrl", stringsUrl, settings) };
  }
  demand(Array.isArray(strings), "The strings must be an array.");
  return { strings: strings.map((value, index) => parseString(value, `strings[${index}]`)) };
}

/** Requires exactly one of two fields; null counts as missing. */
function isInline(owner, fields) {
  const names = Object.keys(fields);
  const given = names.filter((name) => fields[name] != null);
  demand(given.length > 0, `${owner} has neither ${names.join(" nor ")}.`);
  demand(given.length < 2, `${owner} has both ${names.join(" and ")}; it must have one of them.`);
  return given[0] === names[0];
}

/** Buffer.from skips anything that is not base64, so only text that encodes back to itself was valid. */
function isBase64(content) {
  return typeof content === "string" && Buffer.from(content, "base64").toString("base64") === content;
}

async function tidyInline(strings, files) {
  const tidied = strings.map(tidyString);
  if (tidied.every((string, index) => string === strings[index])) return { status: 304 };
  const preview = previewOf(tidied);
  const reply = dataReply({ strings: tidied }, preview);
  if (isSmallEnough(reply)) return reply;
  const { url } = await files.host(tidied.map(lineOf));
  return dataReply({ stringsUrl: url }, preview);
}

/** A job may be larger than the memory, so each string is written before the next one is read. */
async function tidyByUrl(stringsUrl, files, signal) {
  let isChanged = false;
  const shown = [];
  async function* tidyLines() {
    for await (const { line, value } of readNdjson(download("stringsUrl", stringsUrl, signal))) {
      const string = parseString(value, `Line ${line}`);
      const tidied = tidyString(string);
      isChanged ||= tidied !== string;
      // One more than a preview can show is enough to know that there is none.
      if (shown.length <= PREVIEW_STRINGS) shown.push(tidied);
      yield lineOf(tidied);
    }
  }
  const file = await files.host(tidyLines());
  if (isChanged) return dataReply({ stringsUrl: file.url }, previewOf(shown));
  await file.remove();
  return { status: 304 };
}

/** The preview is left out where the answer would be too large with it. */
function dataReply(data, preview) {
  const reply = json(200, { data: { ...data, ...preview } });
  return isSmallEnough(reply) ? reply : json(200, { data });
}

function isSmallEnough({ body }) {
  return Buffer.byteLength(body) <= MAX_BYTES;
}

/** JSON.stringify escapes line breaks, so no text can break the line. */
function lineOf(string) {
  return `${JSON.stringify(string)}\n`;
}
