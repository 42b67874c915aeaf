import { setTimeout } from "node:timers/promises";
import { callApp } from "../app-client/call-app.ts";
import type { Trial } from "../checking/check.ts";
import { READ_OF } from "../checking/evidence.ts";
import { encodeRequest, type RequestParts, withMembers } from "../checking/request-parts.ts";
import { taggedContext } from "../checking/subject.ts";
import type { ChoiceReader } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord } from "../journal/record.ts";
import { forbiddenAddress, judgeAnswerUrl } from "../platform/answer-url.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { fileRequest } from "../post-import/files/file-request.ts";
import type { ImportContext } from "../post-import/import-context.ts";
import type { ImportJob, StringRecord } from "../protocol/import-job.ts";
import { IMPORT_LIMIT_BYTES } from "../protocol/limits.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { BrokenOff, type HostedFile, type Hosting } from "../web/hosted-files.ts";
import { namedFiles, PREVIEW_OF, STRINGS_OF } from "./reading.ts";

/** How the platform serves a file of a job, and what goes wrong. */
export interface ServedFile {
  readonly content: string | Uint8Array;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to send a Content-Length; default true. */
  readonly isSized?: boolean;
  /** Number of bytes after which the transfer is cut off. */
  readonly breaksAfter?: number;
  /** Milliseconds for which the transfer pauses half way. */
  readonly pauseMs?: number;
  /** What the transfer waits for half way. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
  /** Whether it pauses inside a character; default after a line. */
  readonly pausesInside?: boolean;
  /** Number of packets in which it arrives; all but the last end inside a character. */
  readonly packets?: number;
}

/** What the checks of imports can do. */
export interface ImportTools extends Trial {
  /**
   * The correct request with another job, made from the right one.
   * @param written the strings in its file; default those of the job
   */
  request(change?: (job: ImportJob) => ImportJob, written?: readonly StringRecord[]): Promise<RequestParts>;
  /** Sends a job, with the full time that the interface allows for an answer (interface 8). */
  sendPatiently(role: string, request: RequestParts): Promise<Exchange>;
  /** Fetches the files that an answer names, in the roles `ROLE/strings` and `ROLE/preview`. */
  fetchFiles(role: string, answer: Exchange): Promise<void>;
  /** Sends a job, and fetches the files that the answer names. */
  submit(role: string, request: RequestParts): Promise<Exchange>;
  /** The same, with the full time that the interface allows for an answer (interface 8). */
  submitPatiently(role: string, request: RequestParts): Promise<Exchange>;
  /** The app's requests for the file that was served in this role, as far as they have ended. */
  readersOf(role: string): readonly Exchange[];
  /** A file id that no job had before. */
  number(): number;
  /** Serves a file until that is ended; the app's requests for it are recorded in the role `ROLE/read`. */
  host(role: string, file: ServedFile): Promise<Hosting>;
  /**
   * Serves a file until the work is done.
   * @param work gets its address at the platform
   */
  serving<Result>(role: string, file: ServedFile, work: (url: string) => Promise<Result>): Promise<Result>;
}

/** What the tools need. */
export interface ImportToolsParts {
  readonly context: ImportContext;
  readonly choices: ChoiceReader;
  readonly app: App;
  readonly module: string;
  /** The job with a file that contains these strings. */
  readonly complete: (job: ImportJob, written: readonly StringRecord[] | undefined) => ImportJob;
}

/** Creates the tools for a trial. */
export function importTools(trial: Trial, parts: ImportToolsParts): ImportTools {
  const { context, choices, module, complete } = parts;
  const recordedAs = (role: string) => taggedContext(context, trial.tag(role));
  const sendPatiently = async (role: string, request: RequestParts) => {
    const { record } = await callApp(recordedAs(role), {
      purpose: "post-import",
      module,
      ...encodeRequest(request),
      timeoutMs: choices.get("postImport.timeout"),
      sizeLimit: IMPORT_LIMIT_BYTES["5MiB"],
    });
    return record;
  };
  const fetchFiles = async (role: string, answer: Exchange) => {
    const { stringsUrl, previewUrl } = namedFiles(answer, choices);
    if (stringsUrl !== null) await fetchFile(recordedAs(role + STRINGS_OF), parts, stringsUrl);
    if (previewUrl !== null) await fetchFile(recordedAs(role + PREVIEW_OF), parts, previewUrl);
  };
  const withFiles = async (role: string, answer: Exchange) => {
    await fetchFiles(role, answer);
    return answer;
  };
  const host = (role: string, file: ServedFile) =>
    context.files.host(hostedFile(file), module, trial.tag(role + READ_OF));
  return {
    ...trial,
    sendPatiently,
    fetchFiles,
    number: () => context.ids.seed(),
    readersOf: (role) => {
      // The journal adds to the tag.
      const tag = Object.entries(trial.tag(role + READ_OF));
      const isTagged = ({ check }: Exchange) =>
        check !== undefined && tag.every(([name, value]) => check[name as keyof typeof check] === value);
      const isRead = (each: JournalRecord) => each.type === "exchange" && isTagged(each);
      return context.journal.list().filter(isRead) as Exchange[];
    },
    request: async (change = (job) => job, written) => {
      const request = await trial.prepare();
      const changed = change((request.body as { readonly json: ImportJob }).json);
      const job = complete(changed, written ?? changed.strings);
      return withMembers({ ...request, body: { json: {} } }, job) ?? request;
    },
    submit: async (role, request) => withFiles(role, await trial.send(role, request)),
    submitPatiently: async (role, request) => withFiles(role, await sendPatiently(role, request)),
    host,
    async serving(role, file, work) {
      using hosting = await host(role, file);
      return await work(hosting.url);
    },
  };
}

/**
 * Fetches the files of answers only when all jobs are answered, as the platform may if several files are imported at the
 * same time. Until then it serves the files of the jobs, which answers may name.
 * @param work sends the jobs
 */
export async function fetchingLater(tools: ImportTools, work: (later: ImportTools) => Promise<unknown>): Promise<void> {
  const hostings: Hosting[] = [];
  const answers: { readonly role: string; readonly answer: Exchange }[] = [];
  const noted =
    (send: ImportTools["submit"]): ImportTools["submit"] =>
    async (role, request) => {
      const answer = await send(role, request);
      answers.push({ role, answer });
      return answer;
    };
  const serving: ImportTools["serving"] = async (role, file, servedWork) => {
    const hosting = await tools.host(role, file);
    hostings.push(hosting);
    return servedWork(hosting.url);
  };
  try {
    await work({ ...tools, serving, submit: noted(tools.send), submitPatiently: noted(tools.sendPatiently) });
    for (const { role, answer } of answers) await tools.fetchFiles(role, answer);
  } finally {
    for (const hosting of hostings) hosting.end();
  }
}

const LEAVING_MS = 20;
const LF = 0x0a;

/** The bytes in as many parts of about the same size, all but the last of which end inside a character. */
export function tornParts(bytes: Buffer, count: number): Buffer[] {
  const isInside = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  const ends = Array.from({ length: count - 1 }, (_, index) => {
    let end = Math.floor((bytes.length * (index + 1)) / count);
    while (end < bytes.length && !isInside(end)) end += 1;
    return end;
  });
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

/** A file to be served in this way. */
export function hostedFile({
  content,
  status,
  headers,
  isSized = true,
  breaksAfter,
  pauseMs,
  meanwhile = pauseFor(pauseMs),
  pausesInside = false,
  packets,
}: ServedFile): HostedFile {
  const bytes = Buffer.from(content as Uint8Array);
  return {
    name: "strings.ndjson",
    contentType: "application/x-ndjson",
    size: isSized && breaksAfter === undefined ? bytes.length : null,
    ...(status === undefined ? {} : { status }),
    headers: {
      ...(isSized && breaksAfter !== undefined ? { "content-length": String(bytes.length) } : {}),
      ...headers,
    },
    inPieces: true,
    async *open() {
      if (packets !== undefined) return yield* inPackets(tornParts(bytes, packets));
      // Else after a line, so that a reader that stops there sees complete lines.
      const half = pausesInside
        ? (tornParts(bytes, 2)[0]?.length ?? 0)
        : bytes.indexOf(LF, Math.floor(bytes.length / 2)) + 1;
      if (meanwhile === undefined) yield bytes.subarray(0, breaksAfter ?? bytes.length);
      else {
        yield bytes.subarray(0, half);
        await meanwhile();
        yield bytes.subarray(half);
      }
      if (breaksAfter === undefined) return;
      // The response is destroyed next: written bytes must be flushed first.
      await setTimeout(LEAVING_MS);
      throw new BrokenOff();
    },
  };
}

/** The parts, each of which leaves before the next: a reader may get those that are written at once as one. */
async function* inPackets(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const [index, part] of parts.entries()) {
    if (index > 0) await setTimeout(LEAVING_MS);
    yield part;
  }
}

/** What a transfer that pauses this long waits for; undefined: it does not pause. */
function pauseFor(milliseconds: number | undefined): ServedFile["meanwhile"] {
  return milliseconds === undefined ? undefined : () => setTimeout(milliseconds, undefined, { ref: false });
}

/** Fetches a file that an answer names, like `app-sim post-import`, but also from other servers on this machine. */
async function fetchFile(context: SimulatorContext, { choices, app, module }: ImportToolsParts, url: string) {
  const judged = judgeAnswerUrl(url, [new URL(app.url).origin, ...app.fileOrigins]);
  if (!judged.ok && !isLoopback(url)) return;
  await callApp(context, {
    purpose: "import-file",
    module,
    ...fileRequest(choices, { url, sizeLimit: choices.get("postImport.fetch.size"), take: () => {} }),
    mayConnectTo: forbiddenAddress,
  });
}

function isLoopback(url: string): boolean {
  return isHttpUrl(url) && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
