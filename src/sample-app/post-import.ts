import type { IncomingMessage } from "node:http";
import { download } from "./download.ts";
import type { HostedFiles } from "./hosted-files.ts";
import { readNdjson } from "./ndjson.ts";
import type { Platform } from "./platform.ts";
import { type Job, parseJob } from "./post-import-job.ts";
import { PREVIEW_STRINGS, previewOf } from "./post-import-preview.ts";
import { parseString, type StringRecord } from "./post-import-string.ts";
import { tidyString } from "./post-import-tidy.ts";
import { json, Refusal, type Reply, readBody } from "./request.ts";
import { bearerToken, type Credentials, verifyToken } from "./token.ts";

/** Largest job and largest answer (interface 8); what is larger goes by URL. */
const MAX_PAYLOAD_BYTES = 5 * 1024 * 1024;

/** The platform waits 2 minutes for an answer (interface 8); this leaves it some time to arrive. */
const DOWNLOAD_TIMEOUT_MS = 110_000;

/** A post-import module that tidies the strings of a file (interface 2.3, 2.4), inline or by URL. */
export function createPostImport(
  moduleKey: string,
  credentials: Credentials,
  platform: Platform,
  files: HostedFiles,
): (request: IncomingMessage) => Promise<Reply> {
  async function answer(request: IncomingMessage): Promise<Reply> {
    await verifyToken(bearerToken(request), moduleKey, credentials);
    const body = await readBody(request, MAX_PAYLOAD_BYTES);
    return orErrorMessage(whileAwaited(request, (signal) => tidyJob(parseJob(body, platform), signal)));
  }

  function tidyJob(job: Job, signal: AbortSignal): Promise<Reply> {
    return "strings" in job ? tidyInline(job.strings) : tidyByUrl(job.stringsUrl, signal);
  }

  async function tidyInline(strings: readonly StringRecord[]): Promise<Reply> {
    const tidied = strings.map(tidyString);
    if (tidied.every((string, index) => string === strings[index])) return { status: 304 };
    const preview = previewOf(tidied);
    const replies = [...(preview === null ? [] : [{ strings: tidied, preview }]), { strings: tidied }];
    for (const data of replies) {
      const reply = json(200, { data });
      if (isSmallEnough(reply)) return reply;
    }
    return urlReply(await files.host(tidied.map(lineOf)), preview);
  }

  /** A job may be larger than the memory: each string is written before the next one is read. */
  async function tidyByUrl(stringsUrl: string, signal: AbortSignal): Promise<Reply> {
    let isChanged = false;
    const shown: StringRecord[] = [];
    async function* tidyLines(): AsyncGenerator<string> {
      for await (const { line, value } of readNdjson(download(stringsUrl, "stringsUrl", signal))) {
        const string = parseString(value, `Line ${line}`);
        const tidied = tidyString(string);
        isChanged ||= tidied !== string;
        // One more than a preview shows tells that there is none.
        if (shown.length <= PREVIEW_STRINGS) shown.push(tidied);
        yield lineOf(tidied);
      }
    }
    const file = await files.host(tidyLines());
    if (isChanged) return urlReply(file, previewOf(shown));
    await file.remove();
    return { status: 304 };
  }

  return answer;
}

/** In JSON as JSON.stringify writes it, no text can break the line, and half a surrogate pair survives as an escape. */
function lineOf(string: StringRecord): string {
  return `${JSON.stringify(string)}\n`;
}

function urlReply({ url }: { readonly url: string }, preview: string | null): Reply {
  const reply = json(200, { data: { stringsUrl: url, ...(preview !== null && { preview }) } });
  return isSmallEnough(reply) ? reply : urlReply({ url }, null);
}

function isSmallEnough({ body = "" }: Reply): boolean {
  return Buffer.byteLength(body) <= MAX_PAYLOAD_BYTES;
}

/** Gives the work a signal that ends it when the platform has hung up, or does not wait any longer. */
async function whileAwaited<Result>(
  { socket }: IncomingMessage,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, DOWNLOAD_TIMEOUT_MS);
  socket.once("close", end);
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    socket.off("close", end);
  }
}

/** The platform shows error.message of a 200 answer to the user who imported the file (interface 7). */
async function orErrorMessage(reply: Promise<Reply>): Promise<Reply> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Refusal) return json(200, { error: { message: error.message } });
    // JSON.parse reads any depth of nesting, JSON.stringify writes only so much of it.
    if (error instanceof RangeError) return json(200, { error: { message: "The strings are nested too deeply." } });
    throw error;
  }
}
